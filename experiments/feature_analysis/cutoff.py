#!/usr/bin/python3
"""Time and error of ACKFA against the size of what it cuts off.

Figure 2 of X. Jiang, R. Snapp, Y. Motai, X. Zhu, "Accelerated kernel feature analysis", CVPR 2006: 1000 points of a
circle of radius 8 with noise 1, Gaussian kernel with sigma 4, 20 features, delta from 0.01 to 0.15. Times are the
`seconds` of the summary, the shortest over all circles and rounds; errors and features are means over the circles.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import QUICK, mercer, summary
from picture import plt, save

DELTAS = (0, 0.05, 0.15) if QUICK else (0, *np.round(np.arange(0.01, 0.2, 0.01), 2))
CIRCLES = 2 if QUICK else 20
ROUNDS = 1 if QUICK else 3  # in which every delta has its turn


def circle(folder, seed):
    points = folder / f"{seed}.npy"
    mercer("generate", "circle", "-o", points, "--n", 1000, "--noise", 1, "--seed", seed)
    return points


def fit(points, delta):
    """Without a cut where delta is 0."""
    method = ["ackfa", "--delta", delta] if delta else ["akfa"]
    model = points.with_suffix(".mercer")
    return summary("fit", points, "-o", model, "--sigma", 4, "--features", 20, "--method", *method)


def draw(table):
    deltas, times, errors, _ = np.transpose(table)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    for axis, values, title in zip(axes, (times, errors), ("milliseconds for 20 features", "reconstruction error")):
        axis.plot(deltas, values, "o-", markersize=4)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("δ")
        axis.set_ylim(bottom=0)
    save(figure, "cutoff.png", "feature_analysis")


def main():
    with tempfile.TemporaryDirectory() as folder:
        circles = [circle(Path(folder), seed) for seed in range(1, CIRCLES + 1)]
        rounds = [[[fit(points, delta) for points in circles] for delta in DELTAS] for _ in range(ROUNDS)]
    print("| δ | ms | error | features |\n|---|---|---|---|")
    table = []
    for delta, *fits in zip(DELTAS, *rounds):
        milliseconds = 1e3 * min(f["seconds"] for f in sum(fits, []))
        error, features = (np.mean([f[name] for f in fits[0]]) for name in ("reconstruction_error", "components"))
        table.append((delta, milliseconds, error, features))
        print(f"| {delta:.2f} | {milliseconds:.2f} | {error:.4f} | {features:.1f} |")
    draw(table)


if __name__ == "__main__":
    main()
