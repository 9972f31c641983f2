"""How to run: threads, seeds, memory, progress."""

import os
from numbers import Integral

from sklearn.utils import check_random_state

from . import _native


def threads_of(n_jobs):
    """Worker threads for scikit-learn's ``n_jobs``; 0 means one for every processor.

    None means all processors, too, unless OMP_NUM_THREADS says otherwise, as it does in the workers of joblib.
    """
    if n_jobs is None:
        allowed = os.environ.get("OMP_NUM_THREADS", "")
        return int(allowed) if allowed.isdecimal() else 0
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    if n_jobs == -1:
        return 0
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def seed_of(random_state):
    """A number is the seed itself, None is 0: results repeat unless a generator is given."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


class _Bar:
    """A tqdm bar for each phase of a fit."""

    def __init__(self):
        from tqdm.auto import tqdm

        self._tqdm = tqdm
        self._bar = None
        self._phase = None

    def __call__(self, phase, fraction, rows_done, rows_total):
        if self._bar is None or self._phase != phase:
            self.close()
            self._phase = phase
            self._bar = self._tqdm(total=100, desc=phase, bar_format="{l_bar}{bar}| {elapsed}<{remaining}", leave=False)
        self._bar.update(100 * fraction - self._bar.n)

    def close(self):
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def progress_of(progress):
    """A function that the library calls: the caller's own, a tqdm bar where tqdm is installed, or None."""
    if callable(progress):
        return progress
    if not progress:
        return None
    try:
        return _Bar()
    except ImportError:
        return None


class Run:
    """A context in which to fit: its ``settings`` go to the library, its bar is gone afterwards."""

    def __init__(self, estimator, seed=None):
        self._progress = progress_of(estimator.progress)
        self.settings = _native.Run(
            threads=threads_of(estimator.n_jobs),
            seed=seed_of(estimator.random_state) if seed is None else seed,
            memory_limit=estimator.memory_limit or 0,
            progress=self._progress,
        )

    def __enter__(self):
        return self.settings

    def __exit__(self, *_):
        if isinstance(self._progress, _Bar):
            self._progress.close()


def transform_run(estimator):
    """For transforms, which have no seed and show no progress."""
    return _native.Run(threads=threads_of(estimator.n_jobs), memory_limit=estimator.memory_limit or 0)
