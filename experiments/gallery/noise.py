#!/usr/bin/python3
"""Digits, the same with noise, and what models keep of those: ordinary PCA, kernel PCA of all rows and of few."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import pandas as pd

from command import QUICK, ROOT, mercer, output_folder, real_data
from image_rows import save_rows

FITTED = 1297
NOISE = 4.0  # of pixels from 0 to 16
MODELS = {
    "PCA, 16": ("--method", "exact", "--kernel", "linear", "--components", 16),
    "kernel PCA": ("--method", "exact", "--sigma", 24, "--components", 128),
    "200 landmarks": ("--method", "landmarks", "--landmarks", 200, "--sigma", 24, "--components", 128),
}


def reconstructed(folder, words):
    model, output = folder / "digits.mercer", folder / "clean.npy"
    mercer("fit", folder / "fitted.npy", "-o", model, "-q", *words)
    mercer("reconstruct", model, folder / "noisy.npy", "-o", output, "-q")
    return np.load(output)


def main():
    table = pd.read_csv(real_data("digits/digits.csv.gz"), header=None).values
    random = np.random.default_rng(0)
    table = table[random.permutation(len(table))]
    digits, labels = table[:, :-1].astype(float), table[FITTED:, -1]
    clean = digits[FITTED:]
    noisy = clean + NOISE * random.standard_normal(clean.shape)
    rows = {"digits": clean, "with noise": noisy}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "fitted.npy", digits[:FITTED])
        np.save(folder / "noisy.npy", noisy)
        for label, words in MODELS.items():
            rows[label] = reconstructed(folder, words)
    print("| | mean square error of a pixel |\n|---|---|")
    for label, images in list(rows.items())[1:]:
        print(f"| {label} | {((images - clean) ** 2).mean():.2f} |")
    shown = [np.flatnonzero(labels == digit)[0] for digit in range(10)]
    pictures = output_folder("pictures") if QUICK else ROOT / "docs/pictures"
    save_rows({label: images[shown] for label, images in rows.items()}, pictures / "digits_noise.png", (8, 8), "gray_r",
              (0, 16))


if __name__ == "__main__":
    main()
