#!/usr/bin/python3
"""Closeness of estimated Hamming distances between faces, against the number of landmarks.

Figures 3 to 5 of S. Epstein, M. Betke, "The kernel semi-least squares method for sparse distance approximation". The
paper had 564 pictures of about 220 x 220 pixels (Sheffield, which is UMIST) and 20 x 78 pictures of 150 x 250 pixels
(PIE); these are 575 of 32 x 32 and 20 x 42 of 32 x 32, so numbers are not comparable, shapes are.

One picture after another is left out by the program bench/sparse_distance_faces.cpp, which is built first (that needs
libbenchmark-dev), unless MERCER_BENCH names a folder that has it.
"""

import csv
import io
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import QUICK, ROOT, real_data
from picture import plt, save

PROGRAM = "sparse_distance_faces"
PEOPLE = 2 if QUICK else 20
FILES = {"umist": ("umist/umist575_32x32_images.npy", "umist/umist575_labels.npy"),
         "pie": ("pie/pie2856_32x32_images.npy", "pie/pie2856_labels.npy")}
MOST_LANDMARKS = {"umist": 3, "pie": 3} if QUICK else {"umist": 10, "pie": 30}
SHOWN = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30)


def program():
    """The program, built as bench/run builds its own; the quick setting takes it only where it is already."""
    if os.environ.get("MERCER_BENCH"):
        return Path(os.environ["MERCER_BENCH"]) / PROGRAM
    folder = ROOT / "build/bench"
    built = folder / "bench" / PROGRAM
    if QUICK:
        if not built.exists():
            print(f"skipped: {built.relative_to(ROOT)} has not been built, and the quick setting does not")
            raise SystemExit(0)
        return built
    configure = ["cmake", "--preset", "release", "-B", folder, "-DMERCER_BUILD_BENCH=ON", "-DMERCER_BUILD_TESTS=OFF"]
    if shutil.which("ccache"):
        configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    for command in (configure, ["cmake", "--build", folder, "--target", PROGRAM]):
        done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{done.stdout}{done.stderr}")
    return built


def measure(name, how):
    """For every way of estimating: numbers of landmarks, closeness, its standard deviation over people."""
    words = map(str, [how, *map(real_data, FILES[name]), MOST_LANDMARKS[name], PEOPLE])
    done = subprocess.run(list(words), check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    curves = defaultdict(list)
    for row in csv.DictReader(io.StringIO(done.stdout)):
        curves[row["way"]].append((int(row["landmarks"]), float(row["closeness"]), float(row["deviation"])))
    return {way.replace("oe", "ö"): sorted(points) for way, points in curves.items()}


def show(name, curves):
    shown = [m for m in SHOWN if m <= MOST_LANDMARKS[name]]
    print(f"\n{name.upper()}, closeness\n\n| landmarks | " + " | ".join(map(str, shown)) + " |")
    print("|---" * (len(shown) + 1) + "|")
    for way, points in curves.items():
        values = {m: closeness for m, closeness, _ in points}
        print(f"| {way} | " + " | ".join(f"{values[m]:.3f}" for m in shown) + " |", flush=True)


def draw(name, curves):
    figure, axes = plt.subplots(figsize=(7, 4.2))
    for way in ("regression, greedy", "orthogonal, greedy", "Nyström, pseudo-inverse", "Nyström as printed"):
        m, closeness, deviation = zip(*curves[way])
        axes.errorbar(m, closeness, deviation, label=way, capsize=2, linewidth=1)
    axes.set_ylim(-0.2, 1.02)
    axes.set_xlabel("landmarks")
    axes.set_ylabel("closeness")
    axes.set_title(f"Hamming distances between faces of one person, {name.upper()}")
    axes.legend(loc="center right")
    return figure


def example_faces():
    """Eight pictures of each of two people, for the build tree only."""
    images, labels = (np.load(real_data(name)) for name in FILES["umist"])
    labels = labels.ravel()
    figure, axes = plt.subplots(2, 8, figsize=(8, 2.2))
    for line, person in zip(axes, np.unique(labels)):
        rows = np.flatnonzero(labels == person)
        for axis, row in zip(line, rows[np.linspace(0, len(rows) - 1, 8).astype(int)]):
            axis.imshow(images[row].reshape(32, 32), cmap="gray")
            axis.axis("off")
    return figure


def main():
    how = program()
    for name in FILES:
        curves = measure(name, how)
        show(name, curves)
        if name == "pie":
            save(draw(name, curves), "sparse_distance.png")
        else:
            save(draw(name, curves), f"{name}.png", "sparse_distance")
    save(example_faces(), "faces.png", "sparse_distance")


if __name__ == "__main__":
    main()
