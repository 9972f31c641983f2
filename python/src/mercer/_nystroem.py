"""A kernel's feature map through some of the rows, in the shape of scikit-learn's."""

import warnings
from numbers import Integral, Real

import numpy as np
import scipy.sparse
from scipy import linalg
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._estimator import ModelTransformer, check_rows
from ._kernels import make_kernel
from ._run import Run, transform_run


class Nystroem(ModelTransformer):
    """Approximate a kernel map using some of the rows.

    A drop-in for `sklearn.kernel_approximation.Nystroem`: the same parameters and, for the same `random_state`, the
    same features. `selection` chooses better rows than uniform ones.

    Parameters
    ----------
    kernel : str or callable, default='rbf'
        As of `mercer.KernelPCA`.

    gamma : float or 'median', default=None
        Coefficient of the kernel. None: 1 / n_features (1 for 'chi2'). 'median': the median heuristic.

    coef0 : float, default=None
        Independent term of 'poly' and 'sigmoid'. None: 1.

    degree : float, default=None
        Degree of 'poly'. None: 3.

    kernel_params : dict, default=None
        Keyword arguments of a callable; ``length`` and ``alpha`` of kernels that have these.

    n_components : int, default=100
        Number of features, which is that of the rows used.

    random_state : int, RandomState instance or None, default=None
        Seed of the choice. As in scikit-learn, None takes NumPy's global state where rows are uniform.

    n_jobs : int, default=None
        Threads. None and -1: all processors.

    selection : {'uniform', 'rpcholesky', 'kmeans', 'leverage', 'greedy', 'farthest'}, default='uniform'
        How rows are chosen; all but 'uniform' as `mercer fit --selection` does. Fewer than `n_components` are taken
        where rows depend on each other. With 'kmeans' they are means of rows.

    memory_limit : int, default=None
        Most bytes that a choice may allocate for its work. None: half of the installed memory.

    progress : bool or callable, default=False
        As of `mercer.KernelPCA`.

    Attributes
    ----------
    components_ : ndarray or sparse matrix of shape (n_components, n_features)
        The rows used.

    component_indices_ : ndarray of shape (n_components,)
        Their places among the rows, with uniform ones.

    normalization_ : ndarray of shape (n_components, n_components)
        Inverse square root of their kernel matrix.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer import Nystroem
    >>> X, _ = load_digits(return_X_y=True)
    >>> Nystroem(gamma=1e-3, n_components=50, selection="rpcholesky").fit_transform(X).shape
    (1797, 50)
    """

    _parameter_constraints: dict = {
        **ModelTransformer._parameter_constraints,
        "coef0": [Interval(Real, None, None, closed="neither"), None],
        "degree": [Interval(Real, 1, None, closed="left"), None],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "selection": [StrOptions({"uniform", "rpcholesky", "kmeans", "leverage", "greedy", "farthest"})],
    }

    def __init__(
        self,
        kernel="rbf",
        *,
        gamma=None,
        coef0=None,
        degree=None,
        kernel_params=None,
        n_components=100,
        random_state=None,
        n_jobs=None,
        selection="uniform",
        memory_limit=None,
        progress=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.selection = selection
        self.memory_limit = memory_limit
        self.progress = progress

    def fit(self, X, y=None):
        """Choose rows and take the inverse square root of their kernel matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to choose from; the kernel matrix with `kernel='precomputed'`.

        y : Ignored
            Present for API consistency by convention.

        Returns
        -------
        self : object
            The estimator.
        """
        self._validate_params()
        X = check_rows(self, X, reset=True)
        if callable(self.kernel) or self.kernel == "precomputed":
            if not (self.gamma is None and self.coef0 is None and self.degree is None):
                raise ValueError("Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed "
                                 "kernel")
        count = min(self.n_components, X.shape[0])
        if count < self.n_components:
            warnings.warn("n_components > n_samples. This is not possible.\nn_components was set to n_samples, which "
                          "results in inefficient evaluation of the full kernel.")
        for stale in ("component_indices_", "_model"):
            self.__dict__.pop(stale, None)
        kernel = self._make_kernel()
        if self.gamma == "median":
            if scipy.sparse.issparse(X):
                raise ValueError("gamma='median' needs dense rows")
            kernel = _native.resolve(kernel, X)
        if self.selection == "uniform":
            self.component_indices_ = check_random_state(self.random_state).permutation(X.shape[0])[:count]
            self.components_ = X[self.component_indices_]
        else:
            with Run(self) as run:
                options = {"landmarks": count, "selection": self.selection, "components": 1}
                self.components_ = np.array(_native.fit("landmarks", X, kernel, options, None, run).library)
        # As scikit-learn does it, to have its numbers: small dense algebra, of no part of the library.
        left, scale, right = linalg.svd(self._kernel_values(kernel))
        self.normalization_ = (left / np.sqrt(np.maximum(scale, 1e-12))) @ right
        self._model = self._expansion(kernel, self.normalization_.T)
        return self

    def transform(self, X):
        """Features of rows, whose inner products approximate the kernel.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            Features, in the type of the rows.
        """
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        if self.kernel == "precomputed":
            X = X[:, self.component_indices_]
        return self._model.transform(X, transform_run(self))

    @property
    def summary_(self):
        raise AttributeError("a feature map is not fitted to the rows: there is no summary")

    def _more_tags(self):
        return super()._more_tags() | {"_xfail_checks": {}}

    def _make_kernel(self):
        given = {name: getattr(self, name) for name in ("gamma", "degree", "coef0") if getattr(self, name) is not None}
        if not callable(self.kernel):
            # As in scikit-learn, parameters come before those of the dictionary.
            extra = self.kernel_params or {}
            given = {name: extra[name] for name in ("gamma", "degree", "coef0") if name in extra} | given
        return make_kernel(self.kernel, self.n_features_in_, kernel_params=self.kernel_params, **given)

    def _expansion(self, kernel, coefficients):
        """The map from rows to their kernel values with those used, times these coefficients."""
        rows = self.components_
        return _native.Model.expansion(kernel, rows.toarray() if scipy.sparse.issparse(rows) else rows, coefficients)

    def _kernel_values(self, kernel):
        """The kernel matrix of the rows used."""
        rows = self.components_
        if self.kernel == "precomputed":
            return rows[:, self.component_indices_]
        if callable(self.kernel):
            # Each pair once, which a product of rows with rows would not spare.
            return pairwise_kernels(rows, metric=self.kernel, **(self.kernel_params or {}))
        return self._expansion(kernel, np.eye(rows.shape[0])).transform(rows, transform_run(self))
