#!/usr/bin/python3
"""Data, their shadow centres, the kernel density of the data and that of the centres.

Figure 1 of H. Kingravi, P. Vela, A. Gray, "Reduced set KPCA for improving the training and execution speed of kernel
machines", SDM 2013. Prints how far the densities are apart, beside the bound on that from the radius alone.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from scipy.spatial.distance import cdist

from command import QUICK, mercer, read_file
from picture import finish_panel, plt, save

SIGMA = 0.5
ELL = 3
ROWS = 300 if QUICK else 1500


def kernel(left, right):
    return np.exp(-cdist(left, right, "sqeuclidean") / SIGMA**2)


def first_cover(points, centers):
    """The earliest centre nearer to each point than the radius."""
    return (cdist(points, centers) < SIGMA / ELL).argmax(axis=1)


def grid(points, steps=120):
    low, high = points.min(axis=0) - 0.3, points.max(axis=0) + 0.3
    x, y = np.meshgrid(*(np.linspace(a, b, steps) for a, b in zip(low, high)))
    return x, y, np.column_stack([x.ravel(), y.ravel()])


def draw(points, centers, weights):
    figure, axes = plt.subplots(2, 2, figsize=(9, 6), sharex=True, sharey=True)
    colors = plt.get_cmap("tab20")(first_cover(points, centers) % 20)
    axes[0, 0].scatter(*points.T, s=4, c=colors, linewidths=0)
    finish_panel(axes[0, 0], f"{len(points)} points, coloured by shadow")
    axes[0, 1].scatter(*centers.T, s=3 * weights, c=plt.get_cmap("tab20")(np.arange(len(centers)) % 20), linewidths=0)
    finish_panel(axes[0, 1], f"{len(centers)} centres, area by weight")
    x, y, places = grid(points)
    full = kernel(places, points).mean(axis=1)
    reduced = kernel(places, centers) @ weights / weights.sum()
    levels = np.linspace(0, max(full.max(), reduced.max()), 12)
    for axis, density, title in ((axes[1, 0], full, "density of the points"),
                                 (axes[1, 1], reduced, "density of the centres")):
        axis.contourf(x, y, density.reshape(x.shape), levels=levels, cmap="viridis")
        finish_panel(axis, title)
    save(figure, "shadow_density.png")
    return np.abs(full - reduced).max(), full.max()


def main():
    with tempfile.TemporaryDirectory() as name:
        points_file, part = Path(name) / "points.npy", Path(name) / "cover.part"
        mercer("generate", "moons", "-o", points_file, "--n", ROWS, "--noise", 0.12, "--seed", 1)
        mercer("summarize", points_file, "--method", "shadow", "--gamma", 1 / SIGMA**2, "--ell", ELL, "-o", part, "-q")
        points, cover = np.load(points_file), read_file(part)[1]
        apart, highest = draw(points, cover["centers"], cover["weights"])
    bound = np.sqrt(2 * (1 - np.exp(-1 / ELL**2)))
    print(f"{len(cover['centers'])} centres for {len(points)} points; the densities differ by at most {apart:.4f} on "
          f"the grid (largest density {highest:.4f}, bound by the radius {bound:.4f})")


if __name__ == "__main__":
    main()
