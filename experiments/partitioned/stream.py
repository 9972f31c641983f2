#!/usr/bin/python3
"""A stream of 2,000,000 rows in 200 blocks: memory and rate on the way, and a run that is killed and resumed.

Rows are drawn from five clouds in 16 columns. The state is saved every 20 blocks; the memory at that moment is the
largest that the process had until then (VmHWM). The quick setting has 200 blocks too, of 1,000 rows.
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

from command import COMMAND, QUICK, mercer, read_file

BLOCKS, BLOCK, COLUMNS = 200, 1_000 if QUICK else 10_000, 16
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


def print_line(blocks, seconds, blocks_a_second, peak):
    print(f"| {blocks} | {seconds:.1f} | {blocks_a_second * BLOCK / 1e3:.0f} | {peak:.0f} |", flush=True)


def watch(process, state):
    """Prints a line for every state that is saved on the way, and for the last."""
    print("| blocks | s | thousand rows/s since the last line | peak memory so far, MiB |\n" + "|---" * 4 + "|")
    begin, seen, last, peak = time.time(), 0, 0, 0
    while process.poll() is None:
        peak = peak_mebibytes(process) or peak
        blocks = blocks_in(partial(state))
        now = time.time() - begin
        if blocks > seen:
            print_line(blocks, now, (blocks - seen) / (now - last), peak)
            seen, last = blocks, now
        time.sleep(0.02)
    if process.returncode != 0:
        raise SystemExit("the stream failed")
    now, total = time.time() - begin, blocks_in(state)
    print_line(total, now, (total - seen) / (now - last), peak)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, whole, killed = folder / "data.npy", folder / "whole.stream", folder / "killed.stream"
        mercer("generate", "blobs", "-o", data, "--n", BLOCKS * BLOCK, "--d", COLUMNS, "--seed", 1)

        watch(start(whole, data, "--model", folder / "whole.mercer"), whole)
        summary = json.loads(mercer("info", folder / "whole.mercer", "--json", "-"))
        print(f"\nlibrary {summary['library_size']}, mean square residual "
              f"{summary['bounds']['mean_square_residual']['value']:.5f}, {summary['components']} components leave "
              f"{summary['reconstruction_error']:.4f}")

        process = start(killed, data)
        while blocks_in(partial(killed)) < BLOCKS // 2 and process.poll() is None:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            raise SystemExit("the run ended before it could be killed")
        print(f"killed; the state beside has {blocks_in(partial(killed))} blocks")
        if start(killed, data, "--resume", "--model", folder / "killed.mercer").wait() != 0:
            raise SystemExit("the run could not be resumed")
        same_state = whole.read_bytes() == killed.read_bytes()
        # Models also tell how long the fit took.
        first, second = (read_file(folder / f"{run}.mercer")[1] for run in ("whole", "killed"))
        same_model = all(first[key].tobytes() == second[key].tobytes() for key in first)
        if not (same_state and same_model):
            raise SystemExit(f"resumed: state the same is {same_state}, model the same is {same_model}")
        print("resumed: state the same bytes, model the same bits")


if __name__ == "__main__":
    main()
