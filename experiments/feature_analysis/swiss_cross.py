#!/usr/bin/python3
"""Rows of a swiss cross that AKFA and SKFA choose.

As figure 4 of X. Jiang, R. Snapp, Y. Motai, X. Zhu, "Accelerated kernel feature analysis", CVPR 2006: 1200 points,
noise of variance 1, 15 features. The size of the cross and the kernel are not given there; here 20 wide, sigma 4.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import QUICK, mercer, read_file, summary
from picture import finish_panel, panels, save


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        points_file, model = folder / "points.npy", folder / "m.mercer"
        mercer("generate", "swiss_cross", "-o", points_file, "--n", 400 if QUICK else 1200, "--noise", 1, "--seed", 1)
        points = np.load(points_file)
        figure, axes = panels(2, (9, 4.5))
        for axis, method in zip(axes, ("akfa", "skfa")):
            # With a sparse mean the library is the chosen rows, in their order.
            error = summary("fit", points_file, "-o", model, "--method", method, "--features", 15, "--sigma", 4,
                            "--projection", "sparse_mean")["reconstruction_error"]
            chosen = read_file(model)[1]["library"]
            axis.scatter(*points.T, s=3, color="0.75", linewidths=0)
            axis.scatter(*chosen.T, s=30, marker="D", facecolors="none", edgecolors="tab:red", linewidths=1)
            for i, (x, y) in enumerate(chosen):
                axis.annotate(i + 1, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=7)
            finish_panel(axis, f"{method.upper()}: 15 features leave {error:.3f}")
            print(f"{method}: error {error:.4f}, mean distance of the rows from the middle "
                  f"{np.abs(chosen).max(axis=1).mean():.2f}")
        save(figure, "feature_analysis.png")


if __name__ == "__main__":
    main()
