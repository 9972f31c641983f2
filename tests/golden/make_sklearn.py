#!/usr/bin/python3
"""Records what scikit-learn's KernelPCA (dense solver) says for every kernel that it shares with mercer.

Writes sklearn/<kernel>.txt beside itself; README.md lists what the files hold. Run it only to record
anew: the files are committed, so that the tests need no Python.
"""

from pathlib import Path

import numpy as np
import sklearn
from golden_text import uniforms, write
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process.kernels import Matern, RationalQuadratic
from sklearn.metrics.pairwise import additive_chi2_kernel, pairwise_kernels

FOLDER = Path(__file__).parent / "sklearn"
N, N_NEW, D = 60, 15, 4
N_PRECOMPUTED = 20
MAX_COMPONENTS = 8
# Components nearer than this (relative to the first eigenvalue) to a neighbour are left out: their
# eigenvectors are not determined well enough to compare numbers.
MIN_GAP = 1e-4


def ordinary_points(seed, rows):
    """Columns of different spread, and means far enough from 0 to notice a wrong shift."""
    points = (2 * uniforms(seed, rows * D).reshape(rows, D) - 1) * [1, 2, 0.5, 1.5] + [0, 3, -1, 0.5]
    return np.round(points, 4)


def histograms(seed, rows):
    """Non-negative, a fifth of the entries zero."""
    draws = uniforms(seed, rows * D).reshape(rows, D)
    return np.round(np.maximum(draws - 0.2, 0), 4)


def with_special_rows(points):
    points[7] = 0  # no direction for cosine, 0/0 for chi2
    points[11] = points[3]  # a duplicate
    return points


def chi2(x, y):
    # 2xy/(x+y) = (x+y)/2 - (x-y)^2/(2(x+y)), and additive_chi2_kernel is -sum (x-y)^2/(x+y).
    return (x.sum(axis=1)[:, None] + y.sum(axis=1)[None, :] + additive_chi2_kernel(x, y)) / 2


def named(metric, **parameters):
    return lambda x, y: pairwise_kernels(x, y, metric=metric, **parameters)


# mercer's name: its parameters, the kernel in scikit-learn's words, and whether it needs histograms.
KERNELS = {
    "gaussian": ({"gamma": 0.3}, named("rbf", gamma=0.3), False),
    "laplacian": ({"gamma": 0.5}, Matern(length_scale=1 / 0.5, nu=0.5), False),
    "laplacian_l1": ({"gamma": 0.3}, named("laplacian", gamma=0.3), False),
    "matern32": ({"length": 1.5}, Matern(length_scale=1.5, nu=1.5), False),
    "matern52": ({"length": 1.5}, Matern(length_scale=1.5, nu=2.5), False),
    "rational_quadratic": (
        {"length": 1.2, "alpha": 0.7},
        RationalQuadratic(length_scale=1.2, alpha=0.7),
        False,
    ),
    "polynomial": (
        {"gamma": 0.5, "degree": 3, "coef0": 1},
        named("poly", gamma=0.5, degree=3, coef0=1),
        False,
    ),
    "linear": ({}, named("linear"), False),
    "cosine": ({}, named("cosine"), False),
    "sigmoid": ({"gamma": 0.05, "coef0": 0.2}, named("sigmoid", gamma=0.05, coef0=0.2), False),
    "chi2": ({}, chi2, True),
    "exponential_chi2": ({"gamma": 0.6}, named("chi2", gamma=0.6), True),
}


def well_separated(eigenvalues):
    """Indices of the leading components that keep MIN_GAP to both neighbours."""
    gaps = -np.diff(eigenvalues) / eigenvalues[0]
    before = np.append(np.inf, gaps)
    after = np.append(gaps, 0)
    return np.flatnonzero((before > MIN_GAP) & (after > MIN_GAP))[:MAX_COMPONENTS]


def recorded(eigenvalues, train_scores, new_scores):
    kept = well_separated(eigenvalues)
    return {
        "eigenvalues": eigenvalues[: kept[-1] + 1],
        "component": kept,
        "train_scores": train_scores[:, kept],
        "new_scores": new_scores[:, kept],
    }


def centered(gram, new_gram):
    model = KernelPCA(n_components=N_PRECOMPUTED - 2, kernel="precomputed", eigen_solver="dense")
    train_scores = model.fit_transform(gram)
    return recorded(model.eigenvalues_, train_scores, model.transform(new_gram))


def uncentered(gram, new_gram):
    """scikit-learn always centres; without centring the definition is a plain eigenproblem."""
    eigenvalues, vectors = np.linalg.eigh(gram)
    eigenvalues, vectors = eigenvalues[::-1], vectors[:, ::-1]
    used = eigenvalues > 1e-10 * eigenvalues[0]
    eigenvalues, vectors = eigenvalues[used], vectors[:, used]
    return recorded(eigenvalues, vectors * np.sqrt(eigenvalues), new_gram @ vectors / np.sqrt(eigenvalues))


def main():
    versions = f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}"
    made = f"Made by make_sklearn.py with {versions}; see README.md."
    ordinary = with_special_rows(ordinary_points(seed=101, rows=N)), ordinary_points(seed=102, rows=N_NEW)
    non_negative = with_special_rows(histograms(seed=103, rows=N)), histograms(seed=104, rows=N_NEW)

    for name, (parameters, kernel, needs_histograms) in KERNELS.items():
        train, new = non_negative if needs_histograms else ordinary
        points = {"train": train, "new": new}
        gram, new_gram = kernel(train, train), kernel(new, train)
        results = centered(gram, new_gram)
        write(FOLDER / f"{name}.txt", [made], parameters | {"centered": 1} | points | results)
        if name == "gaussian":
            results = uncentered(gram, new_gram)
            comments = [made, "Not centred: numpy.linalg.eigh of the Gram matrix itself."]
            write(FOLDER / f"{name}_uncentered.txt", comments,
                  parameters | {"centered": 0} | points | results)

    kernel = KERNELS["matern52"][1]
    train, new = ordinary[0][:N_PRECOMPUTED], ordinary[1]
    gram, new_gram = kernel(train, train), kernel(new, train)
    comments = [made, "train and new are kernel values (Matern 5/2, length 1.5), not points."]
    write(FOLDER / "precomputed.txt", comments,
          {"centered": 1, "train": gram, "new": new_gram} | centered(gram, new_gram))


if __name__ == "__main__":
    main()
