"""Kernel PCA of few weighted centres."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ._estimator import ModelTransformer, check_rows, weighted_rows


class ReducedSetKernelPCA(ModelTransformer):
    """Kernel PCA of few weighted centres in the place of the rows.

    With a shadow cover (Kingravi, Vela & Gray 2013), which takes one pass, the error is bounded by its radius and the
    kernel alone; `summary_["bounds"]` has the bounds.

    Parameters
    ----------
    n_components : int, default=10
        Number of components; fewer come back where the centres have fewer directions.

    reduction : {'shadow', 'kmeans', 'paring', 'herding'}, default='shadow'
        How centres are found.

    ell : float, default=None
        Radius of a shadow in length scales of the kernel: radius = scale / ell. None: 4, unless `radius` is given.

    radius : float, default=None
        The radius itself.

    n_centers : int, default=None
        Number of centres of 'kmeans', 'paring' and 'herding'. None: as many as a shadow cover has.

    center_weights : {'count', 'nearest', 'operator', 'mmd'}, default='count'
        What a centre weighs: the rows it stands for, those nearest to it, or what fits covariance or mean best.

    shuffle : bool, default=False
        Take the rows in random order, on which covers depend.

    kernel : str or callable, default='rbf'
        As of `mercer.KernelPCA`; radial ones unless `radius` or `n_centers` is given.

    gamma : float or 'median', default=None
        Coefficient of the kernel. None: 1 / n_features. 'median': the median heuristic.

    degree : int, default=3
        Degree of 'poly'.

    coef0 : float, default=1
        Independent term of 'poly'.

    kernel_params : dict, default=None
        ``length`` and ``alpha`` of kernels that have these; keyword arguments of a callable.

    center : bool, default=True
        Subtract the mean in feature space.

    random_state : int, RandomState instance or None, default=None
        Seed of whatever is random. None is 0.

    n_jobs : int, default=None
        Threads. None and -1: all processors.

    memory_limit : int, default=None
        Most bytes that a fit may allocate for its work. None: half of the installed memory.

    progress : bool or callable, default=False
        As of `mercer.KernelPCA`.

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
        The centres, unless the kernel is linear.

    center_weights_ : ndarray of shape (n_centers,)
        Their weights, where `center` is true.

    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the weighted kernel matrix of the centres, which approximate those of the rows.

    summary_ : mercer.Summary
        What the fit did, how well, at what cost.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import ReducedSetKernelPCA
    >>> X = np.random.default_rng(0).normal(size=(20000, 2))
    >>> reduced = ReducedSetKernelPCA(n_components=3, gamma=0.5, ell=3).fit(X)
    >>> len(reduced.centers_) < 1000
    True
    """

    _parameter_constraints: dict = {
        **ModelTransformer._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "reduction": [StrOptions({"shadow", "kmeans", "paring", "herding"})],
        "ell": [Interval(Real, 0, None, closed="neither"), None],
        "radius": [Interval(Real, 0, None, closed="left"), None],
        "n_centers": [Interval(Integral, 1, None, closed="left"), None],
        "center_weights": [StrOptions({"count", "nearest", "operator", "mmd"})],
        "shuffle": ["boolean"],
        "center": ["boolean"],
    }

    def __init__(
        self,
        n_components=10,
        *,
        reduction="shadow",
        ell=None,
        radius=None,
        n_centers=None,
        center_weights="count",
        shuffle=False,
        kernel="rbf",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        center=True,
        random_state=None,
        n_jobs=None,
        memory_limit=None,
        progress=False,
    ):
        self.n_components = n_components
        self.reduction = reduction
        self.ell = ell
        self.radius = radius
        self.n_centers = n_centers
        self.center_weights = center_weights
        self.shuffle = shuffle
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.center = center
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.progress = progress

    def fit(self, X, y=None, sample_weight=None):
        """Find centres and their components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows. 'shadow' and 'paring' make dense doubles of sparse and of float32 ones only of a block at a time.

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
        X, weights = weighted_rows(check_rows(self, X, reset=True, least=2), sample_weight)
        options = {"components": self.n_components, "center": self.center, "ell": self.ell, "radius": self.radius,
                   "centers": self.n_centers, "center_weights": self.center_weights, "shuffle": self.shuffle}
        self._fit_native(self.reduction, X, weights, options)
        self.eigenvalues_ = self._model.eigenvalues
        # A linear model keeps directions in the place of centres.
        if self._model.library_size > 0:
            self.centers_ = np.array(self._model.library)
            if self.center:
                self.center_weights_ = self._model.mean_coefficients * self._model.total_weight
        return self
