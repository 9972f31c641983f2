"""The files of the command line, and its numbers."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mercer

COMMAND = Path(os.environ.get("MERCER", Path(__file__).parents[2] / "build/release/mercer"))
needs_command = pytest.mark.skipif(not COMMAND.exists(), reason=f"there is no command {COMMAND}; MERCER names another")


def command(*words):
    subprocess.run([COMMAND, *map(str, words), "-q"], check=True, capture_output=True)


@needs_command
@pytest.mark.parametrize("method, words, options", [
    ("exact", (), {}),
    ("landmarks", ("--landmarks", 60), {"landmarks": 60}),
    ("landmarks", ("--selection", "kmeans", "--landmarks", 40), {"selection": "kmeans", "landmarks": 40}),
    ("greedy", ("--max-library", 50), {"max_library": 50}),
    ("shadow", ("--ell", 3), {"ell": 3}),
    ("randomized", ("--sparsify", 3), {"sparsify": 3}),
    ("random_features", ("--frequencies", 64), {"frequencies": 64}),
    ("partitioned", ("--blocks", 3, "--partition", "order"), {"blocks": 3, "partition": "order"}),
    ("kmeans", ("--centers", 30), {"centers": 30}),
    ("paring", ("--centers", 30), {"centers": 30}),
    ("herding", ("--centers", 30), {"centers": 30}),
    ("kronecker", (), {}),
    ("auto", (), {}),
], ids=str)
def test_numbers_are_those_of_the_command_to_the_last_bit(rows, tmp_path, method, words, options):
    np.save(tmp_path / "rows.npy", rows)
    command("fit", tmp_path / "rows.npy", "-o", tmp_path / "m.mercer", "--method", method, "--gamma", 0.1, "--seed", 7,
            "--components", 3, *words)
    command("transform", tmp_path / "m.mercer", tmp_path / "rows.npy", "-o", tmp_path / "z.npy")
    ours = mercer.KernelPCA(3, kernel="rbf", gamma=0.1, method=method, method_options=options, random_state=7).fit(rows)
    loaded = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(ours._model.coefficients, loaded.coefficients)
    np.testing.assert_array_equal(ours.transform(rows), np.load(tmp_path / "z.npy"))
    np.testing.assert_array_equal(loaded.transform(rows), np.load(tmp_path / "z.npy"))


@needs_command
@pytest.mark.parametrize("method, estimator", [
    ("akfa", mercer.FeatureAnalysis(3, gamma=0.1)),
    ("ackfa", mercer.FeatureAnalysis(3, rule="ackfa", delta=0.1, gamma=0.1)),
    ("diffusion_maps", mercer.DiffusionMaps(3, gamma=0.1)),
    ("laplacian_eigenmaps", mercer.LaplacianEigenmaps(3, gamma=0.1))], ids=str)
def test_other_estimators_have_its_numbers_too(rows, tmp_path, method, estimator):
    np.save(tmp_path / "rows.npy", rows)
    words = ("--delta", 0.1) if method == "ackfa" else ()
    command("fit", tmp_path / "rows.npy", "-o", tmp_path / "m.mercer", "--method", method, "--gamma", 0.1, "--components", 3,
            *words)
    np.testing.assert_array_equal(estimator.fit(rows).transform(rows), mercer.load(tmp_path / "m.mercer").transform(rows))


@needs_command
def test_the_command_reads_what_python_saved(rows, tmp_path):
    np.save(tmp_path / "rows.npy", rows)
    ours = mercer.KernelPCA(3, kernel="poly", degree=2).fit(rows)
    mercer.save(ours, tmp_path / "m.mercer")
    command("transform", tmp_path / "m.mercer", tmp_path / "rows.npy", "-o", tmp_path / "z.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "z.npy"), ours.transform(rows))


@needs_command
def test_streams_and_distances_are_loaded(rows, tmp_path):
    np.save(tmp_path / "rows.npy", rows)
    command("update", tmp_path / "s.stream", tmp_path / "rows.npy", "--start", "--gamma", 0.1)
    stream = mercer.load(tmp_path / "s.stream")
    assert isinstance(stream, mercer.Stream) and stream.rows == len(rows)
    mercer.SparseDistance(8).fit(rows).save(tmp_path / "d.distance")
    assert mercer.load(tmp_path / "d.distance").items == len(rows)


def test_models_come_back_with_their_kernel(rows, tmp_path):
    def kernel(x, y):
        return float(np.exp(-0.1 * np.abs(x - y).sum()))

    ours = mercer.KernelPCA(2, kernel=kernel).fit(rows[:50])
    ours.save(tmp_path / "m.mercer")
    with pytest.raises(OSError, match="function"):
        mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "m.mercer", kernel).transform(rows), ours.transform(rows))


@pytest.mark.parametrize("estimator", [mercer.KernelPCA(2, kernel="additive_chi2"),
                                       mercer.Nystroem(kernel="poly", degree=2.5, n_components=5),
                                       mercer.SparseDistance(4, metric=lambda x, y: float(((x - y) ** 2).sum()))])
def test_what_no_file_can_hold_is_refused(rows, tmp_path, estimator):
    with pytest.raises(ValueError, match="pickle the estimator"):
        estimator.fit(np.abs(rows[:50])).save(tmp_path / "m.mercer")
    assert not (tmp_path / "m.mercer").exists()


def test_bad_files_are_os_errors(tmp_path):
    (tmp_path / "no.mercer").write_text("this is no model")
    for name in ("no.mercer", "missing.mercer"):
        with pytest.raises(OSError, match=name):
            mercer.load(tmp_path / name)


def test_summaries_are_dictionaries_and_text(rows):
    summary = mercer.KernelPCA(2, kernel="rbf").fit(rows).summary_
    assert summary["method"] == "exact" and summary["n"] == 300
    assert "Kernel PCA" in str(summary) and "\n" not in summary.brief()
