"""scikit_learn.py POINTS.npy NEW_POINTS.npy GAMMA COMPONENTS THREADS"""

import sys

import numpy
import sklearn
from adapter import serve
from sklearn.decomposition import KernelPCA

points, new_points = numpy.load(sys.argv[1]), numpy.load(sys.argv[2])
gamma, components = float(sys.argv[3]), int(sys.argv[4])
model = KernelPCA(components, kernel="rbf", gamma=gamma, eigen_solver="arpack", random_state=0).fit(points)

serve(
    f"scikit-learn {sklearn.__version__}",
    lambda: model.transform(new_points),
    lambda scores: scores[::97].ravel().tolist(),
)
