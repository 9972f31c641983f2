#!/usr/bin/python3
"""Time for ten features of a noisy circle, and how it grows with the number of points.

Table 1 and figure 1 of X. Jiang, R. Snapp, Y. Motai, X. Zhu, "Accelerated kernel feature analysis", CVPR 2006. Dense
kernel PCA is NumPy's eigh (LAPACK's dsyevd: all eigenvectors of the centred kernel matrix), SKFA also in its literal
form, O(l^2 n^2), which projects all images anew for each feature. Kernel matrices are part of all times; for mercer it
is the `seconds` of the summary, the best of five runs.
"""

import ctypes
import ctypes.util
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import QUICK, mercer, summary
from picture import plt, save

SIZES = (200, 400) if QUICK else range(500, 3501, 500)
RUNS = 1 if QUICK else 5
FEATURES, GAMMA = 10, 1 / 32
FITS = {"ACKFA": ["ackfa", "--features", FEATURES, "--delta", 0.4], "AKFA": ["akfa", "--features", FEATURES],
        "SKFA": ["skfa", "--features", FEATURES], "exact": ["exact", "--components", FEATURES]}
PAPER_SLOPES = {"dense": 3.03, "SKFA literal": 2.05, "AKFA": 2.00, "ACKFA": 2.01}


def centered_gram(points):
    squares = (points**2).sum(axis=1)
    gram = np.exp(-GAMMA * np.maximum(squares[:, None] + squares[None, :] - 2 * points @ points.T, 0))
    means = gram.mean(axis=0)
    return gram - means[:, None] - means[None, :] + means.mean()


def dense(points):
    values, _ = np.linalg.eigh(centered_gram(points))
    return values[:-FEATURES].sum() / len(points)


def skfa_literal(points):
    """Images less their projections on all features so far, in every step from the beginning: equation (9)."""
    gram = centered_gram(points)
    n = len(points)
    scores, features, rows = [], [], []  # a_t, coefficients of v_t in the images, idx
    for _ in range(FEATURES):
        products = gram.copy()  # <Phi_j^i, Phi_k>
        norms = np.ones(n)  # l1, of the coefficients of Phi_j^i in the images
        expansion = np.zeros((n, len(rows)))
        for score, feature in zip(scores, features):
            length2 = feature @ gram[np.ix_(rows[:len(feature)], rows[:len(feature)])] @ feature
            products -= np.outer(score, score) / length2
            expansion[:, :len(feature)] -= np.outer(score / length2, feature)
        norms += np.abs(expansion).sum(axis=1)
        diagonal = np.diag(products).copy()
        variance = (products**2).sum(axis=1) / norms**2
        variance[diagonal <= 1e-10] = 0
        j = int(np.argmax(variance))
        scores.append(products[j].copy())
        features.append(np.append(expansion[j], 1))
        rows.append(j)
    left = np.diag(gram).copy()
    for score, feature in zip(scores, features):
        left -= score**2 / (feature @ gram[np.ix_(rows[:len(feature)], rows[:len(feature)])] @ feature)
    return left.mean()


def timed(work, points):
    start = time.perf_counter()
    error = work(points)
    return time.perf_counter() - start, error


def blas_core():
    library = ctypes.CDLL(ctypes.util.find_library("openblas") or "libopenblas.so.0")
    library.openblas_get_corename.restype = ctypes.c_char_p
    return library.openblas_get_corename().decode()


def fitted(points, words, folder):
    runs = [summary("fit", points, "-o", folder / "m.mercer", "--gamma", GAMMA, "--method", *words)
            for _ in range(RUNS)]
    return min((run["seconds"], run["reconstruction_error"]) for run in runs)


def draw(names, table):
    figure, axis = plt.subplots(figsize=(6, 4))
    for name, seconds in zip(names, table.T):
        axis.loglog(SIZES, seconds, "o-", label=name, markersize=4)
    axis.set(xlabel="points", ylabel="seconds for 10 features")
    axis.legend(fontsize=8)
    save(figure, "times.png", "feature_analysis")


def main():
    try:
        print(f"BLAS core of the dense method: {blas_core()}")
    except OSError:
        print("BLAS of the dense method: not OpenBLAS")
    names = ["dense", "SKFA literal", *FITS]
    print("\nseconds\n\n| n | " + " | ".join(names) + " |\n" + "|---" * (len(names) + 1) + "|")
    table = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n in SIZES:
            path = folder / "points.npy"
            mercer("generate", "circle", "-o", path, "--n", n, "--noise", 1, "--seed", 1)
            points = np.load(path)
            runs = [timed(dense, points), timed(skfa_literal, points)]
            runs += [fitted(path, words, folder) for words in FITS.values()]
            if not np.allclose([runs[1][1], runs[0][1]], [runs[4][1], runs[5][1]], rtol=1e-6):
                raise SystemExit(f"n = {n}: literal SKFA or dense kernel PCA has another error than ours")
            table.append([seconds for seconds, _ in runs])
            print(f"| {n} | " + " | ".join(f"{seconds:.4f}" for seconds in table[-1]) + " |", flush=True)
    slopes = np.polyfit(np.log10(list(SIZES)), np.log10(table), 1)[0]
    print("| slope | " + " | ".join(f"{slope:.2f}" for slope in slopes) + " |")
    print("| the paper's | " + " | ".join(str(PAPER_SLOPES.get(name, "")) for name in names) + " |\n")
    ratios = table[-1][0] / np.array(table[-1])
    print(f"dense / method at n = {SIZES[-1]}: " + ", ".join(f"{n} {r:.1f}" for n, r in zip(names, ratios)) +
          " (the paper at 3500: ACKFA 293, AKFA 147, SKFA 2)")
    draw(names, np.array(table))


if __name__ == "__main__":
    main()
