#!/usr/bin/python3
"""check_includes.py accepts every direction that is allowed and names every one that is not."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import check_includes  # noqa: E402

# A small tree in which every folder has a header that others may try to include.
HEADERS = [
    "include/mercer/error.h",
    "include/mercer/matrix.h",
    "include/mercer/model.h",
    "include/mercer/eigen.h",
    "src/system/memory.h",
    "src/engine/random.h",
    "src/engine/gram.h",
    "src/engine/blas.h",
    "src/density/shadow.h",
    "src/model/container.h",
    "src/methods/exact.h",
    "src/data/csv.h",
    "cli/plot.h",
]

ALLOWED = [
    ("include/mercer/model.h", "<vector>"),
    ("include/mercer/model.h", "<mercer/matrix.h>"),
    ("include/mercer/eigen.h", "<Eigen/Core>"),
    ("src/system/memory.cpp", "<sys/mman.h>"),
    ("src/system/memory.cpp", "<mercer/error.h>"),
    ("src/engine/gram.cpp", '"system/memory.h"'),
    ("src/engine/gram.cpp", '"gram.h"'),
    ("src/engine/gram.cpp", "<hwy/highway.h>"),
    ("src/engine/blas.cpp", "<cblas.h>"),
    ("src/data/generate.cpp", '"engine/random.h"'),
    ("src/data/csv.cpp", "<zlib.h>"),
    ("src/data/images.cpp", "<png.h>"),
    ("src/density/shadow.cpp", '"engine/gram.h"'),
    ("src/model/container.cpp", "<nlohmann/json.hpp>"),
    ("src/model/container.cpp", "<zlib.h>"),
    ("src/methods/exact.cpp", '"model/container.h"'),
    ("src/methods/exact.cpp", '"density/shadow.h"'),
    ("cli/fit.cpp", "<CLI/CLI.hpp>"),
    ("cli/fit.cpp", '"plot.h"'),
    ("bench/micro/gram.cpp", '"engine/gram.h"'),
    ("tests/engine/gram_test.cpp", '"engine/gram.h"'),
    ("tests/engine/gram_test.cpp", "<gtest/gtest.h>"),
    ("tests/model/container_test.cpp", "<nlohmann/json.hpp>"),
]

FORBIDDEN = [
    ("include/mercer/model.h", "<fmt/format.h>"),
    ("include/mercer/model.h", "<unistd.h>"),
    ("include/mercer/model.h", "<Eigen/Core>"),
    ("include/mercer/model.h", '"../../src/model/container.h"'),
    ("src/system/memory.cpp", "<mercer/matrix.h>"),
    ("src/system/memory.cpp", '"engine/random.h"'),
    ("src/engine/gram.cpp", '"model/container.h"'),
    ("src/engine/gram.cpp", "<mercer/model.h>"),
    ("src/engine/gram.cpp", "<cblas.h>"),
    ("src/engine/gram.cpp", "<data/csv.h>"),
    ("src/data/csv.cpp", '"engine/gram.h"'),
    ("src/data/csv.cpp", "<mercer/model.h>"),
    ("src/data/csv.cpp", "<nlohmann/json.hpp>"),
    ("src/density/shadow.cpp", '"methods/exact.h"'),
    ("src/model/container.cpp", '"methods/exact.h"'),
    ("src/model/container.cpp", "<hwy/highway.h>"),
    ("src/model/container.cpp", '"data/csv.h"'),
    ("src/model/container.cpp", "<Eigen/Core>"),
    ("src/model/container.cpp", "<png.h>"),
    ("src/methods/exact.cpp", '"data/csv.h"'),
    ("src/methods/exact.cpp", '"engine/absent.h"'),
    ("src/version.cpp", '"engine/gram.h"'),
    ("src/unknown/file.cpp", '"engine/gram.h"'),
    ("cli/fit.cpp", '"engine/gram.h"'),
    ("cli/fit.cpp", "<gtest/gtest.h>"),
    ("bench/peers/exact/mercer.cpp", '"engine/gram.h"'),
    ("tests/engine/gram_test.cpp", "<CLI/CLI.hpp>"),
    ("tests/engine/gram_test.cpp", "<nlohmann/json.hpp>"),
    ("tests/compat/outside_project/main.cpp", '"engine/gram.h"'),
    ("elsewhere/file.cpp", "<mercer/model.h>"),
]


class CheckIncludes(unittest.TestCase):
    def run_on(self, path, text):
        """Exit code and output for the small tree with one more file (or one replaced)."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in HEADERS + [path]:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("#pragma once\n")
            (root / path).write_text(text)
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                code = check_includes.main(["check_includes.py", folder])
            return code, output.getvalue()

    def test_accepts_what_is_allowed(self):
        for path, include in ALLOWED:
            with self.subTest(path=path, include=include):
                code, output = self.run_on(path, f"#include {include}\n")
                self.assertEqual(code, 0, output)

    def test_names_file_line_and_header_of_what_is_forbidden(self):
        for path, include in FORBIDDEN:
            with self.subTest(path=path, include=include):
                code, output = self.run_on(path, f"// first line\n#include {include}\n")
                self.assertEqual(code, 1, output)
                self.assertIn(f"{path}:2: ", output)

    def test_finds_blas_calls_without_an_include(self):
        for call in ("dgemm_(a, b);", "cblas_dsyrk(x);", "openblas_set_num_threads(1);"):
            with self.subTest(call=call):
                code, output = self.run_on("src/engine/gram.cpp", f"void f() {{ {call} }}\n")
                self.assertEqual(code, 1, output)
                self.assertIn("src/engine/gram.cpp:1: ", output)

    def test_leaves_members_and_comments_alone(self):
        text = "Stream(int s) : seed_(s), dot_product_(s) {}\n// dgemm_(a, b) would be slower here\n"
        code, output = self.run_on("src/engine/gram.cpp", text)
        self.assertEqual(code, 0, output)

    def test_refuses_a_tree_without_sources(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(check_includes.main(["check_includes.py", folder]), 2)


if __name__ == "__main__":
    unittest.main()
