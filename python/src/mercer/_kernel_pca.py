"""Kernel PCA by any method of the library, in the shape of scikit-learn's."""

import warnings
from numbers import Integral, Real

import numpy as np
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted

from . import _native
from ._estimator import REORDERED_ROWS, ModelTransformer, check_rows, weighted_rows
from ._run import Run, transform_run
from ._summary import Summary

METHODS = ("auto", "exact", "landmarks", "random_features", "greedy", "partitioned", "shadow", "kmeans", "paring",
           "herding", "randomized", "kronecker")
# Enough for scikit-learn's checks of what counts as a negative eigenvalue, relative to the largest.
SIGNIFICANT = 1e-5


class KernelPCA(ModelTransformer):
    """Kernel principal component analysis that scales.

    A drop-in for `sklearn.decomposition.KernelPCA`: the same parameters with the same meaning, and `method` besides,
    which says how. Up to 5,000 rows the default is exact; beyond that landmarks are chosen for an estimated angle of
    0.02 to the exact components, wherever that is faster.

    Parameters
    ----------
    n_components : int or float, default=None
        Number of components. None: all with an eigenvalue above zero for exact kernel PCA, 10 for approximations.
        Between 0 and 1: as many as explain this share of the variance.

    kernel : {'linear', 'poly', 'rbf', 'sigmoid', 'cosine', 'laplacian', 'chi2', 'additive_chi2', 'precomputed', \
            'laplacian_l2', 'matern32', 'matern52', 'rational_quadratic'} or callable, default='linear'
        Names that scikit-learn has mean what they mean there ('laplacian' has L1 distances, 'chi2' is exponential).
        'laplacian_l2' is exp(-gamma ||x - y||). A callable is given two rows, and runs on one thread.

    gamma : float or 'median', default=None
        Coefficient of the kernel. None: 1 / n_features (1 for 'chi2'). 'median': the median heuristic.

    degree : int, default=3
        Degree of 'poly'.

    coef0 : float, default=1
        Independent term of 'poly' and 'sigmoid'.

    kernel_params : dict, default=None
        Keyword arguments of a callable; ``length`` and ``alpha`` of kernels that have these.

    alpha : float, default=1.0
        Ridge of the inverse transform.

    fit_inverse_transform : bool, default=False
        Learn `inverse_transform`, a ridge regression with the same kernel.

    eigen_solver : {'auto', 'dense', 'arpack', 'randomized'}, default='auto'
        'dense': LAPACK. The others: block Krylov iteration where few components are asked for, LAPACK otherwise. All
        are accurate to `tol`; anything but 'auto' asks for `method='exact'` as well.

    tol : float, default=0
        Largest residual of an eigenpair relative to the largest eigenvalue. 0: 1e-12.

    max_iter : int, default=None
        Most products with the kernel matrix. None: 300.

    iterated_power : int or 'auto', default='auto'
        Not used; accepted for the sake of scikit-learn.

    remove_zero_eig : bool, default=False
        Remove components with an eigenvalue of zero. Otherwise they are kept as columns of zeros.

    random_state : int, RandomState instance or None, default=None
        Seed of whatever is random. None is 0: results repeat.

    copy_X : bool, default=True
        Whether `X_fit_` is a copy with the linear kernel; with all others it always is.

    n_jobs : int, default=None
        Threads. None and -1: all processors. Results do not depend on it.

    method : {'auto', 'exact', 'landmarks', 'random_features', 'greedy', 'partitioned', 'shadow', 'kmeans', \
            'paring', 'herding', 'randomized', 'kronecker'}, default='auto'
        How. 'auto' decides by the size of the data, the components and the memory limit; `summary_` says why.

    method_options : dict, default=None
        Options of the method by the names of the command line, with underscores: ``{'landmarks': 500}``,
        ``{'tolerance': 1e-3}``, ``{'ell': 3}``, ``{'sparsify': 20}``.

    center : bool, default=True
        Subtract the mean in feature space.

    precision : {'double', 'float'}, default='double'
        Arithmetic of the kernel values.

    memory_limit : int, default=None
        Most bytes that a fit may allocate for its work. None: half of the installed memory.

    progress : bool or callable, default=False
        Show a bar by tqdm, where that is installed; or call ``progress(phase, fraction, rows_done, rows_total)``.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred kernel matrix, in decreasing order.

    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Its eigenvectors, of the exact method without weights. Columns of zeros where eigenvalues are zero.

    X_fit_ : ndarray of shape (n_samples, n_features)
        The rows that were fitted, of the exact method unless the kernel is precomputed.

    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the inverse transform, where it was learned and the kernel is not linear.

    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        Component values that it was learned from.

    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the variance in feature space; a lower bound where the total is not known exactly.

    residual_trace_fraction_ : float
        What an approximation leaves out of the trace of the kernel matrix, where that is known.

    summary_ : mercer.Summary
        What the fit did, how well, at what cost.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer import KernelPCA
    >>> X, _ = load_digits(return_X_y=True)
    >>> KernelPCA(n_components=7, kernel="rbf", gamma=1e-3).fit_transform(X).shape
    (1797, 7)
    """

    _parameter_constraints: dict = {
        **ModelTransformer._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither"), None],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "fit_inverse_transform": ["boolean"],
        "eigen_solver": [StrOptions({"auto", "dense", "arpack", "randomized"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "iterated_power": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
        "remove_zero_eig": ["boolean"],
        "copy_X": ["boolean"],
        "method": [StrOptions(set(METHODS))],
        "method_options": [dict, None],
        "center": ["boolean"],
        "precision": [StrOptions({"double", "float"})],
    }

    def __init__(
        self,
        n_components=None,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        alpha=1.0,
        fit_inverse_transform=False,
        eigen_solver="auto",
        tol=0,
        max_iter=None,
        iterated_power="auto",
        remove_zero_eig=False,
        random_state=None,
        copy_X=True,
        n_jobs=None,
        method="auto",
        method_options=None,
        center=True,
        precision="double",
        memory_limit=None,
        progress=False,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.method = method
        self.method_options = method_options
        self.center = center
        self.precision = precision
        self.memory_limit = memory_limit
        self.progress = progress

    def fit(self, X, y=None, sample_weight=None):
        """Fit the model to rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; the kernel matrix itself with `kernel='precomputed'`. Methods that keep or compare all rows make
            dense doubles of sparse and of float32 ones, 'auto' (where it takes landmarks), 'landmarks',
            'random_features', 'partitioned', 'shadow' and 'paring' only of a block at a time.

        y : Ignored
            Present for API consistency by convention.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; whole numbers equal repetition, zero is absence.

        Returns
        -------
        self : object
            The estimator.
        """
        self._validate_params()
        self._check_together(sample_weight)
        # One row is no error in scikit-learn, but approximations have nothing to choose from.
        X = check_rows(self, X, reset=True, least=1 if self.method in ("auto", "exact") else 2)
        if self.fit_inverse_transform and scipy.sparse.issparse(X):
            raise NotImplementedError("Inverse transform not implemented for sparse matrices!")
        X, weights = self._prepared(X, sample_weight)
        try:
            with Run(self) as run:
                self._fit_model(X, weights, run)
                self._check_negative_eigenvalues()
                self._inverse = self._model.inverse(self.alpha, run) if self.fit_inverse_transform else None
        except BaseException:
            self.__dict__.pop("_model", None)  # half a fit is none
            raise
        self._weighted = weights is not None
        self._keep_rows(X)
        if self._model is not None:
            self.summary_.warn()
        return self

    def fit_transform(self, X, y=None, sample_weight=None):
        """Fit the model to rows, and their component values.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        y : Ignored
            Present for API consistency by convention.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            Component values of the rows.
        """
        self.fit(X, sample_weight=sample_weight)
        if self._model is None or not self._has_eigenvectors() or self._model.kernel_name == "linear":
            return self.transform(X)
        # The component values of the rows of an exact fit need no kernel values: sqrt(lambda) u = lambda B.
        scores = self._padded(self._model.coefficients * self._model.eigenvalues)
        return scores.astype(self._dtype, copy=False)

    def transform(self, X):
        """Component values of new rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New rows; with `kernel='precomputed'` their kernel values with those that were fitted. Those of float32 are
            evaluated in single precision, sparse ones block by block.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            Component values, in the type of the rows.
        """
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        if self._model is None:
            return np.zeros((X.shape[0], len(self.eigenvalues_)), dtype=X.dtype)
        if self._columns is not None:
            X = X[:, self._columns]
        if self._column_means is not None:
            X = X - self._column_means
        return self._padded(self._model.transform(X, transform_run(self)))

    def inverse_transform(self, X):
        """Points for component values, by the learned map.

        The map is the kernel ridge regression of `sklearn.decomposition.KernelPCA`. Its ``gamma`` is that of the fit:
        where none was given, one over the number of columns of the points, not of the scores. The mean that centring
        subtracted is not given back with the linear kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Component values.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_features)
            Points.
        """
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse "
                "transform is not available."
            )
        check_is_fitted(self)
        X = check_array(X, dtype=[np.float64, np.float32])
        if X.shape[1] != len(self.eigenvalues_):
            raise ValueError(f"X has {X.shape[1]} columns, but there are {len(self.eigenvalues_)} components")
        return self._inverse.transform(X[:, : self._model.components], transform_run(self))

    def reconstruct(self, X, method="mika", **options):
        """What the model keeps of rows, as points: noise that it does not represent is gone.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        method : {'mika', 'one_step', 'kwok_tsang'}, default='mika'
            How a point is found whose image is near the projection of the row; see docs/methods/preimage.md.

        **options
            ``tolerance``, ``max_iterations``, ``neighbors``, ``cutoff``.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_features)
            Points.
        """
        check_is_fitted(self)
        self._require_model()
        X = check_rows(self, X, reset=False)
        points, notes = self._model.reconstruct(X, {"method": method} | options, transform_run(self))
        for note in notes:
            warnings.warn(note, stacklevel=2)
        return points

    def save(self, path):
        """Write the model to a file that the command line and `mercer.load` read.

        Parameters
        ----------
        path : str or path-like
            The file; one that is there is replaced, as a whole or not at all.
        """
        check_is_fitted(self)
        self._require_model()
        if self._columns is not None or self._column_means is not None:
            raise ValueError("no file can hold what was done to the precomputed kernel matrix, which was asymmetric or had "
                             "rows of weight zero: pickle the estimator instead")
        super().save(path)

    @property
    def eigenvalues_(self):
        return self._fitted("_eigenvalues")

    @property
    def eigenvectors_(self):
        if not self._has_eigenvectors():
            raise AttributeError("eigenvectors_ are of exact fits without weights only")
        if self._model is None:
            return np.zeros((self._n_fitted, len(self.eigenvalues_)))
        roots = np.sqrt(self._model.eigenvalues)
        if self._model.kernel_name == "linear":
            return self._padded(self._model.transform(self.X_fit_, transform_run(self)) / roots)
        return self._padded(self._model.coefficients * roots)

    @property
    def X_fit_(self):
        rows = self._fitted("_rows")
        if rows is not None:
            return rows
        if self._model is None or self._model.library_size == 0 or self.summary_["method"] != "exact":
            raise AttributeError("X_fit_ is there after exact fits of rows only")
        return self._model.library

    @property
    def dual_coef_(self):
        return self._learned_inverse().coefficients

    @property
    def X_transformed_fit_(self):
        return self._learned_inverse().library

    @property
    def explained_variance_ratio_(self):
        if self._fitted("_model") is None:
            return np.zeros(len(self.eigenvalues_))
        ratios = self.summary_.get("explained_variance_ratio")
        if ratios is None:
            raise AttributeError("this method does not know which share of the variance is explained")
        return self._padded(np.array([ratios]))[0]

    @property
    def residual_trace_fraction_(self):
        fraction = self.summary_.get("residual_trace_fraction")
        if fraction is None:
            raise AttributeError("this method does not know what it leaves out of the trace")
        return fraction

    @property
    def summary_(self):
        model = self._fitted("_model")
        return Summary() if model is None else Summary.of(model)

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)

    def _more_tags(self):
        # The components of exact kernel PCA do not depend on the order of the rows.
        known = REORDERED_ROWS if self.method not in ("auto", "exact") else {}
        return super()._more_tags() | {"_xfail_checks": known}

    def _fit_model(self, X, weights, run):
        """Sets the model and the eigenvalues, with zeros for components that the data do not have."""
        method = self._chosen_method()
        self._dtype, self._n_fitted = X.dtype, X.shape[0]
        options = self._options(method)
        try:
            self._model = _native.fit(method, X, self._make_kernel(), options, weights, run)
            found = self._model.eigenvalues
        except _native.NoVariation:
            # scikit-learn has eigenvalues of zero where there is nothing to extract.
            if method not in ("auto", "exact") or self.fit_inverse_transform:
                raise
            self._model, found = None, np.zeros(0)
        wanted = len(found)
        if isinstance(self.n_components, Integral) and not self.remove_zero_eig:
            wanted = max(wanted, min(self.n_components, self._n_fitted))
        self._eigenvalues = np.zeros(wanted)
        self._eigenvalues[: len(found)] = found

    def _check_together(self, sample_weight):
        """Parameters that do not go together."""
        if self.fit_inverse_transform and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        if self.fit_inverse_transform and sample_weight is not None and self.kernel != "linear":
            raise ValueError("fit_inverse_transform has no weighted form: leave out sample_weight")
        if self.method not in ("auto", "exact") and self._asks_for_solver():
            raise ValueError(f"eigen_solver, tol and max_iter are of exact kernel PCA, not of method='{self.method}', "
                             "whose own are among its method_options")

    def _asks_for_solver(self):
        return self.eigen_solver != "auto" or self.tol != 0 or self.max_iter is not None

    def _prepared(self, X, sample_weight):
        """Rows and their weights as the library takes them, and what is to be done to the rows of `transform`."""
        self._columns = self._column_means = None
        rows, weights = weighted_rows(X, sample_weight)
        if self.kernel != "precomputed":
            absent = {"landmark_rows", "labels"} & set(self.method_options or {})
            if absent and rows.shape[0] < X.shape[0]:
                raise ValueError(f"{absent.pop()} numbers all rows: leave out those of weight zero beforehand")
            return rows, weights
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"Precomputed metric requires shape (n_queries, n_indexed). Got {X.shape} for a fit: the "
                             "kernel matrix must be square.")
        if rows.shape[0] < X.shape[0]:
            self._columns = np.flatnonzero(sample_weight)
            rows = rows[:, self._columns]
        return self._symmetric(rows), weights

    def _symmetric(self, K):
        """scikit-learn also takes kernel matrices that are symmetric only once they are centred."""
        if scipy.sparse.issparse(K) or np.allclose(K, K.T, rtol=0, atol=1e-8 * np.abs(K).max()):
            return K
        if not self.center:
            raise ValueError("the precomputed kernel matrix is not symmetric")
        self._column_means = K.mean(axis=0)
        centred = K - self._column_means - K.mean(axis=1)[:, np.newaxis] + K.mean()
        return (centred + centred.T) / 2

    def _chosen_method(self):
        exact = self._asks_for_solver() or self.n_components is None or self.kernel == "precomputed"
        return "exact" if self.method == "auto" and exact else self.method

    def _options(self, method):
        options = {"center": self.center} | (self.method_options or {})
        if method in ("auto", "exact", "landmarks"):
            options.setdefault("precision", self.precision)
        elif self.precision != "double":
            raise ValueError(f"precision='{self.precision}' does not go with method='{method}'")
        if self.n_components is None:
            if method == "exact":
                options.setdefault("components", self._n_fitted)
        elif isinstance(self.n_components, Integral):
            options["components"] = int(self.n_components)
        else:
            options["retain"] = float(self.n_components)
        if method == "exact":
            if self.eigen_solver == "dense":
                options["solver"] = "dense"
            if self.tol > 0:
                options["solver_tolerance"] = self.tol
            if self.max_iter is not None:
                options["max_products"] = max(3, self.max_iter)
        return options

    def _check_negative_eigenvalues(self):
        """Raises as scikit-learn does where one of the components asked for has a negative eigenvalue."""
        negative = self.summary_.get("negative_eigenvalues")
        if negative is None or (self.n_components is not None and not isinstance(self.n_components, Integral)):
            return
        wanted = self._n_fitted if self.n_components is None else min(self.n_components, self._n_fitted)
        found = self._model.eigenvalues
        if negative["smallest"] > -SIGNIFICANT * found[0]:
            return
        if self.eigen_solver == "randomized":
            asked = len(found) < wanted or -negative["smallest"] > found[-1]
        elif negative["all_seen"]:
            asked = self._n_fitted - negative["count"] < wanted
        else:
            asked = len(found) < wanted
        if asked:
            raise ValueError(
                f"There are significant negative eigenvalues ({-negative['smallest'] / found[0]:g} of the maximum "
                "positive). Either the matrix is not PSD, or there was an issue while computing the eigendecomposition "
                "of the matrix."
            )

    def _keep_rows(self, X):
        """The linear model has no library, so exact fits keep their rows here."""
        linear = self.kernel == "linear" and (self._model is None or self.summary_["method"] == "exact")
        self._rows = (X.copy() if self.copy_X else X) if linear else None
        if linear and not scipy.sparse.issparse(X):
            self._rows = self._rows.view()
            self._rows.flags.writeable = False

    def _require_model(self):
        if self._model is None:
            raise ValueError("the rows do not vary in feature space: there is no model")

    def _learned_inverse(self):
        inverse = self._fitted("_inverse")
        if inverse is None or inverse.library_size == 0:
            raise AttributeError("an inverse transform was not learned")
        return inverse

    def _has_eigenvectors(self):
        self._fitted("_model")
        exact = self._model is None or self.summary_["method"] == "exact"
        return exact and not self._weighted

    def _padded(self, columns):
        """With zeros for components whose eigenvalue is zero."""
        missing = len(self.eigenvalues_) - columns.shape[1]
        return np.pad(columns, ((0, 0), (0, missing))) if missing > 0 else columns
