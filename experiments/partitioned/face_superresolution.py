#!/usr/bin/python3
"""Sharp faces from blurred ones: pre-images of projections on kernel principal components of sharp faces.

As in T.-J. Chin, D. Suter, "Improving the speed of kernel PCA on large scale datasets", AVSS 2006, section 6, with the
extended Yale B faces: pixels 0 to 255, Gaussian kernel of width 1000, a block for each subject with at most 250 vectors,
1000 components. Eight images of each subject, drawn once, are for testing, the others for training. A block has 56 images
at most, so that 250 vectors are all of them; at most 28 keep half, as the paper did with its blocks of 500.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import QUICK, mercer, output_folder, real_data
from image_rows import save_rows

SIDE = 32
FACTORS = (2, 4, 8)
DRAWN_FACTOR = 4
TEST_IMAGES = 8
SUBJECTS, COMPONENTS, HALF = (6, 100, 28) if QUICK else (38, 1000, 28)
PCA_COMPONENTS = (64, 100) if QUICK else (64, 256, 1000)
KERNEL = ["--sigma", 1000, "--components", COMPONENTS]
RULE = ["--pivot-rule", "max_residual"]
BLOCKS = ["--partition", "label", "--refine", "none", "--max-components", COMPONENTS, *RULE]


def read_faces():
    """Sharp images as rows, and the subject of each."""
    images = np.load(real_data("extyaleb/extyaleb_32x32_images.npy"))
    subjects = np.load(real_data("extyaleb/extyaleb_labels.npy"))
    chosen = subjects <= SUBJECTS
    return images[chosen].reshape(-1, SIDE * SIDE).astype(float), subjects[chosen]


def draw_test_rows(subjects):
    random = np.random.default_rng(0)
    each = [random.permutation(np.flatnonzero(subjects == subject))[:TEST_IMAGES] for subject in np.unique(subjects)]
    return np.concatenate(each)


def blur(images, factor):
    """Means of factor x factor pixels, and linear interpolation between their centres."""
    size = SIDE // factor
    small = images.reshape(-1, size, factor, size, factor).mean(axis=(2, 4))
    centres = (np.arange(size) + 0.5) * factor - 0.5
    spread = np.array([np.interp(np.arange(SIDE), centres, unit) for unit in np.eye(size)])
    return (spread.T @ small @ spread).reshape(images.shape)


class Trial:
    """Fits on sharp faces, judged by what they make of blurred ones."""

    def __init__(self, folder, train, subjects, test):
        self.folder, self.test = folder, test
        np.save(folder / "train.npy", train)
        np.save(folder / "subjects.npy", subjects)
        self.blurred = {factor: blur(test, factor) for factor in FACTORS}
        for factor, images in self.blurred.items():
            np.save(folder / f"blurred_{factor}.npy", images)

    def fit(self, *words):
        data = [self.folder / "train.npy", "--labels", self.folder / "subjects.npy"]
        return json.loads(mercer("fit", *data, "-o", self.folder / "m.mercer", "--json", "-", *words))

    def sharpen(self, factor):
        """Pre-images of the blurred faces, and the seconds they took."""
        start = time.perf_counter()
        mercer("reconstruct", self.folder / "m.mercer", self.folder / f"blurred_{factor}.npy", "-o",
               self.folder / "r.npy")
        return np.load(self.folder / "r.npy"), time.perf_counter() - start

    def errors(self, images):
        return " | ".join(f"{((images[factor] - self.test) ** 2).mean():.1f}" for factor in FACTORS)

    def line(self, label, *words):
        """Prints what a fit costs and achieves; gives its summary and its images for the picture."""
        summary = self.fit(*words)
        sharpened = {factor: self.sharpen(factor) for factor in FACTORS}
        images = {factor: found[0] for factor, found in sharpened.items()}
        seconds = np.median([found[1] for found in sharpened.values()])
        print(f"| {label} | {summary['library_size'] or ''} | {summary['components']} | {summary['seconds']:.2f} |"
              f" {seconds:.2f} | {self.errors(images)} |", flush=True)
        return summary, images[DRAWN_FACTOR]


def main():
    images, subjects = read_faces()
    rows = draw_test_rows(subjects)
    train, train_subjects, test = np.delete(images, rows, axis=0), np.delete(subjects, rows), images[rows]
    print(f"{len(train)} images to fit on, {len(test)} to test, of {SUBJECTS} subjects\n")
    print("| | library | components | fit, s | pre-images, s |" + "".join(f" mse, factor {f} |" for f in FACTORS))
    print("|---" * (5 + len(FACTORS)) + "|")
    with tempfile.TemporaryDirectory() as name:
        trial = Trial(Path(name), train, train_subjects, test)
        print(f"| blurred | | | | | {trial.errors(trial.blurred)} |")
        shown = {"original": test, f"blurred by {DRAWN_FACTOR}": trial.blurred[DRAWN_FACTOR]}
        for count in PCA_COMPONENTS:
            words = ["--kernel", "linear", "--method", "exact", "--components", count]
            shown[f"PCA, {count}"] = trial.line(f"PCA, {count}", *words)[1]
        shown["KPCA"] = trial.line("KPCA", *KERNEL, "--method", "exact")[1]
        trial.line("mult, at most 250 a block", *KERNEL, *BLOCKS, "--max-library", 250)
        merged, mult = trial.line(f"mult, at most {HALF} a block", *KERNEL, *BLOCKS, "--max-library", HALF)
        greedy = ["--method", "greedy", *RULE, "--max-library", merged["library_size"]]
        shown["full"] = trial.line("full, as many vectors", *KERNEL, *greedy)[1]
        shown["mult"] = mult
    first = slice(0, None, len(test) // min(SUBJECTS, 12))
    shown = {label: faces[first] for label, faces in shown.items()}
    save_rows(shown, output_folder("partitioned") / "face_superresolution.png", (SIDE, SIDE), "gray", (0, 255))


if __name__ == "__main__":
    main()
