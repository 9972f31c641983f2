"""What is compared: a family (one colour in the picture), a setting, and how it is fitted."""

from dataclasses import dataclass

from command import QUICK

SIZES = (50, 200) if QUICK else (100, 300, 1000, 3000)
FREQUENCIES = (256,) if QUICK else (512, 2048)
RADII = (2, 4)


@dataclass(frozen=True)
class Contender:
    family: str
    setting: str
    words: tuple = ()  # of `mercer fit`
    size: int = 0  # settings of a family that have one come in ascending order
    peer: str = ""  # or a fit by scikit-learn
    memory_bytes: float = 0  # what a peer is known to need: it has no limit of its own


def ours(family, setting, *words):
    return Contender(family, setting, tuple(map(str, words)))


def sizes_of(family, sizes, label, option, *words):
    """One of ours for each size, which is the value of an option."""
    for size in sizes:
        yield Contender(family, label.format(size), tuple(map(str, (*words, option, size))), size)


def exact(d):
    yield ours("exact", "double", "--method", "exact")
    yield ours("exact", "float", "--method", "exact", "--precision", "float")
    if d > 128:
        yield ours("exact, projected rows", "128 columns", "--method", "exact", "--project-dim", 128)


def landmarks():
    yield from sizes_of("landmarks", SIZES, "m = {}", "--landmarks", "--method", "landmarks")
    yield from sizes_of("landmarks, uniform, float", SIZES, "m = {}", "--landmarks", "--method", "landmarks",
                        "--selection", "uniform", "--precision", "float")


def reduced_sets():
    yield from sizes_of("shadow", RADII, "ℓ = {}", "--ell", "--method", "shadow")
    for method in ("kmeans", "paring", "herding"):
        yield from sizes_of(method, SIZES[:3], "m = {}", "--centers", "--method", method)


def libraries():
    yield from sizes_of("greedy", SIZES[:3], "m = {}", "--max-library", "--method", "greedy")
    yield from sizes_of("partitioned", SIZES[:3], "at most {} a block", "--max-library", "--method", "partitioned")


def features():
    for method, *cut in (("akfa",), ("ackfa", "--delta", 0.1, "--delta-relative"), ("skfa",)):
        yield ours("kernel features", method, "--method", method, *cut)
    yield ours("kernel features", "akfa, 59 candidates", "--method", "akfa", "--candidates", 59, "--terms", 1000)


def randomized():
    yield ours("randomized", "1 value in 10", "--method", "randomized", "--sparsify", 10)
    yield ours("randomized", "1 bit a value", "--method", "randomized", "--quantize", "min_max")
    yield from sizes_of("random_features", FREQUENCIES, "D = {}", "--frequencies", "--method", "random_features",
                        "--orthogonal")
    yield ours("kronecker", "bisection", "--method", "kronecker")


def peers(n):
    """Kernel PCA of all pairs holds the matrix and its centred copy; the others the features and theirs."""
    for solver in ("arpack", "randomized"):
        yield Contender("sklearn KernelPCA", solver, peer=solver, memory_bytes=16 * n * n)
    for size in SIZES:
        yield Contender("sklearn Nystroem + PCA", f"m = {size}", size=size, peer="nystroem", memory_bytes=16 * n * size)
    for size in FREQUENCIES:
        yield Contender("sklearn RBFSampler + PCA", f"D = {size}", size=size, peer="rbf_sampler",
                        memory_bytes=16 * n * size)


def contenders(n, d):
    yield ours("auto", "default")
    yield from exact(d)
    yield from landmarks()
    yield from reduced_sets()
    yield from libraries()
    yield from features()
    yield from randomized()
    yield from peers(n)
