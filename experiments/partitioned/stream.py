#!/usr/bin/python3
"""A stream of 2,000,000 rows in 200 blocks: memory and rate on the way, and a run that is killed and resumed.

Rows are drawn from five clouds in 16 columns. The state is saved every 20 blocks; the memory at that moment is the
largest that the process had until then (VmHWM).
"""

import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from command import COMMAND, mercer, read_file

ROWS, COLUMNS, BLOCK = 2_000_000, 16, 10_000
OPTIONS = ["--start", "--gamma", 0.01, "--mse", 0.05, "--block-size", BLOCK, "--save-every", 20, "-q"]


def blocks_in(state):
    """How many blocks a saved state has; files appear complete or not at all."""
    try:
        with open(state, "rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            return json.loads(json.loads(file.read(length))["__metadata__"]["stream"])["blocks"]
    except FileNotFoundError:
        return 0


def peak_mebibytes(process):
    with open(f"/proc/{process.pid}/status") as file:
        return next((int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM")), 0)


def start(state, data, *words):
    return subprocess.Popen([COMMAND, "update", *map(str, [state, data, *OPTIONS, *words])])


def partial(state):
    return Path(f"{state}.partial")


def watch(process, state):
    """Prints a line for every state that is saved on the way."""
    begin, seen, last, peak = time.time(), 0, 0, 0
    while process.poll() is None:
        peak = peak_mebibytes(process) or peak
        blocks = blocks_in(partial(state))
        now = time.time() - begin
        if blocks > seen:
            rate = (blocks - seen) * BLOCK / (now - last)
            print(f"{blocks:4} blocks  {now:6.1f} s  {rate / 1e3:6.0f} thousand rows/s  {peak:5.0f} MiB", flush=True)
            seen, last = blocks, now
        time.sleep(0.02)
    now = time.time() - begin
    total = blocks_in(state)
    print(f"{total:4} blocks  {now:6.1f} s  {(total - seen) * BLOCK / (now - last) / 1e3:6.0f} thousand rows/s  "
          f"{peak:5.0f} MiB")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, whole, killed = folder / "data.npy", folder / "whole.stream", folder / "killed.stream"
        mercer("generate", "blobs", "-o", data, "--n", ROWS, "--d", COLUMNS, "--seed", 1)

        watch(start(whole, data, "--model", folder / "whole.mercer"), whole)
        summary = json.loads(mercer("info", folder / "whole.mercer", "--json", "-"))
        print(f"library {summary['library_size']}, mean square residual "
              f"{summary['bounds']['mean_square_residual']['value']:.5f}, {summary['components']} components leave "
              f"{summary['reconstruction_error']:.4f}")

        process = start(killed, data)
        while blocks_in(partial(killed)) < 100:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        print(f"killed; the state beside has {blocks_in(partial(killed))} blocks")
        if start(killed, data, "--resume", "--model", folder / "killed.mercer").wait() != 0:
            raise SystemExit("the run could not be resumed")
        same_state = whole.read_bytes() == killed.read_bytes()
        # Models also tell how long the fit took.
        first, second = (read_file(folder / f"{run}.mercer")[1] for run in ("whole", "killed"))
        same_model = all(first[key].tobytes() == second[key].tobytes() for key in first)
        print(f"resumed: state {'the same bytes' if same_state else 'DIFFERS'}, "
              f"model {'the same bits' if same_model else 'DIFFERS'}")


if __name__ == "__main__":
    main()
