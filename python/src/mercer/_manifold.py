"""Eigenvectors of graphs whose edges are kernel values, extended to new points."""

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from ._estimator import ModelTransformer, check_rows, weighted_rows
from ._kernels import make_kernel

GRAPH_CONSTRAINTS = {
    **{name: rule for name, rule in ModelTransformer._parameter_constraints.items() if name not in ("degree", "coef0")},
    "n_components": [Interval(Integral, 1, None, closed="left")],
    "reduce": [StrOptions({"none", "shadow", "kmeans", "paring", "herding"})],
    "ell": [Interval(Real, 0, None, closed="neither"), None],
    "n_centers": [Interval(Integral, 1, None, closed="left"), None],
}


class _GraphEmbedding(ModelTransformer):
    """Laplacian eigenmaps and diffusion maps, which differ in their matrix only."""

    _method: str

    def fit(self, X, y=None, sample_weight=None):
        """Find the eigenvectors of the graph of rows, or of the centres that stand for them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; dense doubles are made of others.

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
        options = self._graph_options() | {"components": self.n_components, "reduce": self.reduce, "ell": self.ell,
                                           "centers": self.n_centers}
        self._fit_native(self._method, X, weights, options)
        self.eigenvalues_ = self._model.eigenvalues
        return self

    def _make_kernel(self):
        return make_kernel(self.kernel, self.n_features_in_, gamma=self.gamma, kernel_params=self.kernel_params)


class LaplacianEigenmaps(_GraphEmbedding):
    """Laplacian eigenmaps (Belkin & Niyogi 2003) of all rows, with an extension to new ones.

    Every pair of rows has an edge, whose weight is the kernel. New rows that are far from all others have coordinates
    of NaN.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates, the constant one not counted; fewer come back where the graph has fewer.

    laplacian : {'random_walk', 'unnormalized'}, default='random_walk'
        Which matrix of the graph: that of the normalised cut, or that of the ratio cut.

    self_loops : bool, default=True
        Whether rows have edges to themselves.

    reduce : {'none', 'shadow', 'kmeans', 'paring', 'herding'}, default='none'
        Few weighted centres in the place of the rows.

    ell : float, default=None
        Radius of a shadow in length scales of the kernel: radius = scale / ell. None: 4.

    n_centers : int, default=None
        Number of centres of 'kmeans', 'paring' and 'herding'.

    kernel : {'rbf', 'laplacian', 'laplacian_l2', 'chi2', 'matern32', 'matern52', 'rational_quadratic'} or callable, \
            default='rbf'
        A kernel without negative values.

    gamma : float or 'median', default='median'
        Coefficient of the kernel. None: 1 / n_features. 'median': the median heuristic.

    kernel_params : dict, default=None
        ``length`` and ``alpha`` of kernels that have these; keyword arguments of a callable.

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
    eigenvalues_ : ndarray of shape (n_components,)
        Of the random walk, descending; of the unnormalised Laplacian, ascending.

    summary_ : mercer.Summary
        What the fit did, how well, at what cost.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer import LaplacianEigenmaps
    >>> X, _ = make_moons(400, noise=0.05, random_state=0)
    >>> LaplacianEigenmaps(gamma=10).fit_transform(X).shape
    (400, 2)
    """

    _method = "laplacian_eigenmaps"
    _parameter_constraints: dict = {
        **GRAPH_CONSTRAINTS,
        "laplacian": [StrOptions({"random_walk", "unnormalized"})],
        "self_loops": ["boolean"],
    }

    def __init__(
        self,
        n_components=2,
        *,
        laplacian="random_walk",
        self_loops=True,
        reduce="none",
        ell=None,
        n_centers=None,
        kernel="rbf",
        gamma="median",
        kernel_params=None,
        random_state=None,
        n_jobs=None,
        memory_limit=None,
        progress=False,
    ):
        self.n_components = n_components
        self.laplacian = laplacian
        self.self_loops = self_loops
        self.reduce = reduce
        self.ell = ell
        self.n_centers = n_centers
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.progress = progress

    def _graph_options(self):
        return {"laplacian": self.laplacian, "self_loops": self.self_loops}


class DiffusionMaps(_GraphEmbedding):
    """Diffusion maps (Coifman & Lafon 2006) of all rows, with an extension to new ones.

    Euclidean distances of all components together are diffusion distances.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates, the constant one not counted; fewer come back where the walk has fewer.

    alpha : float, default=1.0
        How much of the density of the rows is divided out, 0 to 1: 1 leaves the geometry alone.

    time : float, default=1.0
        Steps of the walk.

    reduce : {'none', 'shadow', 'kmeans', 'paring', 'herding'}, default='none'
        Few weighted centres in the place of the rows.

    ell : float, default=None
        Radius of a shadow in length scales of the kernel: radius = scale / ell. None: 4.

    n_centers : int, default=None
        Number of centres of 'kmeans', 'paring' and 'herding'.

    kernel : {'rbf', 'laplacian', 'laplacian_l2', 'chi2', 'matern32', 'matern52', 'rational_quadratic'} or callable, \
            default='rbf'
        A kernel without negative values.

    gamma : float or 'median', default='median'
        Coefficient of the kernel. None: 1 / n_features. 'median': the median heuristic.

    kernel_params : dict, default=None
        ``length`` and ``alpha`` of kernels that have these; keyword arguments of a callable.

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
    eigenvalues_ : ndarray of shape (n_components,)
        Of the walk, descending.

    summary_ : mercer.Summary
        What the fit did, how well, at what cost.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import make_swiss_roll
    >>> from mercer import DiffusionMaps
    >>> X, _ = make_swiss_roll(2000, random_state=0)
    >>> DiffusionMaps(gamma=0.2, reduce="shadow").fit_transform(X).shape
    (2000, 2)
    """

    _method = "diffusion_maps"
    _parameter_constraints: dict = {
        **GRAPH_CONSTRAINTS,
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "time": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_components=2,
        *,
        alpha=1.0,
        time=1.0,
        reduce="none",
        ell=None,
        n_centers=None,
        kernel="rbf",
        gamma="median",
        kernel_params=None,
        random_state=None,
        n_jobs=None,
        memory_limit=None,
        progress=False,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.time = time
        self.reduce = reduce
        self.ell = ell
        self.n_centers = n_centers
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.progress = progress

    def _more_tags(self):
        # Of eigenvectors that are scaled to the stationary law, ties leave the signs as they are.
        return super()._more_tags() | {"_xfail_checks": {}}

    def _graph_options(self):
        return {"alpha": float(self.alpha), "time": float(self.time)}
