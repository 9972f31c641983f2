#!/usr/bin/python3
"""Writes landmarks/circle240.txt: landmarks of the points of exact/circle240.txt drawn by randomly pivoted
Cholesky, and Nystrom kernel PCA with rows 0 to 19 as landmarks. An independent prototype printed the
numbers, typed in below.

Before it writes, the script recomputes each number with NumPy and refuses a disagreement.
"""

from pathlib import Path

import numpy as np
from golden_text import uniforms, write
from make_exact import circle_points, distances, require

FOLDER = Path(__file__).parent / "landmarks"
SOURCE = "Made by make_landmarks.py; see README.md."
SEED = 2024
GAMMA = 1 / 32
LANDMARKS = 20

# Proposals per round (None: one draw at a time), pivots in order, pivots taken by each round, and the
# residual trace over the trace.
DRAWS = {
    "simple_10": (
        None, [149, 23, 71, 28, 198, 132, 32, 140, 38, 100], None, 0.19467735567185282),
    "simple_30": (
        None,
        [149, 23, 71, 28, 198, 132, 32, 140, 38, 100, 108, 199, 196, 154, 34, 160, 237, 80, 186, 103,
         111, 156, 61, 96, 171, 214, 84, 217, 41, 44],
        None, 0.0035815055358318945),
    "accelerated_10": (
        8, [149, 23, 71, 27, 132, 32, 143, 237, 79, 118], [7, 3], 0.14461105796048682),
    "accelerated_30": (
        16,
        [149, 23, 71, 27, 199, 132, 32, 143, 84, 44, 1, 161, 93, 102, 141, 114, 79, 206, 123, 186, 73,
         190, 205, 30, 41, 83, 92, 231, 229, 36],
        [8, 7, 6, 6, 3], 0.002265344469630093),
}

NYSTROM = {
    "unit": {
        "eigenvalues": [40.90465584472581, 40.37720191381952, 26.53599830746038, 26.068192014774525,
                        13.667017141715192, 13.592579567273923, 6.135071656071976, 5.679458267178634,
                        2.7018490713538657, 2.2301676652788593],
        "residual_trace": 5.44852362388286,
        "total_upper": 192.65274250758074,
        "change_10_20_of_4": 0.13075125891291137,
        "absolute_new_scores": [0.09782649083457748, 0.5577231742341922, 0.020719668393892745,
                                0.38578416151120626],
    },
    "weighted": {
        "eigenvalues": [82.4655522435476, 80.54877510693095, 53.088832600375184, 52.208954753251454,
                        27.349793703443453, 27.088340547088745, 12.25062609677833, 11.179942609695486,
                        5.316985226784454, 4.4220954656781615],
        "residual_trace": 10.687434330771044,
        "total_upper": 384.97585376798776,
        "change_10_20_of_4": 0.1293107876897422,
        "absolute_new_scores": [0.1525209394121456, 0.5448586927730126, 0.02995126818616542,
                                0.38690614335062745],
    },
}


def draw(masses, u):
    cumulative = np.cumsum(masses)
    return int(np.searchsorted(cumulative, u * cumulative[-1], side="right"))


def take(gram, pivots, j):
    """The next column of the factor given the pivots before, by elimination of the whole matrix."""
    column = gram[:, j] / np.sqrt(gram[j, j])
    column[pivots] = 0
    return gram - np.outer(column, column)


def pivots_by_rejection(gram, count, block):
    """Randomly pivoted Cholesky; with a block each round draws its proposals first, then as many chances."""
    trace, position, random = np.trace(gram), 0, uniforms(SEED, 10000)
    residual, pivots, rounds = gram.copy(), [], []
    while len(pivots) < count:
        stale = np.maximum(np.diag(residual), 0)
        stale[pivots] = 0
        size = block or 1
        proposals = [draw(stale, u) for u in random[position : position + size]]
        position += size
        chances = np.zeros(size)
        if block:
            chances = random[position : position + size]
            position += size
        before = len(pivots)
        for j, chance in zip(proposals, chances):
            now = residual[j, j]
            if len(pivots) < count and j not in pivots and now > 1e-10 and chance * stale[j] < now:
                residual = take(residual, pivots, j)
                pivots.append(j)
        rounds.append(len(pivots) - before)
    left = np.maximum(np.diag(residual), 0)
    left[pivots] = 0
    return pivots, rounds, left.sum() / trace


def nystrom(points, new, weights):
    """Everything from the coordinates of the rows themselves, and the change from their score vectors."""
    kernel = lambda x, y: np.exp(-GAMMA * distances(x, y) ** 2)
    marks = points[:LANDMARKS]
    factor = np.linalg.cholesky(kernel(marks, marks))
    z = np.linalg.solve(factor, kernel(marks, points)).T
    z_new = np.linalg.solve(factor, kernel(marks, new)).T
    total = weights.sum()
    mean = weights @ z / total
    roots = np.sqrt(weights)[:, None]

    def decompose(size):
        left, values, right = np.linalg.svd(roots * (z - mean)[:, :size], full_matrices=False)
        return left, values**2, right

    left, values, right = decompose(LANDMARKS)
    cosines = np.linalg.svd(decompose(LANDMARKS // 2)[0][:, :4].T @ left[:, :4])[1]
    return {
        "eigenvalues": values[:10],
        "residual_trace": weights @ (1 - (z**2).sum(axis=1)),
        "total_upper": total - total * mean @ mean,
        "change_10_20_of_4": np.sqrt(1 - cosines[-1] ** 2),
        "absolute_new_scores": np.abs((z_new - mean) @ right[:4].T)[0],
    }


def main():
    points = circle_points()
    gram = np.exp(-GAMMA * distances(points, points) ** 2)
    matrices = {"seed": SEED, "gamma": GAMMA}
    for name, (block, pivots, rounds, fraction) in DRAWS.items():
        computed_pivots, computed_rounds, computed_fraction = pivots_by_rejection(gram, len(pivots), block)
        require(f"{name} pivots", pivots, computed_pivots, 0)
        require(f"{name} residual fraction", fraction, computed_fraction, 1e-11)
        matrices[f"{name}.pivots"] = pivots
        if block:
            require(f"{name} rounds", rounds, computed_rounds, 0)
            matrices |= {f"{name}.block": block, f"{name}.rounds": rounds}
        matrices[f"{name}.residual_fraction"] = fraction
    for name, typed in NYSTROM.items():
        weights = np.ones(240) if name == "unit" else 1.0 + np.arange(240) % 3
        computed = nystrom(points, np.array([[5.0, -3.0]]), weights)
        for quantity, value in typed.items():
            require(f"{name} {quantity}", value, computed[quantity], 1e-10)
            matrices[f"{name}.{quantity}"] = value
    write(FOLDER / "circle240.txt", [SOURCE, "The points are those of exact/circle240.txt."], matrices)


if __name__ == "__main__":
    main()
