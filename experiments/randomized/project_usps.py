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

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from command import QUICK, mercer, output_folder, read_file
from usps import Usps

SEEDS = 1 if QUICK else 5
DIMENSIONS = (16, 64) if QUICK else (16, 32, 64, 128)
MAPS = ("signs", "sparse", "rotated", "coordinates")


def gaussian(points, gamma):
    squares = (points**2).sum(axis=1)
    return np.exp(-gamma * np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0))


def draw(curves, whole):
    figure, axes = plt.subplots(1, 2, figsize=(10, 4))
    for how, points in curves.items():
        for axis, values in zip(axes, zip(*points)):
            axis.plot(DIMENSIONS, values, "o-", label=how, markersize=4)
    axes[1].axhline(whole, color="0.5", linestyle=":", label="all 256 columns")
    for axis, name in zip(axes, ("root mean square error of kernel values", "3-nn accuracy")):
        axis.set(xscale="log", xlabel="dimensions", ylabel=name, xticks=DIMENSIONS)
        axis.set_xticklabels(DIMENSIONS)
        axis.minorticks_off()
        axis.legend(fontsize=8)
    figure.tight_layout()
    output = output_folder("randomized") / "projection.png"
    figure.savefig(output, dpi=110)
    print(output)


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
        whole = usps.accuracy(*usps.scores(model))
        print(f"256 columns: 3-nn {whole:.4f}\n\n| S | map | kernel error | 3-nn | lowest |\n|---|---|---|---|---|")
        curves = {how: [] for how in MAPS}
        for dimensions in DIMENSIONS:
            for how in MAPS:
                errors, accuracies = [], []
                for seed in range(SEEDS):
                    fit("--gamma", gamma, "--project-dim", dimensions, "--project-map", how, "--seed", seed)
                    projection = read_file(model)[1]["input_projection"]
                    errors.append(np.sqrt(((gaussian(pixels @ projection, gamma) - exact) ** 2).mean()))
                    accuracies.append(usps.accuracy(*usps.scores(model)))
                curves[how].append((np.mean(errors), np.mean(accuracies)))
                print(f"| {dimensions} | {how} | {np.mean(errors):.4f} | {np.mean(accuracies):.4f}"
                      f" | {min(accuracies):.4f} |", flush=True)
        draw(curves, whole)


if __name__ == "__main__":
    main()
