"""Kernel PCA that is fast enough to use.

The estimators behave as scikit-learn's do; the work is done by the C++ library mercer, whose model files they read and
write. See https://scikit-learn.org/stable/developers/develop.html for what that means, and `KernelPCA` to begin with.
"""

from ._feature_analysis import FeatureAnalysis
from ._files import load, save
from ._incremental import IncrementalKernelPCA
from ._kernel_pca import KernelPCA
from ._manifold import DiffusionMaps, LaplacianEigenmaps
from ._native import (
    DataError,
    Distances,
    Error,
    FileError,
    InvalidArgument,
    MemoryLimitError,
    Model,
    NoVariation,
    NumericalError,
    Stream,
    version,
)
from ._nystroem import Nystroem
from ._reduced_set import ReducedSetKernelPCA
from ._sparse_distance import SparseDistance
from ._summary import Summary

__version__ = version()

__all__ = [
    "DataError",
    "DiffusionMaps",
    "Distances",
    "Error",
    "FeatureAnalysis",
    "FileError",
    "IncrementalKernelPCA",
    "InvalidArgument",
    "KernelPCA",
    "LaplacianEigenmaps",
    "MemoryLimitError",
    "Model",
    "NoVariation",
    "NumericalError",
    "Nystroem",
    "ReducedSetKernelPCA",
    "SparseDistance",
    "Stream",
    "Summary",
    "load",
    "save",
]
