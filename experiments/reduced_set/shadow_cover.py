#!/usr/bin/python3
"""Centres of shadow covers over the points they stand for, for three radii.

As figure 1 of H. Kingravi, P. Vela, A. Gray, "Reduced set KPCA for improving the training and execution speed of
kernel machines", SDM 2013, which shows it for one.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import mercer, read_file
from picture import finish_panel, panels, save

GAMMA = 1.0


def cover(points, ell, folder):
    part = folder / "cover.part"
    mercer("summarize", points, "--method", "shadow", "--gamma", GAMMA, "--ell", ell, "-o", part, "-q")
    return read_file(part)[1]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        points_file = folder / "points.npy"
        mercer("generate", "moons", "-o", points_file, "--n", 4000, "--noise", 0.12, "--seed", 1)
        points = np.load(points_file)
        figure, axes = panels(3, (12, 3.6))
        for axis, ell in zip(axes, (2, 3, 4)):
            tensors = cover(points_file, ell, folder)
            centers, weights = tensors["centers"], tensors["weights"]
            axis.scatter(*points.T, s=1, color="0.75", linewidths=0)
            axis.scatter(*centers.T, s=weights * 1.5, facecolors="none", edgecolors="tab:blue", linewidths=0.8)
            axis.scatter(*centers.T, s=3, color="tab:red", linewidths=0)
            finish_panel(axis, f"ℓ = {ell}: {len(centers)} centres for {len(points)} points")
        save(figure, "shadow_cover.png")


if __name__ == "__main__":
    main()
