"""mercer_python.py POINTS.npy GAMMA COMPONENTS THREADS: mercer's Python package, as a user of scikit-learn calls it."""

import sys

import mercer
import numpy
from adapter import serve

points = numpy.load(sys.argv[1])
gamma, components, threads = float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])


def fit():
    return mercer.KernelPCA(components, kernel="rbf", gamma=gamma, method="exact", n_jobs=threads).fit(points)


serve(f"mercer {mercer.__version__}", fit, lambda model: model.eigenvalues_.tolist())
