#!/usr/bin/python3
"""Nearest neighbours among the scores of few centres: figures 4, 5, 6 (c, d), 7 and 8.

classification.py [NAME...]: usps, yale (default both). H. Kingravi, P. Vela, A. Gray, "Reduced set KPCA for improving
the training and execution speed of kernel machines", SDM 2013. Ten folds, three neighbours. Training counts the scores
of the rows that were fitted too, because the neighbours are searched among them. Times are the best over the folds.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

from command import QUICK, output_folder, real_data
from few_centres import fit, options, scores
from picture import plt, save

FOLDS = 2 if QUICK else 10
ELLS = (3.0, 5.0) if QUICK else (3.0, 3.5, 4.0, 4.5, 5.0)
NEIGHBOURS = 3
# The rivals of figures 4 and 5, and the other choices of centres of figures 7 and 8; uniform is in both.
RIVALS = ("uniform", "Nyström", "weighted Nyström", "k-means", "herding")


def usps():
    """All 9,298 digits with pixels from 0 to 1, σ and the components."""
    files = [np.loadtxt(real_data(f"usps/usps_{part}.csv.gz"), delimiter=",") for part in ("train", "test")]
    table = np.vstack(files)
    return (table[:, 1:] + 1) / 2, table[:, 0], 18, 15


def yale():
    """2,414 faces of 38 people with pixels from 0 to 1, σ and the components."""
    images = np.load(real_data("extyaleb/extyaleb_32x32_images.npy"))
    return images.reshape(len(images), -1) / 255, np.load(real_data("extyaleb/extyaleb_labels.npy")), 17, 10


def shuffled(points, labels):
    order = np.random.default_rng(0).permutation(len(points))[: 500 if QUICK else None]
    return points[order], labels[order]


class Fold:
    """Rows to fit on and rows to classify."""

    def __init__(self, folder, points, labels, settings, number):
        self.folder = folder / str(number)
        self.folder.mkdir()
        self.number, self.labels = number, labels
        self.settings = [*settings, "--seed", number]
        self.test = np.arange(len(points)) % FOLDS == number
        np.save(self.folder / "train.npy", points[~self.test])
        np.save(self.folder / "all.npy", points)

    def measure(self, method, words, ell=None):
        """One line of the results."""
        model = self.folder / "model.mercer"
        fitted = fit(self.folder / "train.npy", model, words, self.settings)
        z, seconds = scores(self.folder / "all.npy", model, self.folder / "z.npy")
        classifier = KNeighborsClassifier(NEIGHBOURS).fit(z[~self.test], self.labels[~self.test])
        share = self.test.mean()
        return {"fold": self.number, "ell": ell, "method": method, "kept": fitted.centres,
                "accuracy": classifier.score(z[self.test], self.labels[self.test]), "fit": fitted.seconds,
                "training": fitted.seconds + (1 - share) * seconds, "testing": share * seconds}


def measure(points, labels, settings):
    """All lines of a data set; rivals get the mean number of the shadows' centres at each ℓ."""
    with tempfile.TemporaryDirectory() as name:
        folds = [Fold(Path(name), points, labels, settings, number) for number in range(FOLDS)]
        lines = [fold.measure("exact", ["exact"]) for fold in folds]
        for ell in ELLS:
            shadows = [fold.measure("shadow", ["shadow", "--ell", ell], ell) for fold in folds]
            centres = round(np.mean([line["kept"] for line in shadows]))
            lines += shadows + [fold.measure(method, options(method, centres), ell)
                                for method in RIVALS for fold in folds]
        return pd.DataFrame(lines)


def print_cells(results, rows, what, cell):
    """A table with a cell for every ℓ and method."""
    methods = ("shadow", *RIVALS)
    print(f"\n{what}\n\n| ℓ | centres | " + " | ".join(methods) + " |\n" + "|---" * (len(methods) + 2) + "|")
    for ell in ELLS:
        parts = [results[(results.ell == ell) & (results.method == method)] for method in methods]
        kept = parts[0].kept.mean()
        print(f"| {ell} | {kept:.0f} ({kept / rows:.1%}) | " + " | ".join(map(cell, parts)) + " |")


def print_tables(results, rows):
    exact = results[results.method == "exact"]
    print_cells(results, rows, f"accuracy, %; exact {100 * exact.accuracy.mean():.2f} ± {100 * exact.accuracy.std():.2f}",
                lambda part: f"{100 * part.accuracy.mean():.2f} ± {100 * part.accuracy.std():.2f}")
    for column, what in (("training", "fit and scores of the fitted rows"), ("fit", "fit alone"),
                         ("testing", "scores of the other rows")):
        time = exact[column].min()
        print_cells(results, rows, f"{what}: exact {1e3 * time:.3g} ms, times faster than it",
                    lambda part: f"{time / part[column].min():.2f}")


def draw(results, rows, name):
    figure, axes = plt.subplots(1, 4, figsize=(16, 3.6))
    exact = results[results.method == "exact"]
    for method in ("shadow", *RIVALS):
        by_ell = results[results.method == method].groupby("ell")
        axes[0].plot(ELLS, 100 * by_ell.accuracy.mean(), marker=".", label=method)
        axes[1].plot(ELLS, exact.training.min() / by_ell.training.min(), marker=".")
        axes[2].plot(ELLS, exact.testing.min() / by_ell.testing.min(), marker=".")
    axes[0].axhline(100 * exact.accuracy.mean(), color="0.5", linestyle=":", label="exact")
    axes[3].plot(ELLS, 100 * results[results.method == "shadow"].groupby("ell").kept.mean() / rows, marker=".")
    for axis, title in zip(axes, ("accuracy, %", "training, times faster than exact",
                                  "test, times faster than exact", "rows kept by shadow, %")):
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("ℓ")
    axes[0].legend(fontsize=8)
    save(figure, name, "reduced_set")


def main():
    sets = {"usps": usps, "yale": yale}
    for name in sys.argv[1:] or sets:
        points, labels, sigma, components = sets[name]()
        points, labels = shuffled(points, labels)
        results = measure(points, labels, ["--gamma", 1 / sigma**2, "--components", components])
        results.to_csv(output_folder("reduced_set") / f"classification_{name}.csv", index=False)
        rows = len(points) - len(points) // FOLDS
        print(f"\n## {name}: {len(points)} x {points.shape[1]}, σ = {sigma}, {components} components, {FOLDS} folds")
        print_tables(results, rows)
        draw(results, rows, f"classification_{name}.png")


if __name__ == "__main__":
    main()
