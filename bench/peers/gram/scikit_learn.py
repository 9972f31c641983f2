"""scikit_learn.py POINTS.npy GAMMA THREADS"""

import sys

import numpy
import sklearn
from adapter import serve
from sklearn.metrics.pairwise import rbf_kernel

points = numpy.load(sys.argv[1])
gamma = float(sys.argv[2])
rows = numpy.arange(len(points))
columns = (31 * rows + 7) % len(points)

serve(
    f"scikit-learn {sklearn.__version__}",
    lambda: rbf_kernel(points, gamma=gamma),
    lambda gram: gram[rows, columns].tolist(),
)
