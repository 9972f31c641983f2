#!/usr/bin/python3
"""Writes exact/circle240.txt and exact/g1.txt: two data sets given by formulas, with numbers of exact
kernel PCA that an independent prototype printed (to the digits it printed), typed in below.

Before it writes, the script recomputes each number with NumPy and refuses a disagreement.
"""

from pathlib import Path

import numpy as np
from golden_text import uniforms, write

FOLDER = Path(__file__).parent / "exact"
SOURCE = "Made by make_exact.py; see README.md."

CIRCLE_NEW = [[5, -3], [0, 0]]
CIRCLE = {
    "sum_of_gram": 11396.3795153256,
    "trace_of_centered_gram": 192.5150853528,
    "eigenvalues": [41.0215636258, 40.5365935484, 26.6208338519, 26.2685899232, 13.8579885620,
                    13.6900339649, 6.1931750767, 5.8978893232, 2.9752030581, 2.4022949263],
    # (trace - sum of the first eigenvalues) / n
    "reconstruction_error_5": 0.184206316006,
    "reconstruction_error_10": 0.054378831218,
    "absolute_new_scores": [[0.1060652631, 0.5659020906, 0.1095594058, 0.3780492829],
                            [0.0043555148, 0.0001546364, 0.0087762296, 0.0043910284]],
}

G1_NEW = [[0.5, 0.5]]
# Kernel: gamma, then uncentred and centred eigenvalues / n and absolute scores of (0.5, 0.5).
G1 = {
    "gaussian_narrow": (
        4.0,
        [.42175008095, .191701155238, .162184258572, .0739922451859, .0439124343959],
        [.9006753454, .05920477935, .02494758535, .02710544118, .2646821348],
        [.191931993357, .162236287069, .0739967183622, .0616254657068, .0429510338834],
        [.03052057916, .03856231088, .01811020535, .5212395794, .0922252753],
    ),
    "gaussian_wide": (
        2.0,
        [.593056081595, .166356174671, .14425351231, .0400631567329, .0212086705763],
        [.9635149268, .03388445798, .01783089497, .009307291164, .1418381449],
        [.166475595972, .144259215964, .0400870452176, .0324122489948, .0204616258718],
        [.02001139996, .02087660656, .00813549388, .3425542085, .0543228291],
    ),
    "laplacian": (
        2.0,
        [.403173917219, .121272046978, .103528618421, .0480703875095, .0346317140353],
        [.7788108116, .04307497427, .02332632064, .02884436951, .383551564],
        [.121355820532, .103550293105, .0480753933381, .0410618762997, .0314925303558],
        [.03073447606, .02983102565, .03795855707, .4346136178, .1046525124],
    ),
}


def circle_points():
    i = np.arange(240.0)
    turn = 0.6180339887498949 * i
    t = 2 * np.pi * (turn - np.floor(turn))
    rho = 8 + 1.3 * np.sin(1.7 * i + 0.3) + 0.6 * np.cos((0.37 * i) * i)
    return np.column_stack([rho * np.cos(t), rho * np.sin(t)])


def distances(x, y):
    return np.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))


def kernel_pca(gram, new_gram, center):
    """All eigenvalues, and absolute scores of the new points."""
    offset = np.zeros(len(gram))
    if center:
        offset = gram.mean(axis=0)
        gram = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    eigenvalues, vectors = np.linalg.eigh(gram)
    eigenvalues, vectors = eigenvalues[::-1][:20], vectors[:, ::-1][:, :20]
    return eigenvalues, np.abs((new_gram - offset) @ vectors / np.sqrt(eigenvalues))


def require(name, typed, computed, tolerance):
    typed = np.asarray(typed)
    worst = np.max(np.abs(typed - np.asarray(computed)))
    if worst > tolerance:
        raise SystemExit(f"{name}: typed and computed numbers differ by {worst:g}")


def circle():
    points, new, gamma = circle_points(), np.array(CIRCLE_NEW, float), 1 / (2 * 4.0**2)
    gram = np.exp(-gamma * distances(points, points) ** 2)
    eigenvalues, scores = kernel_pca(gram, np.exp(-gamma * distances(new, points) ** 2), center=True)
    trace = np.trace(gram) - gram.sum() / 240
    require("circle240 sum", CIRCLE["sum_of_gram"], gram.sum(), 1e-9)
    require("circle240 trace", CIRCLE["trace_of_centered_gram"], trace, 1e-9)
    require("circle240 eigenvalues", CIRCLE["eigenvalues"], eigenvalues[:10], 1e-9)
    for kept in (5, 10):
        name = f"reconstruction_error_{kept}"
        require(f"circle240 {name}", CIRCLE[name], (trace - eigenvalues[:kept].sum()) / 240, 1e-11)
    require("circle240 scores", CIRCLE["absolute_new_scores"], scores[:, :4], 1e-9)
    write(FOLDER / "circle240.txt", [SOURCE, "Gaussian kernel, sigma = 4, centred."],
          {"gamma": gamma, "train": points, "new": new} | CIRCLE)


def g1():
    points, new = uniforms(42, 600).reshape(300, 2), np.array(G1_NEW)
    matrices = {"train": points, "new": new}
    for name, (gamma, *typed) in G1.items():
        power = 1 if name == "laplacian" else 2
        gram = np.exp(-gamma * distances(points, points) ** power)
        new_gram = np.exp(-gamma * distances(new, points) ** power)
        matrices[f"{name}.gamma"] = gamma
        for center, form in ((False, "uncentered"), (True, "centered")):
            eigenvalues, scores = kernel_pca(gram, new_gram, center)
            typed_eigenvalues, typed_scores = typed[2 * center : 2 * center + 2]
            require(f"g1 {name} {form} eigenvalues", typed_eigenvalues, eigenvalues[:5] / 300, 1e-11)
            require(f"g1 {name} {form} scores", typed_scores, scores[0, :5], 1e-9)
            matrices[f"{name}.{form}_eigenvalues_over_n"] = typed_eigenvalues
            matrices[f"{name}.{form}_absolute_new_scores"] = typed_scores
    write(FOLDER / "g1.txt", [SOURCE, "Uniform points of the unit square, splitmix64 seed 42."], matrices)


if __name__ == "__main__":
    circle()
    g1()
