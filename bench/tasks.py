"""What is compared: the tasks, their data, the libraries that take part and how results are checked."""

import array
import random
import sys
from dataclasses import dataclass
from pathlib import Path

from participant import PEERS, Peer

# Where ./dev python installs the package; without it the rows of "mercer, from Python" are left out.
VENV_PYTHON = Path(__file__).resolve().parent.parent / "build/venv/bin/python"

D = 16
GAMMA = 1 / (2 * D)  # a typical pair of the points has the kernel value e^-1
COMPONENTS = 10
SEED = 20260101


@dataclass(frozen=True)
class Task:
    name: str
    label: str  # in a few words
    title: str
    error_means: str
    tolerance: float  # the largest error of a result of equal accuracy
    peers: tuple
    sizes: tuple  # of the full run, one dictionary each
    quick_sizes: tuple
    work: callable  # size -> a number that the time is expected to be proportional to
    arguments: callable  # (size, data folder, threads) -> what every adapter is called with
    error: callable  # (mercer's values, theirs) -> number


def relative_eigenvalue_error(ours, theirs):
    if len(ours) != len(theirs):
        return float("inf")
    return max(abs(a - b) for a, b in zip(ours, theirs)) / ours[0]


def entry_error(ours, theirs):
    return max(abs(a - b) for a, b in zip(ours, theirs, strict=True))


def relative_score_error(ours, theirs):
    """Components have no sign of their own: theirs are first given ours."""
    worst = 0
    for j in range(COMPONENTS):
        mine, other = ours[j::COMPONENTS], theirs[j::COMPONENTS]
        sign = 1 if sum(a * b for a, b in zip(mine, other, strict=True)) > 0 else -1
        worst = max(worst, max(abs(a - sign * b) for a, b in zip(mine, other)))
    return worst / max(map(abs, ours))


def landmark_error(ours, theirs):
    """Eigenvalues, and scores where they follow: two runs of mercer with the same landmarks."""
    error = relative_eigenvalue_error(ours[:COMPONENTS], theirs[:COMPONENTS])
    if len(theirs) == COMPONENTS:
        return error
    return max(error, relative_score_error(ours[COMPONENTS:], theirs[COMPONENTS:]))


def points_file(folder, n, seed=SEED):
    """Standard normal points as NPY, written once. Needs nothing beyond the standard library."""
    path = Path(folder) / f"normal_{n}x{D}_seed{seed}.npy"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = random.Random(seed)
    values = array.array("d", (stream.gauss(0, 1) for _ in range(n * D)))
    if sys.byteorder != "little":
        values.byteswap()
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {D}), }}"
    header = header.ljust(127 - 10) + "\n"
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        values.tofile(file)
    partial.rename(path)
    return path


def exact_task(programs):
    sklearn = (sys.executable, PEERS / "exact/scikit_learn.py")
    return Task(
        name="exact",
        label="exact kernel PCA",
        title=f"Exact kernel PCA, {COMPONENTS} components, n points with {D} columns",
        error_means="largest eigenvalue error / λ₁",
        tolerance=1e-8,
        peers=(
            Peer("mercer", (programs / "exact_mercer",), tolerance=0, is_mercer=True),
            Peer("mercer, from Python", (VENV_PYTHON, PEERS / "exact/mercer_python.py"), tolerance=0, is_mercer=True),
            Peer("scikit-learn, arpack", sklearn, ("arpack",)),
            Peer("scikit-learn, dense", sklearn, ("dense",)),
            # Listed with whatever error an approximation may have, but compared only at equal accuracy.
            Peer("scikit-learn, randomized", sklearn, ("randomized",), tolerance=1e-3),
            Peer("kernlab", ("Rscript", PEERS / "exact/kernlab.R")),
            Peer("Eigen + LAPACK", (programs / "exact_eigen_lapack",)),
        ),
        sizes=({"n": 2000}, {"n": 5000}, {"n": 10000}),
        quick_sizes=({"n": 2000},),
        work=lambda size: size["n"] ** 3,
        arguments=lambda size, data, threads: (points_file(data, size["n"]), GAMMA, COMPONENTS, threads),
        error=relative_eigenvalue_error,
    )


def gram_task(programs):
    return Task(
        name="gram",
        label="kernel matrix",
        title=f"Gaussian kernel matrix of n points with {D} columns",
        error_means="largest error of an entry",
        tolerance=1e-12,
        peers=(
            Peer("mercer", (programs / "gram_mercer",), tolerance=0, is_mercer=True),
            Peer("scikit-learn", (sys.executable, PEERS / "gram/scikit_learn.py")),
        ),
        sizes=({"n": 5000},),
        quick_sizes=({"n": 2000},),
        work=lambda size: size["n"] ** 2,
        arguments=lambda size, data, threads: (points_file(data, size["n"]), GAMMA, threads),
        error=entry_error,
    )


def transform_task(programs):
    return Task(
        name="transform",
        label="scores of new points",
        title=f"Scores of m new points in a model of n points, {COMPONENTS} components",
        error_means="largest score error / largest score",
        tolerance=1e-6,
        peers=(
            Peer("mercer", (programs / "transform_mercer",), tolerance=0, is_mercer=True),
            Peer("scikit-learn", (sys.executable, PEERS / "transform/scikit_learn.py")),
        ),
        sizes=({"n": 5000, "m": 20000},),
        quick_sizes=({"n": 2000, "m": 5000},),
        work=lambda size: size["n"] * size["m"],
        arguments=lambda size, data, threads: (
            points_file(data, size["n"]),
            points_file(data, size["m"], SEED + 1),
            GAMMA,
            COMPONENTS,
            threads,
        ),
        error=relative_score_error,
    )


def landmarks_task(programs):
    """Landmarks are drawn by each library's own generator, and other landmarks give other eigenvalues:
    the tolerance only tells an answer to the same question from a wrong one."""
    mercer = (programs / "landmarks_mercer",)
    return Task(
        name="landmarks",
        label="landmark kernel PCA",
        title=f"Kernel PCA through m landmarks, {COMPONENTS} components, n points with {D} columns",
        error_means="largest eigenvalue error / λ₁",
        tolerance=0.05,
        peers=(
            # First the one that does what the peer does; it is the reference for the others.
            Peer("mercer, uniform", mercer, ("uniform", "double"), tolerance=0, is_mercer=True),
            Peer("mercer", mercer, ("default", "double"), is_mercer=True),
            Peer(
                "mercer, uniform, from Python",
                (VENV_PYTHON, PEERS / "landmarks/mercer_python.py"),
                tolerance=0,
                is_mercer=True,
            ),
            Peer("mercer, uniform, float", mercer, ("uniform", "float"), tolerance=1e-4, is_mercer=True),
            Peer(
                "scikit-learn, Nystroem + PCA",
                (sys.executable, PEERS / "landmarks/scikit_learn.py"),
                # Features, their centred copy and half as much for work: measured with n = 200,000.
                memory_bytes=lambda size: 2.5 * 8 * size["n"] * size["m"] + 200e6,
            ),
        ),
        sizes=({"n": 100_000, "m": 1000}, {"n": 1_000_000, "m": 500}),
        quick_sizes=({"n": 20_000, "m": 200},),
        work=lambda size: size["n"] * size["m"] ** 2,
        arguments=lambda size, data, threads: (
            points_file(data, size["n"]),
            GAMMA,
            COMPONENTS,
            size["m"],
            threads,
        ),
        error=landmark_error,
    )


def all_tasks(programs):
    """`programs` is the folder of the compiled adapters."""
    return [make(programs) for make in (exact_task, gram_task, transform_task, landmarks_task)]
