#!/usr/bin/python3
"""What the weights of centres gain: the part of the exact scores that no linear map of the reduced ones explains.

weights.py [TABLE]: a table whose last column is a label, with the kernel exp(-r^2 / s^2), s its median distance over
pairs of rows. Without one, 1,000 points of five clouds in 16 columns.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import mercer

COMPONENTS = 5


def lost(exact, reduced):
    fit = np.linalg.lstsq(reduced, exact, rcond=None)[0]
    return np.linalg.norm(exact - reduced @ fit) / np.linalg.norm(exact)


def median_distance(points):
    rows = points[:: max(1, len(points) // 500)]
    distances = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    return np.median(distances[np.triu_indices(len(rows), 1)])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if len(sys.argv) > 1:
            table, words = sys.argv[1], ["--label-column", "last"]
            points = np.loadtxt(table)[:, :-1]
        else:
            table, words = folder / "blobs.npy", []
            mercer("generate", "blobs", "-o", table, "--d", 16, "--n", 1000)
            points = np.load(table)
        words += ["--gamma", 1 / median_distance(points) ** 2, "--no-center", "--components", COMPONENTS, "-q"]
        scores = folder / "scores.npy"

        def fit(*more):
            mercer("fit", table, "-o", folder / "model.mercer", "--scores", scores, *words, *more)
            return np.load(scores)

        exact = fit("--method", "exact")
        print(f"{'':>4} " + " ".join(f"{how:>9}" for how in ("count", "nearest", "mmd", "operator")))
        for ell in (3, 4, 5):
            row = [lost(exact, fit("--method", "shadow", "--ell", ell, "--center-weights", how))
                   for how in ("count", "nearest", "mmd", "operator")]
            print(f"ℓ={ell:>2} " + " ".join(f"{value:9.4f}" for value in row))


if __name__ == "__main__":
    main()
