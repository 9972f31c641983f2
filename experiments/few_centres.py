"""Approximations of kernel PCA by m centres, for the scripts here: which options they are, what a fit costs and gives."""

import json
import re
from dataclasses import dataclass

import numpy as np

from command import mercer

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
    summary = json.loads(mercer("fit", table, "-o", model, "--json", "-", "--no-center", "--method", *method, *settings))
    return Fitted(summary["library_size"], np.array(summary["eigenvalues"]) / summary["total_weight"],
                  summary["seconds"])


def scores(table, model, output, *words):
    """Scores of the rows, and the seconds that they took, reading and writing included."""
    said = mercer("transform", model, table, "-o", output, *words)
    number, unit = re.search(r" in ([\d.e+-]+) (\S+)$", said.strip()).groups()
    return np.load(output), float(number) * UNITS[unit]
