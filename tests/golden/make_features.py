#!/usr/bin/python3
"""Writes features/circle240.txt: kernel feature analysis (AKFA, ACKFA, SKFA) of the points of exact/circle240.txt.
An independent prototype printed the numbers, typed in below.

Before it writes, the script recomputes each number with NumPy, by elimination of the whole centred matrix, and
refuses a disagreement.
"""

from pathlib import Path

import numpy as np
from golden_text import write
from make_exact import circle_points, distances, require

FOLDER = Path(__file__).parent / "features"
SOURCE = "Made by make_features.py; see README.md."
GAMMA = 1 / 32

GOLDEN = {
    "akfa.rows": [2, 225, 46, 166, 118, 96, 205, 175, 79, 144],
    "akfa.error": 0.076754410275,
    "akfa.gains": [0.1239125586, 0.1271449982, 0.1185471681, 0.1042880764, 0.0735192801,
                   0.0540328916, 0.0460361506, 0.0357418357, 0.0284958787, 0.0136729407],
    "akfa.new_scores": [-0.2304376755, 0.0747084764, -0.2699473866, -0.3629249100],
    "akfa.coefficients_01_11": [0.1236751905, 1.1371889447],
    "uncentered.rows": [87, 2, 216, 55, 35, 20, 183, 37, 140, 31],
    "uncentered.error": 0.089978812638,
    "ackfa_0.1.rows": [2, 225, 46, 166, 118, 96, 205, 175, 79, 0],
    "ackfa_0.1.error": 0.077049982122,
    "ackfa_0.4.rows": [2, 135, 225, 111, 118, 185, 137, 141, 38],
    "ackfa_0.4.error": 0.104530324817,
    "skfa.rows": [235, 5, 177, 229, 220, 90, 215, 41, 230, 34],
    "skfa.error": 0.109541529921,
}


def features(gram, count, delta=0.0, sparse=False):
    """Rows, gains, the mean of what is left, and the coefficients of the features in the rows."""
    n = len(gram)
    left, active, rows, gains = gram.copy(), np.ones(n, bool), [], []
    expansion = np.eye(n)  # row j: coefficients of what is left of row j in all rows
    coefficients = []
    while len(rows) < count:
        diagonal = np.diag(left).copy()
        diagonal[rows] = 0
        active &= diagonal >= delta
        eligible = np.flatnonzero(active & (diagonal > 1e-10))
        if len(eligible) == 0:
            break
        energy = (left[np.ix_(active, eligible)] ** 2).sum(axis=0)
        score = energy / (np.abs(expansion[eligible]).sum(axis=1) ** 2 if sparse else diagonal[eligible])
        j = int(eligible[np.argmax(score)])
        direction = expansion[j] / np.sqrt(left[j, j])
        column = left[:, j] / np.sqrt(left[j, j])
        coefficients.append(direction)
        rows.append(j)
        gains.append((column**2).mean())
        expansion = expansion - np.outer(column, direction)
        left = left - np.outer(column, column)
    diagonal = np.maximum(np.diag(left), 0)
    diagonal[rows] = 0
    return rows, gains, diagonal.mean(), np.array(coefficients)


def compute():
    points, new = circle_points(), np.array([[5.0, -3.0]])
    gram = np.exp(-GAMMA * distances(points, points) ** 2)
    means, mean = gram.mean(axis=0), gram.mean()
    centred = gram - means[:, None] - means[None, :] + mean
    values = np.exp(-GAMMA * distances(new, points) ** 2)[0]
    centred_values = values - values.mean() - means + mean
    rows, gains, error, coefficients = features(centred, 10)
    out = {"akfa.rows": rows, "akfa.gains": gains, "akfa.error": error,
           "akfa.new_scores": (coefficients @ centred_values)[:4],
           "akfa.coefficients_01_11": coefficients[1][rows[:2]]}
    for name, matrix, count, options in (("uncentered", gram, 10, {}),
                                         ("ackfa_0.1", centred, 10, {"delta": 0.1}),
                                         ("ackfa_0.4", centred, 30, {"delta": 0.4}),
                                         ("skfa", centred, 10, {"sparse": True})):
        rows, _, error, _ = features(matrix, count, **options)
        out |= {f"{name}.rows": rows, f"{name}.error": error}
    return out


def main():
    computed = compute()
    for name, typed in GOLDEN.items():
        require(name, typed, computed[name], 1e-9)
    FOLDER.mkdir(exist_ok=True)
    write(FOLDER / "circle240.txt", [SOURCE, "The points are those of exact/circle240.txt."], {"gamma": GAMMA} | GOLDEN)


if __name__ == "__main__":
    main()
