"""Runs the mercer command and reads the files it writes."""

import json
import os
import struct
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
COMMAND = os.environ.get("MERCER", str(ROOT / "build/release/mercer"))
# Small enough for every change to be tried: few rows, few repetitions (`experiments/run --quick`).
QUICK = bool(os.environ.get("MERCER_QUICK"))


def mercer(*words):
    """What `mercer WORDS` prints; stops with its message when it fails."""
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return done.stdout


def summary(*words):
    """What `mercer WORDS` says of its result."""
    return json.loads(mercer(*words, "--json", "-"))


def real_data(name):
    """A file of the real data sets, which are in the folder named by MERCER_DATA; without it the script ends."""
    path = Path(os.environ.get("MERCER_DATA", "")) / name
    if not os.environ.get("MERCER_DATA") or not path.exists():
        print(f"skipped: MERCER_DATA has no {name}")
        raise SystemExit(0)
    return path


def output_folder(name):
    """Where the files of an experiment go that are not part of the documentation."""
    folder = ROOT / "build/experiments" / ("quick" if QUICK else "") / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def read_file(path):
    """Metadata and tensors of a file that mercer wrote (docs/model_file.md)."""
    data = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], dtype="<f8").reshape(entry["shape"])
    return metadata, tensors
