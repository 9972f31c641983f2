"""Approximations of kernel PCA by m centres: which options they are, what a fit costs and gives, and how far scores and
eigenvalues are from kernel PCA of all rows."""

import re
from dataclasses import dataclass

import numpy as np

from command import QUICK, mercer, real_data, summary

COMPONENTS = 5  # of eigen-embeddings

UNITS = {"s": 1, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "min": 60}


def options(method, centres):
    """Words of the command for a method of the paper with so many centres."""
    landmarks = ["landmarks", "--landmarks", centres, "--selection"]
    return {
        "uniform": ["paring", "--centers", centres],
        "Nyström": [*landmarks, "uniform", "--evaluation", "nystrom"],
        "weighted Nyström": [*landmarks, "kmeans", "--evaluation", "density_weighted"],
        "landmarks": [*landmarks, "rpcholesky"],
        "k-means": ["kmeans", "--centers", centres],
        "herding": ["herding", "--centers", centres],
    }[method]


@dataclass
class Fitted:
    centres: int
    eigenvalues: np.ndarray  # of the kernel matrix over the number of rows
    seconds: float


def fit(table, model, method, settings):
    """Fits `method`, a list of words, without centring as the paper does."""
    said = summary("fit", table, "-o", model, "--no-center", "--method", *method, *settings)
    return Fitted(said["library_size"], np.array(said["eigenvalues"]) / said["total_weight"], said["seconds"])


def scores(table, model, output, *words):
    """Scores of the rows, and the seconds that they took, reading and writing included."""
    said = mercer("transform", model, table, "-o", output, *words)
    number, unit = re.search(r" in ([\d.e+-]+) (\S+)$", said.strip()).groups()
    return np.load(output), float(number) * UNITS[unit]


def german():
    """All rows, and σ of the kernel exp(−r²/σ²)."""
    return np.loadtxt(real_data("german/german.data-numeric.gz"))[:, :-1], 30


def pendigits():
    rows = 600 if QUICK else 3500
    return np.loadtxt(real_data("pendigits/pendigits.tra.gz"), delimiter=",", max_rows=rows)[:, :-1], 120


EMBEDDED = {"german": german, "pendigits": pendigits}


def misaligned(exact, approximate):
    """What remains of the exact scores after the best linear map of the others."""
    best = np.linalg.lstsq(approximate, exact, rcond=None)[0]
    return np.linalg.norm(exact - approximate @ best)


class Embedding:
    """Kernel PCA of all rows of a table, with which others are compared."""

    def __init__(self, folder, points, sigma, *words):
        self.folder, self.points, self.words = folder, points, words
        self.settings = ["--gamma", 1 / sigma**2, "--components", COMPONENTS, *words]
        np.save(folder / "all.npy", points)
        fitted = fit(folder / "all.npy", folder / "all.mercer", ["exact"], self.settings)
        self.eigenvalues = fitted.eigenvalues
        self.scores = scores(folder / "all.npy", folder / "all.mercer", folder / "all_scores.npy", *words)[0]


class Split:
    """A random 80 % of the rows to fit on; the remaining 20 % are compared."""

    def __init__(self, embedding, number):
        self.embedding, self.number = embedding, number
        self.folder = embedding.folder / str(number)
        self.folder.mkdir()
        points = embedding.points
        order = np.random.default_rng(number).permutation(len(points))
        train, self.test = np.split(order, [len(points) * 4 // 5])
        np.save(self.folder / "train.npy", points[train])
        np.save(self.folder / "test.npy", points[self.test])

    def measure(self, method, words, ell=None):
        """One line of the results: what a method, a list of words, makes of this split."""
        model = self.folder / "model.mercer"
        fitted = fit(self.folder / "train.npy", model, words, [*self.embedding.settings, "--seed", self.number])
        z = scores(self.folder / "test.npy", model, self.folder / "z.npy", *self.embedding.words)[0]
        exact = self.embedding.scores[self.test]
        return {"run": self.number, "ell": ell, "method": method, "kept": fitted.centres, "fit": fitted.seconds,
                "embedding": misaligned(exact, z), "norm": np.linalg.norm(exact),
                "eigenvalues": np.linalg.norm(self.embedding.eigenvalues - fitted.eigenvalues)}
