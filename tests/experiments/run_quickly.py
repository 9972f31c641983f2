#!/usr/bin/python3
"""Runs a folder of experiments in its quick setting: run_quickly.py FOLDER MERCER.

Skipped (exit code 77) when a Python package is missing, or when nothing in the folder has its data. Real data are
looked for as by the other tests: in MERCER_DATA, else beside the source tree.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("numpy", "scipy", "sklearn", "pandas", "matplotlib")
SKIPPED = 77


def main():
    folder, command = sys.argv[1:]
    missing = [f"python3-{name}" for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (./dev deps --all)")
        return SKIPPED
    data = os.environ.get("MERCER_DATA", str(ROOT.parent / "shared" / "data"))
    environment = {**os.environ, "MERCER": command, "MERCER_DATA": data}
    done = subprocess.run([sys.executable, ROOT / "experiments/run", "--quick", folder], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout)
    scripts = len(re.findall(rf"^=== {folder}/", done.stdout, re.MULTILINE))
    without_data = len(re.findall(r"^skipped: MERCER_DATA has no", done.stdout, re.MULTILINE))
    if done.returncode == 0 and scripts == 0:
        print("no experiment was run")
        return 1
    return SKIPPED if done.returncode == 0 and without_data >= scripts else done.returncode


if __name__ == "__main__":
    sys.exit(main())
