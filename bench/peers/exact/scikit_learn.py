"""scikit_learn.py POINTS.npy GAMMA COMPONENTS THREADS SOLVER

THREADS reaches the BLAS through its environment variables. n_jobs stays at its default: with two jobs
the Gram matrix takes longer.
"""

import sys

import numpy
import sklearn
from adapter import serve
from sklearn.decomposition import KernelPCA

points = numpy.load(sys.argv[1])
gamma, components, solver = float(sys.argv[2]), int(sys.argv[3]), sys.argv[5]


def fit():
    return KernelPCA(components, kernel="rbf", gamma=gamma, eigen_solver=solver, random_state=0).fit(points)


serve(f"scikit-learn {sklearn.__version__}", fit, lambda model: model.eigenvalues_.tolist())
