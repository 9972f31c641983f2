"""scikit_learn.py POINTS.npy GAMMA COMPONENTS LANDMARKS THREADS

What a user of scikit-learn combines to the same end: features from uniformly drawn landmarks, then PCA
of these features.
"""

import sys

import numpy
import sklearn
from adapter import serve
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import Nystroem

points = numpy.load(sys.argv[1])
gamma, components, landmarks = float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])


def fit():
    features = Nystroem(kernel="rbf", gamma=gamma, n_components=landmarks, random_state=0).fit_transform(points)
    return PCA(components, random_state=0).fit(features)


serve(
    f"scikit-learn {sklearn.__version__}",
    fit,
    lambda model: (model.explained_variance_ * (len(points) - 1)).tolist(),
)
