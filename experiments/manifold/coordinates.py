#!/usr/bin/python3
"""A swiss roll in its first diffusion coordinates, and two moons cut in two, both from shadow covers.

R. Coifman, S. Lafon, "Diffusion maps", 2006; J. Shi, J. Malik, "Normalized cuts and image segmentation", 2000.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import matplotlib.pyplot as plt
import numpy as np

from command import QUICK, mercer, read_file
from picture import finish_panel, panels, save

POINTS = 3000 if QUICK else 20000


def diffusion_picture(folder):
    points_file, scores_file, model = (folder / name for name in ("roll.npy", "z.npy", "roll.mercer"))
    mercer("generate", "swiss_roll", "-o", points_file, "--n", POINTS, "--noise", 0.05, "--seed", 1)
    mercer("fit", points_file, "-o", model, "--method", "diffusion_maps", "--reduce", "shadow", "--gamma", 0.5,
           "--ell", 1, "--components", 2, "--scores", scores_file, "-q")
    points, scores = np.load(points_file), np.load(scores_file)
    centers = read_file(model)[1]["library"]
    figure, axes = plt.subplots(1, 2, figsize=(11, 4))
    axes[0].scatter(points[:, 0], points[:, 2], s=1, c=scores[:, 0], linewidths=0)
    axes[0].scatter(1.06 * centers[:, 0], 1.06 * centers[:, 2], s=2, color="tab:red", linewidths=0)
    finish_panel(axes[0], f"{len(points)} points from the side, {len(centers)} centres in red, moved outwards")
    axes[1].scatter(*scores.T, s=1, c=scores[:, 0], linewidths=0)
    axes[1].set_title("their first two diffusion coordinates", fontsize=10)
    save(figure, "diffusion_maps.png")


def cut_picture(folder):
    points_file, labels_file = folder / "moons.npy", folder / "labels.txt"
    mercer("generate", "moons", "-o", points_file, "--n", POINTS, "--noise", 0.1, "--seed", 1)
    figure, axes = panels(2, (11, 3))
    points = np.load(points_file)
    for axis, gamma in zip(axes, (2, 60)):
        model = folder / "moons.mercer"
        mercer("fit", points_file, "-o", model, "--method", "normalized_cut", "--clusters", 2, "--gamma", gamma,
               "--ell", 2, "--labels-out", labels_file, "-q")
        centers = read_file(model)[1]["library"]
        axis.scatter(*points.T, s=1, c=np.loadtxt(labels_file), cmap="coolwarm", linewidths=0)
        axis.scatter(*centers.T, s=4, color="black", linewidths=0)
        finish_panel(axis, f"γ = {gamma}, {len(centers)} centres")
    save(figure, "normalized_cut.png")


def main():
    with tempfile.TemporaryDirectory() as name:
        diffusion_picture(Path(name))
        cut_picture(Path(name))


if __name__ == "__main__":
    main()
