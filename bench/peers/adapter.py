"""The conversation with bench/run that all Python adapters share."""

import json
import sys
import time


def serve(library, run, values):
    """Announces the library, then runs `run` once for every line on standard input.

    Each answer holds the wall time of `run` and `values` of its result (a flat list of numbers),
    which bench/run compares with those of the other libraries.
    """
    print(json.dumps({"library": library}), flush=True)
    for _ in sys.stdin:
        begin = time.perf_counter()
        result = run()
        seconds = time.perf_counter() - begin
        print(json.dumps({"seconds": seconds, "values": values(result)}), flush=True)
