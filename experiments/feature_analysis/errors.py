#!/usr/bin/python3
"""Reconstruction error of ten features of a noisy circle, and the variance they have, over random circles.

Table 2 and figure 3 of X. Jiang, R. Snapp, Y. Motai, X. Zhu, "Accelerated kernel feature analysis", CVPR 2006: radius
8, noise 1, Gaussian kernel with sigma 4, delta 0.4. The paper has one circle of each size.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import QUICK, mercer, summary
from picture import plt, save

METHODS = {"KPCA": ["exact", "--components", 10], "ACKFA": ["ackfa", "--features", 10, "--delta", 0.4],
           "AKFA": ["akfa", "--features", 10], "SKFA": ["skfa", "--features", 10]}
SEEDS = {500: 3, 1000: 2} if QUICK else {500: 20, 1000: 20, 1500: 10, 2000: 10, 2500: 5, 3000: 5, 3500: 5}
PAPER = {500: (0.0525, 0.0950, 0.0702, 0.1193), 1000: (0.0584, 0.0996, 0.0789, 0.1305),
         1500: (0.0553, 0.0849, 0.0773, 0.1201), 2000: (0.0567, 0.0866, 0.0763, 0.1307),
         2500: (0.0564, 0.0837, 0.0772, 0.1433), 3000: (0.0569, 0.0853, 0.0781, 0.1328),
         3500: (0.0553, 0.0825, 0.0743, 0.1309)}


def errors(n, seed, folder):
    """Error and variance of the projections, for every method."""
    points = folder / "points.npy"
    mercer("generate", "circle", "-o", points, "--n", n, "--noise", 1, "--seed", seed)
    fits = [summary("fit", points, "-o", folder / "m.mercer", "--sigma", 4, "--method", *words)
            for words in METHODS.values()]
    return [(fit["reconstruction_error"], fit["total_variance"]["high"] / n - fit["reconstruction_error"])
            for fit in fits]


def draw(variances):
    figure, axis = plt.subplots(figsize=(6, 4))
    for name, values in zip(METHODS, np.transpose(list(variances.values()))):
        axis.plot(list(variances), values, "o-", label=name, markersize=4)
    axis.set(xlabel="points", ylabel="projection variance of 10 features")
    axis.legend()
    save(figure, "projection_variance.png", "feature_analysis")


def main():
    print("error, mean and standard deviation over circles (the paper's one circle); last the variance projected\n")
    print("| n | circles | " + " | ".join(METHODS) + " | variance |\n" + "|---" * (len(METHODS) + 3) + "|")
    variances = {}
    with tempfile.TemporaryDirectory() as folder:
        for n, seeds in SEEDS.items():
            table, projected = np.moveaxis([errors(n, seed, Path(folder)) for seed in range(1, seeds + 1)], 2, 0)
            variances[n] = projected.mean(axis=0)
            cells = [f"{mean:.4f} ± {deviation:.4f} ({paper:.4f})"
                     for mean, deviation, paper in zip(table.mean(axis=0), table.std(axis=0, ddof=1), PAPER[n])]
            projections = ", ".join(f"{v:.3f}" for v in variances[n])
            print(f"| {n} | {seeds} | " + " | ".join(cells) + f" | {projections} |", flush=True)
    draw(variances)


if __name__ == "__main__":
    main()
