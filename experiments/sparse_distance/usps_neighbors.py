#!/usr/bin/python3
"""Nearest neighbours of the USPS test digits among the training digits, from few measured distances.

For each distance: the share of all distances that exact 1-nn by bounds measures, checked against comparing all, and the
recall of the first neighbour when the c smallest estimates are measured. Hamming: pixels cut at 0; others: in [0, 1].
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import QUICK, summary
from usps import table

SCALED = ["--shift", 1, "--multiply", 0.5]
METRICS = {
    "hamming": ["--metric", "hamming", "--binarize", 0],
    "euclidean": ["--metric", "euclidean", *SCALED],
    "chi2": ["--metric", "chi2", *SCALED],
}
LANDMARKS = (16, 32) if QUICK else (16, 32, 64, 128)
RERANKED = (1, 10, 50, 100)


def pixels(path):
    return np.loadtxt(path, delimiter=",")[:, 1:]


def squared(metric, queries, items):
    if metric == "hamming":
        a, b = (queries > 0).astype(float), (items > 0).astype(float)
        return a @ (1 - b).T + (1 - a) @ b.T
    a, b = (queries + 1) / 2, (items + 1) / 2
    if metric == "euclidean":
        return ((a[:, None, :] - b[None]) ** 2).sum(-1)
    total = a[:, None, :] + b[None]
    return ((a[:, None, :] - b[None]) ** 2 / np.where(total > 0, total, 1)).sum(-1)


def true_distances(metric, queries, items):
    return np.vstack([squared(metric, block, items) for block in np.array_split(queries, len(queries) // 20)])


def main():
    with tempfile.TemporaryDirectory() as name:
        train, test = table("usps_train", Path(name), 600), table("usps_test", Path(name), 200)
        items, queries = pixels(train), pixels(test)
        rows = np.arange(len(queries))
        print("| distance | m | exact 1-nn measures | wrong | " + " | ".join(f"c = {c}" for c in RERANKED) +
              " | relative error | fit, s |\n" + "|---" * (6 + len(RERANKED)) + "|", flush=True)
        model, output = Path(name) / "m.mercer", Path(name) / "n.npy"
        for metric, words in METRICS.items():
            truth = true_distances(metric, queries, items)
            nearest = truth.min(axis=1)
            for m in LANDMARKS:
                fit = summary("distance", "fit", train, "-o", model, "--label-column", "first", "--landmarks", m,
                              "--selection", "greedy", *words)

                def query(*how):
                    return summary("distance", "query", model, test, "-o", output, "--neighbors", 1, *how)

                exact = query("--exact")
                # Equal to rounding: two programs sum in different orders.
                wrong = (truth[rows, np.load(output)[:, 0]] > nearest * (1 + 1e-12)).sum()
                recall = []
                for c in RERANKED:
                    query("--rerank", c)
                    recall.append((truth[rows, np.load(output)[:, 0]] <= nearest * (1 + 1e-12)).mean())
                print(f"| {metric} | {m} | {100 * exact['evaluation_share']:.2f} % | {wrong} | " +
                      " | ".join(f"{r:.3f}" for r in recall) +
                      f" | {fit['relative_error']:.4f} | {fit['seconds']:.1f} |", flush=True)
                if wrong:
                    raise SystemExit(f"{wrong} exact neighbours are not the nearest")


if __name__ == "__main__":
    main()
