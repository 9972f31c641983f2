#!/usr/bin/python3
"""Writes greedy/circle240.txt: greedy kernel PCA of the points of exact/circle240.txt as a whole, and of four
blocks of them (rows i with the same i mod 4) that are merged. An independent prototype printed the numbers,
typed in below.

Before it writes, the script recomputes each number with NumPy and refuses a disagreement. It works with the
features themselves (K = F F^T by eigenvectors), where a merge is a sum of scatter matrices.
"""

from pathlib import Path

import numpy as np
from golden_text import write
from make_exact import circle_points, distances, require

FOLDER = Path(__file__).parent / "greedy"
SOURCE = "Made by make_greedy.py; see README.md."
GAMMA = 1 / 32

GOLDEN = {
    "max_residual.size": 35,
    "max_residual.pivots": [0, 38, 108, 104, 230, 145, 215, 232, 95, 154],
    "max_residual.mse": 0.000958838359,
    "max_residual.mse_10": 0.183522560111,
    "max_residual.variances": [41.016587561, 40.526423900, 26.609411506, 26.264907504, 13.849841056],
    "max_residual.absolute_new_scores": [0.109294466, 0.565538125, 0.113147757],
    "best.size": 35,
    "best.pivots": [87, 2, 216, 55, 35, 20, 183, 37, 140, 31],
    "best.mse": 0.000902102016,
    "best.mse_10": 0.089978812638,
    "blocks.size": [22, 20, 21, 21],
    "blocks.mse": [0.008849303, 0.009790247, 0.008456708, 0.006993326],
    "merged.variances": [40.940449025, 40.405428962, 26.500448323, 26.140268100, 13.673418974],
    "merged.total": 190.557469423,
    "merged.absolute_new_scores": [0.091979673, 0.570093280, 0.102617322],
    "merged.product_with_mean": 0.2116823568,
    "chain_0.999.components": 26,
    "chain_0.999.total": 190.171251093,
    "chain_0.999.lost": 0.386218331,
    "tree_0.999.components": 27,
    "tree_0.999.total": 190.223632443,
    "tree_0.999.lost": 0.333836980,
    "chain_12.variances": [40.939534585, 40.404265631, 26.499117282],
    "chain_12.lost": 8.929652199,
    "reprojected.variances": [41.021562432, 40.536587975, 26.620830567, 26.268584742, 13.857984013],
    "reprojected.mse": 6.843e-07,
    "two_level.size": 24,
    "two_level.mse": 1.054953e-02,
}


def pivots_of(gram, rule, target):
    """Pivots, and the mean of the residuals after each of them, by elimination of the whole matrix."""
    residual, pivots, means = gram.copy(), [], []
    while not means or means[-1] > target:
        diagonal = np.diag(residual).copy()
        diagonal[pivots] = 0
        score = diagonal
        if rule == "best":
            eligible = diagonal > 1e-10
            score = np.where(eligible, (residual**2).sum(axis=0) / np.where(eligible, diagonal, 1), 0)
        j = int(np.argmax(score))
        residual = residual - np.outer(residual[:, j], residual[j]) / residual[j, j]
        pivots.append(j)
        left = np.maximum(np.diag(residual), 0)
        left[pivots] = 0
        means.append(left.mean())
    return pivots, means


def projected(features, library):
    """Features of all rows, projected on the span of the library's."""
    basis = np.linalg.qr(features[library].T)[0]
    return features @ basis @ basis.T


def model(features):
    """Count, mean and scatter, the scatter by its root."""
    mean = features.mean(axis=0)
    return len(features), mean, features - mean


def deflated(root, keep=None, most=None):
    left, values, right = np.linalg.svd(root, full_matrices=False)
    variances = values**2
    count = len(values)
    if keep is not None:
        count = int(np.searchsorted(np.cumsum(variances), keep * variances.sum())) + 1
    if most is not None:
        count = min(count, most)
    return values[:count, None] * right[:count], variances[count:].sum()


