"""Kernel PCA of rows that arrive batch by batch."""

from numbers import Integral, Real

from sklearn.utils import gen_batches
from sklearn.utils._param_validation import Interval

from . import _native
from ._estimator import ModelTransformer, check_rows, weighted_rows
from ._run import Run, seed_of, transform_run
from ._summary import Summary


class IncrementalKernelPCA(ModelTransformer):
    """Kernel PCA of rows that arrive batch by batch, each seen once, with a bounded library.

    After Chin & Suter (2006). Memory does not grow with the rows, and with `kernel='linear'` this is incremental PCA.
    The result depends on how rows are cut into batches.

    Parameters
    ----------
    n_components : int, default=10
        Number of components; fewer come back where the data so far have fewer directions.

    batch_size : int, default=2000
        Rows in a batch of `fit`.

    mse : float, default=None
        A batch adds rows to the library until the mean squared distance of its rows from their span is at most this.
        None: a thousandth of the mean of k(x, x).

    library_limit : int, default=2000
        Most rows in the library; beyond that it is reduced to those that matter most for components and mean.

    kernel : str or callable, default='rbf'
        As of `mercer.KernelPCA`, positive semi-definite and not precomputed.

    gamma : float or 'median', default=None
        Coefficient of the kernel. None: 1 / n_features. 'median': the median heuristic on the first batch.

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
        Most bytes that a batch may allocate for its work. None: half of the installed memory.

    progress : bool or callable, default=False
        As of `mercer.KernelPCA`.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred kernel matrix of all rows so far, approximately.

    n_samples_seen_ : int
        Rows so far.

    summary_ : mercer.Summary
        What the fit did, how well, at what cost.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import IncrementalKernelPCA
    >>> random = np.random.default_rng(0)
    >>> stream = IncrementalKernelPCA(n_components=4, gamma=0.1)
    >>> for _ in range(3):
    ...     stream = stream.partial_fit(random.normal(size=(500, 3)))
    >>> stream.transform(random.normal(size=(2, 3))).shape
    (2, 4)
    """

    _parameter_constraints: dict = {
        **ModelTransformer._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "mse": [Interval(Real, 0, None, closed="left"), None],
        "library_limit": [Interval(Integral, 1, None, closed="left")],
        "center": ["boolean"],
    }

    def __init__(
        self,
        n_components=10,
        *,
        batch_size=2000,
        mse=None,
        library_limit=2000,
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
        self.batch_size = batch_size
        self.mse = mse
        self.library_limit = library_limit
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
        """Begin anew, and see all rows in batches of `batch_size`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; of sparse and float32 ones, a batch at a time becomes dense doubles.

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
        self._begin()
        # A batch of one row has no directions of its own: the last one takes what would be left over.
        for batch in gen_batches(X.shape[0], self.batch_size, min_batch_size=min(2, self.batch_size)):
            self._add(X[batch], None if weights is None else weights[batch])
        self._finish()
        self.summary_.warn()
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """See one more batch.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.

        y : Ignored
            Present for API consistency by convention.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; whole numbers equal repetition, zero is absence.

        Returns
        -------
        self : object
            The estimator.
        """
        first = not self.__sklearn_is_fitted__()
        if first:
            self._validate_params()
        X, weights = weighted_rows(check_rows(self, X, reset=first), sample_weight)
        if first:
            self._begin()
        self._add(X, weights)
        return self

    def __sklearn_is_fitted__(self):
        return getattr(self, "n_samples_seen_", 0) > 0

    @property
    def eigenvalues_(self):
        try:
            return self._model.eigenvalues
        except _native.NoVariation as error:
            raise AttributeError(str(error)) from None

    @property
    def summary_(self):
        return Summary.of(self._model)

    @property
    def _model(self):
        """The model of all rows so far, made when it is first asked for."""
        if self._fitted("_finished") is None:
            self._finish()
        return self._finished

    def __getstate__(self):
        if callable(self.kernel) and "_stream" in self.__dict__:
            raise TypeError("a stream with a callable kernel cannot be pickled: no file can hold the function")
        return super().__getstate__()

    def _begin(self):
        options = {"center": self.center, "mse": self.mse, "library_limit": self.library_limit,
                   "seed": seed_of(self.random_state)}
        self._stream = _native.Stream(self._make_kernel(), options)
        self.n_samples_seen_ = 0
        self._finished = None

    def _add(self, X, weights):
        with Run(self, seed=0) as run:  # the stream has a seed of its own
            self._stream.partial_fit(X, weights, run)
        self.n_samples_seen_ += X.shape[0]
        self._finished = None

    def _finish(self):
        self._finished = self._stream.finish({"components": self.n_components}, transform_run(self))
