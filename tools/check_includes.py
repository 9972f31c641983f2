#!/usr/bin/python3
"""Fails when a file includes something against the directions of docs/architecture.md.

Prints one line per offence, `file:line: what, and the rule it breaks`, and exits with 1.
`check_includes.py [ROOT]` looks at every C++ file below ROOT (default: this repository).
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

PUBLIC = "include/mercer"

# What the files of a folder may include of this project. "*" stands for a whole folder. The longest
# matching prefix of a file's path decides, so bench/micro has more freedom than bench.
ANY_PUBLIC = [f"{PUBLIC}/*"]
DIRECTIONS = {
    PUBLIC: ANY_PUBLIC,
    "src/system": ["src/system/*", f"{PUBLIC}/error.h"],
    "src/engine": ["src/engine/*", "src/system/*"]
    + [
        f"{PUBLIC}/{name}.h"
        for name in ("matrix", "kernel", "distance", "bandwidth", "run", "summary", "platform", "error")
    ],
    "src/data": ["src/data/*", "src/system/*", "src/engine/random.h"]
    + [f"{PUBLIC}/{name}.h" for name in ("matrix", "rows", "input", "data", "generate", "error")],
    "src/density": ["src/density/*", "src/engine/*", "src/system/*"] + ANY_PUBLIC,
    "src/model": ["src/model/*", "src/engine/*", "src/system/*"] + ANY_PUBLIC,
    "src/methods": ["src/methods/*", "src/density/*", "src/model/*", "src/engine/*", "src/system/*"]
    + ANY_PUBLIC,
    "src/comparison": ["src/comparison/*", "src/engine/*", "src/system/*"] + ANY_PUBLIC,
    "src/distance": ["src/distance/*", "src/methods/*", "src/model/*", "src/engine/*", "src/system/*"]
    + ANY_PUBLIC,
    "src/metrics": ["src/metrics/*", "src/engine/*", "src/system/*"] + ANY_PUBLIC,
    "src": ANY_PUBLIC,
    "cli": ["cli/*"] + ANY_PUBLIC,
    "python": ["python/*"] + ANY_PUBLIC,
    "experiments": ["experiments/*"] + ANY_PUBLIC,
    "examples": ANY_PUBLIC,
    "bench": ["bench/*"] + ANY_PUBLIC,
    "bench/micro": ["bench/*", "src/*"] + ANY_PUBLIC,
    "tests": ["tests/*", "src/*", "cli/*"] + ANY_PUBLIC,
    "tests/compat/outside_project": ANY_PUBLIC,
}


@dataclass(frozen=True)
class Library:
    """A library from outside and the only places where its headers may be included.

    The tests of a folder of src (tests/model for src/model) may include what that folder may.
    """

    name: str
    header: re.Pattern
    allowed: tuple


LIBRARIES = [
    Library("Highway", re.compile(r"hwy/"), ("src/engine/",)),
    Library(
        "OpenBLAS/LAPACK",
        re.compile(r"(cblas|cblas-.*|f77blas|openblas.*|lapack|lapacke|lapack/.*|openblas/.*)(\.h)?$"),
        ("src/engine/blas.",),
    ),
    Library("nlohmann-json", re.compile(r"nlohmann/"), ("src/model/", "src/comparison/")),
    Library("zlib", re.compile(r"(zlib|zconf)\.h$"), ("src/data/", "src/model/", "tests/fuzz/")),
    Library("libpng", re.compile(r"(png|libpng.*/png)\.h$"), ("src/data/",)),
    Library("CLI11", re.compile(r"CLI/"), ("cli/",)),
    Library("Eigen", re.compile(r"(Eigen|unsupported/Eigen)/"), (f"{PUBLIC}/eigen.h", "bench/", "tests/")),
    Library("pybind11", re.compile(r"pybind11/"), ("python/",)),
    Library("fmt", re.compile(r"fmt/"), ("src/", "cli/", "bench/", "tests/", "experiments/")),
    Library("GoogleTest or RapidCheck", re.compile(r"(gtest|gmock|rapidcheck)(/|\.h$)"), ("tests/",)),
    Library("nanoflann", re.compile(r"nanoflann\.hpp$"), ("bench/",)),
    Library("Google Benchmark", re.compile(r"benchmark/"), ("bench/",)),
]

# Calls of BLAS and LAPACK by their C or Fortran names, which need no include to leak.
BLAS_SYMBOL = re.compile(
    r"\b(cblas_\w+|LAPACKE_\w+|openblas_\w+"
    r"|[sd](gemm|gemv|ger|syrk|syr2k|symm|symv|trsm|trmm|trsv|dot|axpy|nrm2|scal|potr[fis]|pstrf"
    r"|syev[dr]?x?|sytrd|stev[dr]?|steqr|geqrf|geqp3|orgqr|ormqr|gesvd|gesdd|lange|lansy)_)\s*\("
)
BLAS_HOME = "src/engine/blas."

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?P<quoted>[^"]+)"|<(?P<angled>[^>]+)>)')
SOURCE_SUFFIXES = {".cpp", ".h"}
SKIPPED_FOLDERS = ("build", ".")  # prefixes


def longest_prefix(path, table):
    """The entry of `table` whose key is the deepest folder above `path`, or None."""
    for folder in Path(path).parents:
        if folder.as_posix() in table:
            return folder.as_posix()
    return None


def allows(patterns, target):
    return any(
        target.startswith(pattern[:-1]) if pattern.endswith("*") else target == pattern
        for pattern in patterns
    )


def mirrored(path):
    """The place in src whose tests a test file holds."""
    return re.sub("^tests/", "src/", path)


def resolve(root, path, include, quoted):
    """The file of this project that an include names, relative to root, or None."""
    beside = [Path(path).parent] if quoted else []
    for base in beside + [Path("include"), Path("src"), Path("tests"), Path("python"), Path(".")]:
        candidate = (root / base / include).resolve()
        if candidate.is_file() and candidate.is_relative_to(root):
            return candidate.relative_to(root).as_posix()
    return None


def check_project_include(path, target):
    folder = longest_prefix(path, DIRECTIONS)
    if folder is None:
        return f"no direction is given for this folder; add it to {Path(__file__).name}"
    if allows(DIRECTIONS[folder], target):
        return None
    return f"includes {target}; {folder} may include only {', '.join(DIRECTIONS[folder])}"


def check_include(root, path, include, quoted):
    """The rule that this include breaks, or None."""
    for library in LIBRARIES:
        if library.header.match(include):
            if path.startswith(library.allowed) or mirrored(path).startswith(library.allowed):
                return None
            return f"includes <{include}>; {library.name} only in {', '.join(library.allowed)}"
    target = resolve(root, path, include, quoted)
    if target is not None:
        return check_project_include(path, target)
    if quoted or include.startswith("mercer/"):
        return f"includes {include}, which is not a file of this project"
    # Headers of the C++ standard library have no suffix and no folder.
    if path.startswith(PUBLIC) and not re.fullmatch(r"[a-z0-9_]+", include):
        return f"includes <{include}>; public headers only the standard library and mercer headers"
    return None


def check_file(root, path):
    """Yields (line number, message) for each offence in a file."""
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), start=1):
        include = INCLUDE.match(line)
        if include:
            name = include["quoted"] or include["angled"]
            message = check_include(root, path, name, include["quoted"] is not None)
            if message:
                yield number, message
            continue
        symbol = BLAS_SYMBOL.search(line.split("//")[0])
        if symbol and path.startswith(("src/", "cli/", PUBLIC)) and not path.startswith(BLAS_HOME):
            yield number, f"uses {symbol[1]}; BLAS and LAPACK only in {BLAS_HOME}*"


def source_files(root):
    for file in sorted(root.rglob("*")):
        relative = file.relative_to(root)
        if file.suffix in SOURCE_SUFFIXES and not relative.parts[0].startswith(SKIPPED_FOLDERS):
            yield relative.as_posix()


def main(arguments):
    root = Path(arguments[1] if len(arguments) > 1 else Path(__file__).parent.parent).resolve()
    files = list(source_files(root))
    if not files:
        print(f"{root}: no C++ files here", file=sys.stderr)
        return 2
    offences = [f"{path}:{line}: {message}" for path in files for line, message in check_file(root, path)]
    print("\n".join(offences) if offences else f"{len(files)} files include in the right directions")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
