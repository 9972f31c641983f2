#!/usr/bin/python3
"""Centres of four reductions over the points they stand for, equally many of each.

The rivals that H. Kingravi, P. Vela, A. Gray, "Reduced set KPCA for improving the training and execution speed of
kernel machines", SDM 2013, compare with shadow covers.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import mercer, read_file
from picture import finish_panel, panels, save

GAMMA = 1.0
ELL = 3


def reduced_set(points, method, folder):
    """Centres and weights of a model: a centred one has the weights, over their sum, as its mean."""
    model = folder / "model.mercer"
    mercer("fit", points, "-o", model, "--method", method, "--gamma", GAMMA, "--ell", ELL, "-q")
    tensors = read_file(model)[1]
    return tensors["library"], tensors["mean_coefficients"]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        points_file = folder / "points.npy"
        mercer("generate", "moons", "-o", points_file, "--n", 4000, "--noise", 0.12, "--seed", 1)
        points = np.load(points_file)
        figure, axes = panels(4, (14, 3))
        for axis, method in zip(axes, ("shadow", "kmeans", "paring", "herding")):
            centers, shares = reduced_set(points_file, method, folder)
            axis.scatter(*points.T, s=1, color="0.75", linewidths=0)
            axis.scatter(*centers.T, s=4000 * shares, facecolors="none", edgecolors="tab:blue", linewidths=0.8)
            axis.scatter(*centers.T, s=3, color="tab:red", linewidths=0)
            finish_panel(axis, f"{method}: {len(centers)} centres")
        save(figure, "reduced_sets.png")


if __name__ == "__main__":
    main()
