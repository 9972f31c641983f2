#!/usr/bin/python3
"""Exact kernel PCA of randomly projected USPS digits: dimensions against kernel error and 3-nn classification.

The maps of D. Achlioptas, F. McSherry, B. Schoelkopf, "Sampling techniques for kernel methods", NIPS 2001: random signs
and their sparse form, and the two that the paper argues from, coordinates and coordinates after a rotation. Means over
five seeds. The kernel error is the root mean square over pairs of test rows, at the scale that the median of the
distances gives for the rows themselves.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import mercer, read_file
from usps import Usps

SEEDS = 5


def gaussian(points, gamma):
    squares = (points**2).sum(axis=1)
    return np.exp(-gamma * np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        usps = Usps(folder)
        model = folder / "model.mercer"
        words = ["--label-column", "first", "--method", "exact", "--components", 20]

        def fit(*more):
            return json.loads(mercer("fit", usps.train, "-o", model, "--json", "-", *words, *more))

        plain = fit()
        gamma = plain["kernel"]["parameters"]["gamma"]
        pixels = np.loadtxt(usps.test, delimiter=",")[:, 1:]
        exact = gaussian(pixels, gamma)
        print(f"256 columns: 3-nn {usps.accuracy(*usps.scores(model)):.4f}")
        print(f"{'map':<12} {'columns':>7} {'kernel error':>12} {'3-nn':>7} {'lowest':>7}")
        for dimensions in (16, 32, 64, 128):
            for how in ("signs", "sparse", "rotated", "coordinates"):
                errors, accuracies = [], []
                for seed in range(SEEDS):
                    fit("--gamma", gamma, "--project-dim", dimensions, "--project-map", how, "--seed", seed)
                    projection = read_file(model)[1]["input_projection"]
                    errors.append(np.sqrt(((gaussian(pixels @ projection, gamma) - exact) ** 2).mean()))
                    accuracies.append(usps.accuracy(*usps.scores(model)))
                print(f"{how:<12} {dimensions:7} {np.mean(errors):12.4f} {np.mean(accuracies):7.4f}"
                      f" {min(accuracies):7.4f}", flush=True)


if __name__ == "__main__":
    main()
