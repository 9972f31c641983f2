"""Arrays are not copied, the interpreter is not held up, and what belongs to others is left as it was."""

import ctypes
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import joblib
import numpy as np
import pytest

import mercer


def run_python(code, **environment):
    """What another interpreter prints."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                          env=os.environ | environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_rows_are_not_copied(kind):
    """205 or 410 MB of rows; what a fit and a transform add to the peak is far less."""
    before, after, size = map(float, run_python(f"""
        import resource
        import numpy as np
        import mercer
        rows = np.empty((3_200_000, 16), dtype="{kind}")
        random = np.random.default_rng(0)
        for first in range(0, len(rows), 100_000):
            rows[first : first + 100_000] = random.normal(size=(100_000, 16))
        mercer.KernelPCA(1, kernel="rbf", gamma=0.1).fit(rows[:100]).transform(rows[:100])
        peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        before = peak()
        ours = mercer.KernelPCA(1, kernel="rbf", gamma=0.1, method="landmarks", method_options=dict(
            landmarks=20, selection="uniform")).fit(rows)
        ours.transform(rows)
        print(before, peak(), rows.nbytes)
        """))
    assert after - before < 0.4 * size


def test_sparse_rows_are_never_spread_out_as_a_whole():
    """480 MB if they were."""
    before, after = map(float, run_python("""
        import resource
        import scipy.sparse
        import mercer
        rows = scipy.sparse.random(300_000, 200, density=0.01, format="csr", random_state=0)
        ours = mercer.KernelPCA(2, kernel="rbf", gamma=0.1, method="landmarks", method_options=dict(
            landmarks=20, selection="uniform"))
        ours.fit(rows[:1000]).transform(rows[:1000])
        peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        before = peak()
        ours.fit(rows).transform(rows)
        print(before, peak())
        """))
    assert after - before < 0.3 * 300_000 * 200 * 8


def test_scores_are_not_copied(rows):
    scores = mercer.KernelPCA(2, kernel="rbf").fit(rows)._model.transform(rows)
    assert not scores.flags.owndata and scores.flags.writeable and scores.flags.c_contiguous


def test_the_library_is_looked_at_and_cannot_be_written(rows):
    ours = mercer.KernelPCA(2, kernel="rbf").fit(rows)
    assert not ours.X_fit_.flags.writeable and not ours.X_fit_.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        ours.X_fit_[0, 0] = 1


def test_every_layout_gives_the_same(rows, tmp_path):
    ours = mercer.KernelPCA(2, kernel="rbf", gamma=0.1)
    expected = ours.fit(rows).transform(rows)
    np.save(tmp_path / "rows.npy", rows)
    read_only = rows.copy()
    read_only.flags.writeable = False
    wide = np.zeros((300, 10))
    wide[:, 2:6] = rows
    for same in (np.asfortranarray(rows), np.load(tmp_path / "rows.npy", mmap_mode="r"), read_only, wide[:, 2:6],
                 np.repeat(rows, 2, axis=0)[::2], rows[::-1][::-1], rows.tolist()):
        np.testing.assert_array_equal(ours.fit(same).transform(same), expected)


def test_models_take_lists_and_whole_numbers(rows):
    model = mercer.KernelPCA(2, kernel="rbf").fit(rows)._model
    whole = np.arange(8).reshape(2, 4)
    np.testing.assert_array_equal(model.transform(whole), model.transform(whole.astype(float)))
    np.testing.assert_array_equal(model.transform(whole.tolist()), model.transform(whole.astype(float)))
    with pytest.raises(ValueError, match="2D"):
        model.transform(np.zeros(4))
    with pytest.raises((TypeError, ValueError)):
        model.transform("rows")


def test_frames_go_in_and_come_out(rows):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=list("abcd"))
    ours = mercer.KernelPCA(2, kernel="rbf").set_output(transform="pandas").fit(frame)
    assert list(ours.feature_names_in_) == list("abcd")
    assert list(ours.transform(frame).columns) == ["kernelpca0", "kernelpca1"]


def test_other_threads_go_on_during_a_fit():
    rows = np.random.default_rng(0).normal(size=(3000, 8))
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    mercer.KernelPCA(1500, kernel="rbf", eigen_solver="dense").fit(rows)
    seconds = time.perf_counter() - start
    over.set()
    thread.join()
    assert counted[0] > 50 * seconds


def test_ctrl_c_ends_a_fit():
    code = """
        import numpy as np
        import mercer
        rows = np.random.default_rng(0).normal(size=(400_000, 8))
        print("ready", flush=True)
        try:
            mercer.KernelPCA(5, kernel="rbf", method="exact").fit(rows)
        except KeyboardInterrupt:
            print("interrupted")
        """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    start = time.perf_counter()
    assert process.communicate(timeout=60)[0] == "interrupted\n"
    assert time.perf_counter() - start < 10


def test_progress_is_told():
    rows = np.random.default_rng(0).normal(size=(20000, 4))
    told = []
    mercer.KernelPCA(2, kernel="rbf", method="landmarks", progress=lambda *where: told.append(where)).fit(rows)
    assert told and all(0 <= fraction <= 1 for _, fraction, _, _ in told)
    assert {phase for phase, *_ in told}


def test_an_error_in_the_last_report_is_raised(rows):
    told = []
    mercer.KernelPCA(2, kernel="rbf", progress=lambda *where: told.append(where)).fit(rows)

    def fail_at_the_end(phase, fraction, *_):
        if (phase, fraction) == told[-1][:2]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mercer.KernelPCA(2, kernel="rbf", progress=fail_at_the_end).fit(rows)


def test_threads_take_turns_at_a_stream(rows):
    stream = mercer.IncrementalKernelPCA(2, gamma=0.1).partial_fit(rows)._stream
    threads = [threading.Thread(target=lambda: [stream.partial_fit(rows) for _ in range(5)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stream.rows == 11 * len(rows)


def test_an_error_in_progress_is_raised():
    rows = np.random.default_rng(0).normal(size=(20000, 4))

    def fail(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        mercer.KernelPCA(2, kernel="rbf", method="landmarks", progress=fail).fit(rows)


def test_a_bar_is_shown_by_tqdm(capsys):
    pytest.importorskip("tqdm")
    rows = np.random.default_rng(0).normal(size=(20000, 4))
    mercer.KernelPCA(2, kernel="rbf", method="landmarks", progress=True).fit(rows)
    assert "%" in capsys.readouterr().err


def kernel_of_module(x, y):
    return float(np.exp(-0.1 * np.abs(x - y).sum()))


@pytest.mark.parametrize("estimator", [
    mercer.KernelPCA(2, kernel="rbf", fit_inverse_transform=True), mercer.KernelPCA(2, kernel=kernel_of_module),
    mercer.KernelPCA(2, method="landmarks", kernel="rbf"), mercer.Nystroem(kernel="poly", degree=2.5, n_components=9),
    mercer.IncrementalKernelPCA(2), mercer.KernelPCA(2, kernel="additive_chi2"), mercer.ReducedSetKernelPCA(2), mercer.FeatureAnalysis(2), mercer.DiffusionMaps(2)],
    ids=str)
def test_pickles_and_joblib_keep_every_bit(rows, estimator, tmp_path):
    rows = np.abs(rows)  # a power of 2.5 has no value for negative numbers
    estimator.fit(rows[:100])
    joblib.dump(estimator, tmp_path / "estimator")
    for copy in (pickle.loads(pickle.dumps(estimator)), joblib.load(tmp_path / "estimator")):
        np.testing.assert_array_equal(copy.transform(rows), estimator.transform(rows))
    if getattr(estimator, "fit_inverse_transform", False):
        scores = estimator.transform(rows)
        np.testing.assert_array_equal(copy.inverse_transform(scores), estimator.inverse_transform(scores))


def test_distances_by_a_function_are_pickled(rows):
    ours = mercer.SparseDistance(8, metric=kernel_of_module).fit(rows[:50])
    copy = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(copy.estimate(rows[50:60]), ours.estimate(rows[50:60]))


def test_a_stream_by_a_function_says_that_it_cannot_be_pickled(rows):
    stream = mercer.IncrementalKernelPCA(2, kernel=kernel_of_module).fit(rows[:50])
    assert stream.transform(rows).shape == (300, 2)
    with pytest.raises(TypeError, match="callable kernel cannot be pickled"):
        pickle.dumps(stream)


def test_workers_of_joblib_find_the_same(rows):
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    labels = (rows[:, 0] > 3).astype(int)
    grid = {"kernelpca__gamma": [0.01, 0.1]}
    pipeline = make_pipeline(mercer.KernelPCA(2, kernel="rbf"), KNeighborsClassifier())
    one, two = (GridSearchCV(pipeline, grid, cv=3, n_jobs=jobs).fit(rows, labels) for jobs in (1, 2))
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])


def test_the_blas_is_left_as_it_was(rows):
    openblas = ctypes.CDLL("libopenblas.so.0")
    before = openblas.openblas_get_num_threads()
    openblas.openblas_set_num_threads(2)
    mercer.KernelPCA(50, kernel="rbf", eigen_solver="dense").fit(rows).transform(rows)
    assert openblas.openblas_get_num_threads() == 2
    openblas.openblas_set_num_threads(before)


def test_import_takes_little_beyond_scikit_learns_base():
    code = """
        import time
        import sklearn.base
        start = time.perf_counter()
        import mercer
        print(time.perf_counter() - start)
        """
    assert min(float(run_python(code)[0]) for _ in range(5)) < 0.1
