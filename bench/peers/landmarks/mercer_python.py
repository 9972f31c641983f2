"""mercer_python.py POINTS.npy GAMMA COMPONENTS LANDMARKS THREADS: mercer's Python package, with uniform landmarks."""

import sys

import mercer
import numpy
from adapter import serve

points = numpy.load(sys.argv[1])
gamma, components, landmarks, threads = float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])


def fit():
    options = {"landmarks": landmarks, "selection": "uniform"}
    return mercer.KernelPCA(components, kernel="rbf", gamma=gamma, method="landmarks", method_options=options,
                            n_jobs=threads).fit(points)


serve(f"mercer {mercer.__version__}", fit, lambda model: model.eigenvalues_.tolist())
