"""Where and with what the numbers were measured."""

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path


# Above this load average other work disturbs the measurements.
QUIET_LOAD = 0.5


def cores():
    return len(os.sched_getaffinity(0))


def cpu_model():
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.processor()


def memory_bytes():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def available_memory_bytes():
    return 1024 * int(re.search(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text())[1])


def commit(root):
    """The commit, with a + when files of the repository differ from it."""
    git = ["git", "-C", str(root)]
    head = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD"], capture_output=True, check=False)
    return head + "+" if changed.returncode else head


def describe(root, threads):
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(root),
        "cpu": cpu_model(),
        "cores": cores(),
        "memory_bytes": memory_bytes(),
        "system": f"{platform.system()} {platform.release()}",
        "threads": threads,
        "load_before": os.getloadavg()[0],
    }
