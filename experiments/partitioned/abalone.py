#!/usr/bin/python3
"""Abalone by parts: how large libraries become, and whether 1-nn classification suffers.

The experiment of T.-J. Chin, D. Suter, "Improving the speed of kernel PCA on large scale datasets", AVSS 2006: first
3,000 rows for training, the others to classify (rings above 10 or not), sigma = 2, 10 random blocks, mean square error
0.001, 99.99 % of the variance. The paper leaves the scaling open and the coding of the sex: here columns go to [-1, 1]
over all rows, and the sex is three columns. The first table has the five methods of figures 1 and 2; the paper took the
times of the last two from elsewhere, here they are measured. The second has other ways to use blocks.
"""

import csv
import gzip
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import QUICK, mercer, real_data

TRAINING_ROWS = 3000
SEEDS = 2 if QUICK else 20
SAMPLED = ["--sigma", 2, "--mse", 0.001]
LIBRARY = [*SAMPLED, "--pivot-rule", "max_residual"]
PARTS = ["--blocks", 10, "--partition", "random"]
BLOCKS = [*LIBRARY, *PARTS]
MERGED = [*BLOCKS, "--refine", "none", "--deflate", 0.9999, "--retain", 1]


def read_abalone(path):
    with gzip.open(path, "rt") as file:
        rows = list(csv.reader(file))
    sexes = sorted({row[0] for row in rows})
    points = np.array([[float(row[0] == sex) for sex in sexes] + [float(x) for x in row[1:-1]] for row in rows])
    low, high = points.min(axis=0), points.max(axis=0)
    return 2 * (points - low) / (high - low) - 1, np.array([int(row[-1]) > 10 for row in rows])


class Trial:
    """Fits on the training rows, judged by the others."""

    def __init__(self, folder, points, labels):
        self.model = folder / "model.mercer"
        self.train, self.test = folder / "train.npy", folder / "test.npy"
        self.labels = labels
        np.save(self.train, points[:TRAINING_ROWS])
        np.save(self.test, points[TRAINING_ROWS:])

    def fit(self, *words):
        """The summary of a fit."""
        return json.loads(mercer("fit", self.train, "-o", self.model, "--json", "-", *words))

    def stream(self, *words):
        state = self.model.with_suffix(".stream")
        state.unlink(missing_ok=True)
        words = [state, self.train, "--start", "--model", self.model, "--json", "-", *words]
        summary = json.loads(mercer("update", *words))
        summary["seconds"] = sum(phase["seconds"] for phase in summary["phases"])  # the rows too, not the model alone
        return summary

    def accuracy(self):
        """Share of the other rows whose nearest training row has their label."""
        scores = []
        for table in (self.train, self.test):
            mercer("transform", self.model, table, "-o", self.model.with_suffix(".npy"), "-q")
            scores.append(np.load(self.model.with_suffix(".npy")))
        known, asked = scores
        products = asked @ known.T
        nearest = ((known**2).sum(axis=1) - 2 * products).argmin(axis=1)
        return (self.labels[:TRAINING_ROWS][nearest] == self.labels[TRAINING_ROWS:]).mean()


def mean_square(summaries):
    """Of the rows' distances from the span of the library, where a method says it."""
    known = [s["bounds"]["mean_square_residual"]["value"] for s in summaries if "mean_square_residual" in s.get("bounds", {})]
    return f"{np.mean(known):.1g}" if known else ""


def print_header(title):
    print(f"| {title} | seeds | library | components | mean square | 1-nn | s |\n" + "|---" * 7 + "|")


def print_line(name, summaries, accuracies):
    sizes = [s["library_size"] for s in summaries]
    counts = [s["components"] for s in summaries]
    print(
        f"| {name} | {len(summaries)} | {np.mean(sizes):.1f} ({min(sizes)}-{max(sizes)}) | {min(counts)}-{max(counts)} |"
        f" {mean_square(summaries)} | {np.mean(accuracies):.4f} +- {np.std(accuracies):.4f} |"
        f" {np.median([s['seconds'] for s in summaries]):.3f} |",
        flush=True,
    )


def over_seeds(trial, label, seeds, *words, run=None):
    """A line of a table; gives the summaries of the fits."""
    summaries, accuracies = [], []
    for seed in range(seeds):
        summaries.append((run or trial.fit)(*words, "--seed", seed))
        accuracies.append(trial.accuracy())
    print_line(label, summaries, accuracies)
    return summaries


def five_methods(trial):
    """The paper's comparison; gives the number of components for the other table."""
    print_header("the paper's five methods")
    merged = over_seeds(trial, "mult-GKPCA: blocks merged", SEEDS, *MERGED)
    size, components = merged[0]["library_size"], merged[0]["components"]
    same = ["--sigma", 2, "--components", components]
    over_seeds(trial, "KPCA: dense", 1, *same, "--method", "exact", "--solver", "dense")
    over_seeds(trial, "KPCA: only these components", 1, *same, "--method", "exact")
    greedy = ["--method", "greedy", "--pivot-rule", "max_residual", "--max-library", size]
    over_seeds(trial, "full-GKPCA: greedy, as many vectors", 1, *same, *greedy)
    over_seeds(trial, "Kronecker", 1, *same, "--method", "kronecker")
    nystrom = ["--landmarks", size, "--selection", "uniform", "--evaluation", "nystrom"]
    over_seeds(trial, "Nyström, as many uniform landmarks", SEEDS, *same, *nystrom)
    return components


def other_ways(trial, components):
    print_header("other ways")
    count = ["--components", components]
    for fewer in (25, 30):
        over_seeds(trial, "exact, fewer components", 1, "--method", "exact", "--sigma", 2, "--components", fewer)
    over_seeds(trial, "reprojected", min(SEEDS, 3), *BLOCKS, *count, "--refine", "reproject")
    over_seeds(trial, "two levels", SEEDS, *BLOCKS, *count, "--refine", "two_level")
    over_seeds(trial, "two levels, sampled_best", SEEDS, *SAMPLED, *PARTS, *count)
    over_seeds(trial, "one block: greedy", 1, "--method", "greedy", *LIBRARY, *count)
    for rule, seeds in (("sampled_best", SEEDS), ("max_residual", 1)):
        words = [*SAMPLED, "--pivot-rule", rule, "--block-size", 300, *count]
        over_seeds(trial, f"stream, 10 blocks, {rule}", seeds, *words, run=trial.stream)
    words = ["--sigma", 2, "--mse", 1e-4, "--block-size", 300, *count]
    over_seeds(trial, "stream, sampled_best, mse .0001", SEEDS, *words, run=trial.stream)


def main():
    path = real_data("abalone/abalone.data.gz")
    with tempfile.TemporaryDirectory() as name:
        trial = Trial(Path(name), *read_abalone(path))
        components = five_methods(trial)
        print()
        other_ways(trial, components)


if __name__ == "__main__":
    main()
