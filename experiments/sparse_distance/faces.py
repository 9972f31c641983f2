#!/usr/bin/python3
"""Closeness of estimated Hamming distances between faces, against the number of landmarks.

As in S. Epstein, M. Betke, "The kernel semi-least squares method for sparse distance approximation", figures 4 and 5:
faces.py [umist|pie] prints a table and, with --plot FILE, draws it with the standard deviation over people. The paper
had 564 pictures of about 220 x 220 pixels (Sheffield, which is UMIST) and 20 x 78 pictures of 150 x 250 pixels (PIE);
these are 575 of 32 x 32 and 20 x 42 of 32 x 32, so numbers are not comparable, shapes are.
Builds bench/sparse_distance_faces.cpp, which leaves out one picture after another.
"""

import argparse
import csv
import io
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from command import ROOT, real_data

BUILD = ROOT / "build/bench"
SETS = {
    "umist": ["umist/umist575_32x32_images.npy", "umist/umist575_labels.npy", 10, 20],
    "pie": ["pie/pie2856_32x32_images.npy", "pie/pie2856_labels.npy", 30, 20],
}


def build():
    """The program, as bench/run builds its own."""
    configure = ["cmake", "--preset", "release", "-B", BUILD, "-DMERCER_BUILD_BENCH=ON", "-DMERCER_BUILD_TESTS=OFF"]
    for command in (configure, ["cmake", "--build", BUILD, "--target", "sparse_distance_faces"]):
        done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{done.stdout}{done.stderr}")
    return BUILD / "bench/sparse_distance_faces"


def measure(name):
    images, labels, most, people = SETS[name]
    files = [real_data(images), real_data(labels)]
    words = [build(), *files, most, people]
    done = subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True)
    curves = defaultdict(list)
    for row in csv.DictReader(io.StringIO(done.stdout)):
        curves[row["way"]].append((int(row["landmarks"]), float(row["closeness"]), float(row["deviation"])))
    return {way: sorted(points) for way, points in curves.items()}


def plot(curves, name, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2))
    for way in ("regression, greedy", "orthogonal, greedy", "Nystroem, pseudo-inverse", "Nystroem as printed"):
        m, closeness, deviation = zip(*curves[way])
        axes.errorbar(m, closeness, deviation, label=way.replace("oe", "ö"), capsize=2, linewidth=1)
    axes.set_ylim(-0.2, 1.02)
    axes.set_xlabel("landmarks")
    axes.set_ylabel("closeness")
    axes.set_title(f"Hamming distances between faces of one person, {name.upper()}")
    axes.legend(loc="center right")
    figure.tight_layout()
    figure.savefig(file, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", nargs="?", choices=SETS, default="umist")
    parser.add_argument("--plot", metavar="FILE")
    arguments = parser.parse_args()
    curves = measure(arguments.set)
    shown = [m for m in (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30) if m <= SETS[arguments.set][2]]
    print(f"{'closeness':<32}" + "".join(f"{m:>8}" for m in shown))
    for way, points in curves.items():
        values = {m: closeness for m, closeness, _ in points}
        print(f"{way:<32}" + "".join(f"{values[m]:8.3f}" for m in shown))
    if arguments.plot:
        plot(curves, arguments.set, arguments.plot)


if __name__ == "__main__":
    main()
