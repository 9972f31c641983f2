"""Distances of queries to many items from few measured ones."""

from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._estimator import RUN_CONSTRAINTS, check_rows
from ._kernels import make_kernel
from ._run import Run, transform_run
from ._summary import Summary

METRICS = ("euclidean", "hamming", "l1", "chi2", "hellinger", "jensen_shannon", "cosine", "jaccard", "kernel",
           "precomputed")


class SparseDistance(BaseEstimator):
    """Distances of queries to all items from those to a few landmarks, and exact nearest neighbours.

    For distances that are dear to measure (Epstein & Betke). Each is given by its square: `metric='l1'` is the root of
    the sum of absolute differences, `metric='hamming'` that of the number of positions that differ.

    Parameters
    ----------
    n_landmarks : int, default=None
        Number of landmarks. None: as many as `error` needs, or 32; never more than there are items.

    metric : {'euclidean', 'hamming', 'l1', 'chi2', 'hellinger', 'jensen_shannon', 'cosine', 'jaccard', 'kernel', \
            'precomputed'} or callable, default='euclidean'
        The distance. A callable is given two rows, gives their squared distance, and runs on one thread. 'kernel' is
        the distance in feature space. With 'precomputed' rows are distances to all items.

    metric_params : dict, default=None
        ``threshold`` of 'hamming' and 'jaccard' (values above count as 1); ``kernel`` and its parameters of 'kernel',
        as of `mercer.KernelPCA`; ``squared`` and ``hilbertian`` of 'precomputed'; ``hilbertian`` of a callable, and its
        keyword arguments.

    error : float, default=None
        Instead of a number: add landmarks until the mean relative error of squared distances is at most this.

    selection : {'auto', 'greedy', 'greedy_frobenius', 'swap', 'uniform', 'kmeans', 'pivoted_cholesky', \
            'rpcholesky'}, default='auto'
        How landmarks are chosen.

    map : {'regression', 'orthogonal', 'affine'}, default='regression'
        How distances to landmarks become distances to all items.

    sample : int, default=None
        Fit to the distances to so many items, drawn at random. None: to all.

    n_neighbors : int, default=5
        Neighbours that `kneighbors` gives.

    rerank : int, default=None
        Measure only so many items for each query, those with the smallest estimates. None: exact neighbours by bounds,
        which Hilbertian distances have.

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
    landmark_indices_ : ndarray of shape (n_landmarks,)
        The items that queries are measured with.

    n_samples_fit_ : int
        Number of items.

    summary_ : mercer.Summary
        What the fit did, how well, at what cost.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer import SparseDistance
    >>> X, _ = load_digits(return_X_y=True)
    >>> near = SparseDistance(n_landmarks=16, metric="l1").fit(X[:500])
    >>> distances, items = near.kneighbors(X[500:503], n_neighbors=4)
    >>> items.shape
    (3, 4)
    """

    _parameter_constraints: dict = {
        **RUN_CONSTRAINTS,
        "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
        "metric": [StrOptions(set(METRICS)), callable],
        "metric_params": [dict, None],
        "error": [Interval(Real, 0, None, closed="neither"), None],
        "selection": [StrOptions({"auto", "greedy", "greedy_frobenius", "swap", "uniform", "kmeans",
                                  "pivoted_cholesky", "rpcholesky"})],
        "map": [StrOptions({"regression", "orthogonal", "affine"})],
        "sample": [Interval(Integral, 1, None, closed="left"), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "rerank": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_landmarks=None,
        *,
        metric="euclidean",
        metric_params=None,
        error=None,
        selection="auto",
        map="regression",
        sample=None,
        n_neighbors=5,
        rerank=None,
        random_state=None,
        n_jobs=None,
        memory_limit=None,
        progress=False,
    ):
        self.n_landmarks = n_landmarks
        self.metric = metric
        self.metric_params = metric_params
        self.error = error
        self.selection = selection
        self.map = map
        self.sample = sample
        self.n_neighbors = n_neighbors
        self.rerank = rerank
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.progress = progress

    def fit(self, X, y=None):
        """Choose landmarks among items, and the map from their distances to those of all items.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The items; dense doubles are made of others. With `metric='precomputed'` their distances.

        y : Ignored
            Present for API consistency by convention.

        Returns
        -------
        self : object
            The estimator.
        """
        self._validate_params()
        X = check_rows(self, X, reset=True)
        options = {"selection": self.selection, "map": self.map, "sample": self.sample or 0, "error": self.error}
        if self.n_landmarks is not None or self.error is None:
            options["landmarks"] = min(32 if self.n_landmarks is None else self.n_landmarks, X.shape[0])
        with Run(self) as run:
            self._distances = _native.Distances.fit(X, **self._metric(), options=options, run=run)
        self.summary_.warn()
        self._items = X
        self.n_samples_fit_ = X.shape[0]
        self.landmark_indices_ = np.array(self._distances.landmarks)
        return self

    def estimate(self, X):
        """Distances of queries to all items, measured to the landmarks only.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
            Queries.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_samples_fit)
            Distances: measured ones to the landmarks, estimates to the others.
        """
        check_is_fitted(self)
        return np.sqrt(self._distances.estimate(check_rows(self, X, reset=False), transform_run(self))[0])

    def bounds(self, X):
        """What the distances are certain to lie between, for Hilbertian ones.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
            Queries.

        Returns
        -------
        lower, upper : ndarrays of shape (n_queries, n_samples_fit)
            Bounds of the distances.
        """
        check_is_fitted(self)
        lower, upper = self._distances.bounds(check_rows(self, X, reset=False), transform_run(self))
        return np.sqrt(np.maximum(lower, 0)), np.sqrt(np.maximum(upper, 0))

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Nearest items of queries.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            Queries. None: the items themselves, none of which is then its own neighbour.

        n_neighbors : int, default=None
            How many. None: that of the estimator.

        return_distance : bool, default=True
            Whether distances are given, too.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Their distances, if `return_distance` is true.

        items : ndarray of shape (n_queries, n_neighbors)
            The nearest items, nearest first; equal distances by the lower number.
        """
        check_is_fitted(self)
        count = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(count, Integral) or count < 1:
            raise ValueError(f"n_neighbors must be a whole number above 0, got {count!r}")
        of_items = X is None
        queries = self._items if of_items else check_rows(self, X, reset=False)
        if count + of_items > self.n_samples_fit_:
            raise ValueError(f"Expected n_neighbors <= {self.n_samples_fit_ - of_items}, but n_neighbors = {count}")
        squares, items, _ = self._distances.neighbors(queries, count + of_items, self.rerank, transform_run(self))
        if of_items:
            squares, items = _without_themselves(squares, items)
        return (np.sqrt(squares), items) if return_distance else items

    def save(self, path):
        """Write the distances to a file that the command line and `mercer.load` read.

        Parameters
        ----------
        path : str or path-like
            The file; one that is there is replaced, as a whole or not at all.
        """
        check_is_fitted(self)
        if callable(self.metric):
            raise ValueError("no file can hold a callable metric: pickle the estimator instead")
        self._distances.save(path)

    def __sklearn_is_fitted__(self):
        return "_distances" in self.__dict__

    @property
    def summary_(self):
        """What the fit did, how well, at what cost: a `mercer.Summary`."""
        if not hasattr(self, "_distances"):
            raise AttributeError("this SparseDistance has no fit yet")
        return Summary.of(self._distances)

    def _metric(self):
        parameters = dict(self.metric_params or {})
        words = {name: parameters.pop(name) for name in ("squared", "hilbertian") if name in parameters}
        if callable(self.metric):
            function = partial(self.metric, **parameters) if parameters else self.metric
            return {"metric": "custom", "function": function} | words
        if self.metric == "kernel":
            known = {name: parameters.pop(name) for name in ("gamma", "degree", "coef0", "kernel_params")
                     if name in parameters}
            kernel = make_kernel(parameters.pop("kernel", "rbf"), self.n_features_in_, **known)
            if parameters:
                raise ValueError(f"metric='kernel' has no parameter {', '.join(parameters)}")
            return {"metric": "kernel", "kernel": kernel}
        return {"metric": self.metric, "parameters": parameters} | words

    def _more_tags(self):
        return {"pairwise": self.metric == "precomputed",
                "requires_positive_X": self.metric in ("chi2", "hellinger", "jensen_shannon")}


def _without_themselves(squares, items):
    """Without the item itself, or the last neighbour where copies of it came first."""
    count = items.shape[1] - 1
    keep = items != np.arange(len(items))[:, np.newaxis]
    keep[keep.all(axis=1), -1] = False
    return squares[keep].reshape(-1, count), items[keep].reshape(-1, count)
