#!/usr/bin/python3
"""Abalone by parts: how large libraries become, and whether 1-nn classification suffers.

The experiment of T.-J. Chin, D. Suter, "Improving the speed of kernel PCA on large scale datasets", AVSS 2006: first
3,000 rows for training, the others to classify (rings above 10 or not), sigma = 2, 10 random blocks, mean square error
0.001, 99.99 % of the variance. The paper leaves the scaling open and the coding of the sex: here columns go to [-1, 1]
over all rows, and the sex is three columns.
"""

import csv
import gzip
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import mercer, real_data

TRAINING_ROWS = 3000
SEEDS = 20
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


def mean_square(summary):
    return summary.get("bounds", {}).get("mean_square_residual", {"value": 0})["value"]


def print_line(name, summaries, accuracies):
    sizes = [s["library_size"] for s in summaries]
    counts = [s["components"] for s in summaries]
    print(
        f"{name:<32} {np.mean(sizes):8.1f} {f'{min(sizes)}-{max(sizes)}':>10} {f'{min(counts)}-{max(counts)}':>8}"
        f" {np.mean([mean_square(s) for s in summaries]):9.2g} {np.mean(accuracies):7.4f} {np.std(accuracies):7.4f}"
        f" {np.median([s['seconds'] for s in summaries]):8.3f}"
    )


def main():
    path = real_data("abalone/abalone.data.gz")
    with tempfile.TemporaryDirectory() as name:
        trial = Trial(Path(name), *read_abalone(path))
        print(
            f"{'':<32} {'library':>8} {'range':>10} {'comps.':>8} {'mean sq.':>9} {'1-nn':>7} {'+-':>7}"
            f" {'seconds':>8}"
        )

        def over_seeds(label, seeds, *words, run=trial.fit):
            summaries, accuracies = [], []
            for seed in range(seeds):
                summaries.append(run(*words, "--seed", seed))
                accuracies.append(trial.accuracy())
            print_line(label, summaries, accuracies)
            return summaries

        merged = over_seeds(f"merged, {SEEDS} seeds", SEEDS, *MERGED)
        components = merged[0]["components"]
        count = ["--components", components]
        exact = trial.fit("--method", "exact", "--sigma", 2, *count)
        print_line("exact, as many components", [exact], [trial.accuracy()])
        for fewer in (25, 30):
            summary = trial.fit("--method", "exact", "--sigma", 2, "--components", fewer)
            print_line("exact, fewer components", [summary], [trial.accuracy()])
        over_seeds("reprojected, 3 seeds", 3, *BLOCKS, *count, "--refine", "reproject")
        over_seeds(f"two levels, {SEEDS} seeds", SEEDS, *BLOCKS, *count, "--refine", "two_level")
        over_seeds("two levels, sampled_best", SEEDS, *SAMPLED, *PARTS, *count)
        over_seeds("one block (greedy)", 1, "--method", "greedy", *LIBRARY, *count)
        for rule, seeds in (("sampled_best", SEEDS), ("max_residual", 1)):
            words = [*SAMPLED, "--pivot-rule", rule, "--block-size", 300, *count]
            over_seeds(f"stream, 10 blocks, {rule}", seeds, *words, run=trial.stream)
        words = ["--sigma", 2, "--mse", 1e-4, "--block-size", 300, *count]
        over_seeds("stream, sampled_best, mse .0001", SEEDS, *words, run=trial.stream)


if __name__ == "__main__":
    main()
