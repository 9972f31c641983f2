"""USPS digits for the scripts here: tables, scores of models, nearest neighbours."""

import csv
import gzip
from itertools import islice

import numpy as np

from command import QUICK, mercer, real_data


def labels(path):
    with gzip.open(path, "rt") as file:
        return np.array([int(float(row[0])) for row in csv.reader(file)])


def table(name, folder, quick_rows):
    """A file of the digits; in the quick setting one of its first rows."""
    path = real_data(f"usps/{name}.csv.gz")
    if not QUICK:
        return path
    short = folder / f"{name}.csv.gz"
    with gzip.open(path, "rt") as lines, gzip.open(short, "wt") as output:
        output.writelines(islice(lines, quick_rows))
    return short


class Usps:
    """7,291 rows to fit on and 2,007 to classify; pixels in [-1, 1], labels in the first column."""

    def __init__(self, folder):
        self.folder = folder
        self.train = table("usps_train", folder, 600)
        self.test = table("usps_test", folder, 200)
        self.train_labels, self.test_labels = labels(self.train), labels(self.test)

    def scores(self, model):
        """Of the rows for training and of the others."""
        result = []
        for table in (self.train, self.test):
            mercer("transform", model, table, "-o", self.folder / "scores.npy", "-q")
            result.append(np.load(self.folder / "scores.npy"))
        return result

    def accuracy(self, known, asked, neighbours=3):
        """Share of the test rows classified right by a majority; among equals, by the nearest."""
        distances = (known**2).sum(axis=1) - 2 * asked @ known.T
        nearest = np.argpartition(distances, neighbours, axis=1)[:, :neighbours]
        order = np.take_along_axis(distances, nearest, axis=1).argsort(axis=1)
        votes = self.train_labels[np.take_along_axis(nearest, order, axis=1)]
        counts = (votes[:, :, None] == votes[:, None, :]).sum(axis=2)
        winners = np.take_along_axis(votes, counts.argmax(axis=1)[:, None], axis=1)[:, 0]
        return (winners == self.test_labels).mean()


def relative_error(scores, exact):
    return np.sqrt(((scores - exact) ** 2).sum() / (exact**2).sum())
