#!/usr/bin/python3
"""Runs a command with a time limit: measured.py SECONDS COMMAND...

Prints as JSON what the command printed, its peak memory, and how much of the processors others took meanwhile.

Linux counts the memory of the process that starts another as the other's peak, so this one is small: no NumPy here.
"""

import json
import os
import resource
import subprocess
import sys
import time


def busy_seconds():
    """Of all processors, since the machine started."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def measured(limit, command):
    start, busy_before = time.monotonic(), busy_seconds()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"note": f"over {limit:g} s"}
    if done.returncode != 0 and "memory limit" in done.stderr:
        return {"note": "over the memory limit"}
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    elapsed = time.monotonic() - start
    others = busy_seconds() - busy_before - used.ru_utime - used.ru_stime
    # Processors count in hundredths of a second, so nothing can be said of a moment.
    share = max(0, others) / elapsed / os.cpu_count() if elapsed > 1 else 0
    return {"output": done.stdout, "peak_memory_bytes": used.ru_maxrss * 1024, "others": share}


if __name__ == "__main__":
    print(json.dumps(measured(float(sys.argv[1]), sys.argv[2:])))
