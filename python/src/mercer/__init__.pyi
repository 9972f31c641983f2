"""What type checkers see of the estimators; tests/test_stubs.py holds it against the code."""

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from typing_extensions import Self

from ._native import (
    DataError as DataError,
    Distances as Distances,
    Error as Error,
    FileError as FileError,
    InvalidArgument as InvalidArgument,
    MemoryLimitError as MemoryLimitError,
    Model as Model,
    NoVariation as NoVariation,
    NumericalError as NumericalError,
    Stream as Stream,
)

Rows = ArrayLike | scipy.sparse.spmatrix
Floats = NDArray[np.float64]
Path = str | PathLike[str]
Kernel = Callable[..., float]

__version__: str
__all__: list[str]

class Summary(dict[str, Any]):
    def brief(self) -> str: ...

def load(path: Path, kernel: Kernel | None = None) -> Model | Stream | Distances: ...
def save(fitted: Any, path: Path) -> None: ...

class KernelPCA(TransformerMixin, BaseEstimator):
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    summary_: Summary
    eigenvalues_: Floats
    eigenvectors_: Floats
    X_fit_: NDArray[Any]
    dual_coef_: Floats
    X_transformed_fit_: Floats
    explained_variance_ratio_: Floats
    residual_trace_fraction_: float
    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        kernel: str | Kernel = "linear",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: int | str = "auto",
        remove_zero_eig: bool = False,
        random_state: int | np.random.RandomState | None = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
        method: str = "auto",
        method_options: dict[str, Any] | None = None,
        center: bool = True,
        precision: str = "double",
        memory_limit: int | None = None,
        progress: bool | Callable[[str, float, int, int], None] = False,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = None, sample_weight: NDArray[np.float64] | None = None) -> Self: ...
    def fit_transform(self, X: Rows, y: Any = None, sample_weight: NDArray[np.float64] | None = None) -> NDArray[Any]: ...
    def transform(self, X: Rows) -> NDArray[Any]: ...
    def inverse_transform(self, X: Rows) -> NDArray[Any]: ...
    def reconstruct(self, X: Rows, method: str = "mika", **options: Any) -> Floats: ...
    def save(self, path: Path) -> None: ...

class Nystroem(TransformerMixin, BaseEstimator):
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    summary_: Summary
    components_: Rows
    component_indices_: NDArray[np.int64]
    normalization_: Floats
    def __init__(
        self,
        kernel: str | Kernel = "rbf",
        *,
        gamma: float | str | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        selection: str = "uniform",
        memory_limit: int | None = None,
        progress: bool | Callable[[str, float, int, int], None] = False,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = None) -> Self: ...
    def transform(self, X: Rows) -> NDArray[Any]: ...
    def save(self, path: Path) -> None: ...

class IncrementalKernelPCA(TransformerMixin, BaseEstimator):
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    summary_: Summary
    eigenvalues_: Floats
    n_samples_seen_: int
    def __init__(
        self,
        n_components: int = 10,
        *,
        batch_size: int = 2000,
        mse: float | None = None,
        library_limit: int = 2000,
        kernel: str | Kernel = "rbf",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        center: bool = True,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        progress: bool | Callable[[str, float, int, int], None] = False,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = None, sample_weight: NDArray[np.float64] | None = None) -> Self: ...
    def partial_fit(self, X: Rows, y: Any = None, sample_weight: NDArray[np.float64] | None = None) -> Self: ...
    def transform(self, X: Rows) -> NDArray[Any]: ...
    def save(self, path: Path) -> None: ...

class ReducedSetKernelPCA(TransformerMixin, BaseEstimator):
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    summary_: Summary
    eigenvalues_: Floats
    centers_: Floats
    center_weights_: Floats
    def __init__(
        self,
        n_components: int = 10,
        *,
        reduction: str = "shadow",
        ell: float | None = None,
        radius: float | None = None,
        n_centers: int | None = None,
        center_weights: str = "count",
        shuffle: bool = False,
        kernel: str | Kernel = "rbf",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        center: bool = True,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        progress: bool | Callable[[str, float, int, int], None] = False,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = None, sample_weight: NDArray[np.float64] | None = None) -> Self: ...
    def transform(self, X: Rows) -> NDArray[Any]: ...
    def save(self, path: Path) -> None: ...

class FeatureAnalysis(TransformerMixin, BaseEstimator):
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    summary_: Summary
    gains_: Floats
    reconstruction_error_: float
    error_curve_: list[dict[str, float]]
    def __init__(
        self,
        n_components: int | None = None,
        *,
        rule: str = "akfa",
        stop_error: float | None = None,
        delta: float | None = None,
        delta_relative: bool = False,
        projection: str = "exact",
        candidates: int | None = None,
        terms: int | None = None,
        kernel: str | Kernel = "rbf",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        center: bool = True,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        progress: bool | Callable[[str, float, int, int], None] = False,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = None, sample_weight: NDArray[np.float64] | None = None) -> Self: ...
    def transform(self, X: Rows) -> NDArray[Any]: ...
    def save(self, path: Path) -> None: ...

class LaplacianEigenmaps(TransformerMixin, BaseEstimator):
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    summary_: Summary
    eigenvalues_: Floats
    def __init__(
        self,
        n_components: int = 2,
        *,
        laplacian: str = "random_walk",
        self_loops: bool = True,
        reduce: str = "none",
        ell: float | None = None,
        n_centers: int | None = None,
        kernel: str | Kernel = "rbf",
        gamma: float | str | None = "median",
        kernel_params: dict[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        progress: bool | Callable[[str, float, int, int], None] = False,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = None, sample_weight: NDArray[np.float64] | None = None) -> Self: ...
    def transform(self, X: Rows) -> NDArray[Any]: ...
    def save(self, path: Path) -> None: ...

class DiffusionMaps(TransformerMixin, BaseEstimator):
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    summary_: Summary
    eigenvalues_: Floats
    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float = 1.0,
        time: float = 1.0,
        reduce: str = "none",
        ell: float | None = None,
        n_centers: int | None = None,
        kernel: str | Kernel = "rbf",
        gamma: float | str | None = "median",
        kernel_params: dict[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        progress: bool | Callable[[str, float, int, int], None] = False,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = None, sample_weight: NDArray[np.float64] | None = None) -> Self: ...
    def transform(self, X: Rows) -> NDArray[Any]: ...
    def save(self, path: Path) -> None: ...

class SparseDistance(BaseEstimator):
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    summary_: Summary
    landmark_indices_: NDArray[np.int64]
    n_samples_fit_: int
    def __init__(
        self,
        n_landmarks: int | None = None,
        *,
        metric: str | Kernel = "euclidean",
        metric_params: dict[str, Any] | None = None,
        error: float | None = None,
        selection: str = "auto",
        map: str = "regression",
        sample: int | None = None,
        n_neighbors: int = 5,
        rerank: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        progress: bool | Callable[[str, float, int, int], None] = False,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = None) -> Self: ...
    def estimate(self, X: Rows) -> Floats: ...
    def bounds(self, X: Rows) -> tuple[Floats, Floats]: ...
    def kneighbors(self, X: Rows | None = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any: ...
    def save(self, path: Path) -> None: ...