def merge(first, second, **deflation):
    (n1, mean1, root1), (n2, mean2, root2) = first, second
    n = n1 + n2
    root = np.vstack([root1, root2, np.sqrt(n1 * n2 / n) * (mean1 - mean2)])
    root, lost = deflated(root, **deflation)
    return (n, (n1 * mean1 + n2 * mean2) / n, root), lost


def variances_of(root):
    return np.linalg.svd(root)[1] ** 2


def compute():
    points, new = circle_points(), np.array([[5.0, -3.0]])
    gram = np.exp(-GAMMA * distances(points, points) ** 2)
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-13
    features = vectors[:, kept] * np.sqrt(values[kept])
    new_features = (np.exp(-GAMMA * distances(new, points) ** 2) @ vectors[:, kept] / np.sqrt(values[kept]))[0]

    def scores(mean, root, count):
        return np.abs(np.linalg.svd(root)[2][:count] @ (new_features - mean))

    out = {}
    for rule in ("max_residual", "best"):
        pivots, means = pivots_of(gram, rule, 1e-3)
        out |= {f"{rule}.size": len(pivots), f"{rule}.pivots": pivots[:10], f"{rule}.mse": means[-1],
                f"{rule}.mse_10": means[9]}
        if rule == "max_residual":
            _, mean, root = model(projected(features, pivots))
            out |= {f"{rule}.variances": variances_of(root)[:5],
                    f"{rule}.absolute_new_scores": scores(mean, root, 3)}
    rows = [np.arange(b, 240, 4) for b in range(4)]
    choices = [pivots_of(gram[np.ix_(r, r)], "max_residual", 1e-2) for r in rows]
    libraries = [r[pivots] for r, (pivots, _) in zip(rows, choices)]
    out["blocks.size"] = [len(library) for library in libraries]
    out["blocks.mse"] = [means[-1] for _, means in choices]
    blocks = [model(projected(features, library)[r]) for r, library in zip(rows, libraries)]

    def chain(**deflation):
        n, mean, root = blocks[0]
        root, lost = deflated(root, **deflation)
        merged = (n, mean, root)
        for n, mean, root in blocks[1:]:
            root, dropped = deflated(root, **deflation)
            lost += dropped
            merged, dropped = merge(merged, (n, mean, root), **deflation)
            lost += dropped
        return merged, lost

    def tree(**deflation):
        level, lost = [], 0
        for n, mean, root in blocks:
            root, dropped = deflated(root, **deflation)
            lost += dropped
            level.append((n, mean, root))
        while len(level) > 1:
            pairs = [merge(level[i], level[i + 1], **deflation) for i in range(0, len(level), 2)]
            lost += sum(dropped for _, dropped in pairs)
            level = [merged for merged, _ in pairs]
        return level[0], lost

    (_, mean, root), _ = chain()
    out |= {"merged.variances": variances_of(root)[:5], "merged.total": variances_of(root).sum(),
            "merged.absolute_new_scores": scores(mean, root, 3), "merged.product_with_mean": new_features @ mean}
    for name, shape in (("chain", chain), ("tree", tree)):
        (_, _, root), lost = shape(keep=0.999)
        out |= {f"{name}_0.999.components": len(root), f"{name}_0.999.total": variances_of(root).sum(),
                f"{name}_0.999.lost": lost}
    (_, _, root), lost = chain(most=12)
    out |= {"chain_12.variances": variances_of(root)[:3], "chain_12.lost": lost}

    union = np.concatenate(libraries)
    for name, library in (("reprojected", union),
                          ("two_level", union[pivots_of(gram[np.ix_(union, union)], "max_residual", 1e-2)[0]])):
        seen = projected(features, library)
        out[f"{name}.mse"] = 1 - (seen**2).sum() / 240
        out[f"{name}.size"] = len(library)
        out[f"{name}.variances"] = variances_of(model(seen)[2])[:5]
    return points, out


def main():
    _, computed = compute()
    for name, typed in GOLDEN.items():
        require(name, typed, computed[name], 1e-8)
    write(FOLDER / "circle240.txt", [SOURCE, "The points are those of exact/circle240.txt."],
          {"gamma": GAMMA} | GOLDEN)


if __name__ == "__main__":
    main()
