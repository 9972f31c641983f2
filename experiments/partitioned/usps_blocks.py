#!/usr/bin/python3
"""USPS digits, a block for each: training time against greedy kernel PCA of all rows with as large a library.

As in T.-J. Chin, D. Suter, "Improving the speed of kernel PCA on large scale datasets", AVSS 2006, who report a ratio of
22.7: Gaussian kernel of width 4, mean square error 0.1, at most 600 components. Pixels are mapped to [0, 1]. The quick
setting takes the 2,007 test rows and 100 components.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from command import QUICK, mercer, real_data

TABLE, COMPONENTS = ("usps_test.csv.gz", 100) if QUICK else ("usps_train.csv.gz", 600)
PROBLEM = ["--label-column", "first", "--shift", 1, "--multiply", 0.5, "--sigma", 4, "--components", COMPONENTS]
RULE = ["--pivot-rule", "max_residual"]
MERGED = ["--partition", "label", "--mse", 0.1, *RULE, "--refine", "none", "--max-components", COMPONENTS]


def main():
    path = real_data(f"usps/{TABLE}")
    with tempfile.TemporaryDirectory() as name:

        def fit(*words):
            model = Path(name) / "model.mercer"
            return json.loads(mercer("fit", path, "-o", model, "--json", "-", *PROBLEM, *words))

        def show(label, summary):
            phases = ", ".join(f"{p['name']} {p['seconds']:.2f}" for p in summary["phases"] if p["name"] != "read")
            left = summary["residual_trace_fraction"]
            print(f"| {label} | {summary['library_size']} | {left:.4f} | {summary['seconds']:.2f} | {phases} |", flush=True)

        print("| | library | mean square | s | parts of it |\n" + "|---" * 5 + "|")
        merged = fit(*MERGED)
        show("10 blocks, merged", merged)
        whole = fit("--method", "greedy", *RULE, "--max-library", merged["library_size"])
        show("all rows at once", whole)
        show("two levels", fit("--partition", "label", "--mse", 0.1, *RULE))
        show("two levels, sampled_best", fit("--partition", "label", "--mse", 0.1))
        print(f"\nAll rows at once took {whole['seconds'] / merged['seconds']:.1f} times as long as the merged blocks "
              "(the paper: 22.7).")


if __name__ == "__main__":
    main()
