# %% [markdown]
# # Kernel PCA in ten minutes
#
# A script of cells, as editors and Jupyter (by jupytext) show them. Pictures are saved in the folder that the first
# argument names, or in the current one.

# %%
import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sklearn.decomposition
from sklearn.datasets import load_digits, make_circles
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from mercer import DiffusionMaps, KernelPCA, ReducedSetKernelPCA, load

pictures = Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def save(figure, name):
    figure.tight_layout()
    figure.savefig(pictures / name, dpi=90)


# %% [markdown]
# ## Two circles
#
# No line parts them, and no linear component does. In the feature space of a Gaussian kernel one does.

# %%
X, y = make_circles(n_samples=600, factor=0.3, noise=0.06, random_state=0)
kpca = KernelPCA(n_components=2, kernel="rbf", gamma=2).fit(X)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4))
left.scatter(*X.T, c=y, s=6)
left.set_title("rows")
right.scatter(*kpca.transform(X).T, c=y, s=6)
right.set_title("their first two components")
save(figure, "circles.png")

# %% [markdown]
# The fit says what it did, how well, and at what cost.

# %%
print(kpca.summary_)

# %% [markdown]
# ## The same numbers as scikit-learn
#
# Parameters and attributes have the same names and meanings. Signs may differ.

# %%
theirs = sklearn.decomposition.KernelPCA(n_components=2, kernel="rbf", gamma=2).fit(X)
print("eigenvalues", kpca.eigenvalues_, theirs.eigenvalues_)
assert np.allclose(kpca.eigenvalues_, theirs.eigenvalues_)

# %% [markdown]
# ## Digits: features for a classifier
#
# `n_components` between 0 and 1 asks for a share of the variance instead of a number.

# %%
X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
for share in (0.3, 0.6, 0.9):
    kpca = KernelPCA(n_components=share, kernel="rbf", gamma=5e-4).fit(X_train)
    near = KNeighborsClassifier(3).fit(kpca.transform(X_train), y_train)
    accuracy = near.score(kpca.transform(X_test), y_test)
    print(f"{share:.0%} of the variance: {len(kpca.eigenvalues_)} components, accuracy {accuracy:.3f}")

# %% [markdown]
# ## Noise
#
# What the model does not represent is left out of its reconstruction.

# %%
noisy = X_test + np.random.default_rng(0).normal(scale=4, size=X_test.shape)
kpca = KernelPCA(n_components=40, kernel="rbf", gamma=5e-4).fit(X_train)
clean = kpca.reconstruct(noisy)
print(f"mean squared error: noisy {((noisy - X_test) ** 2).mean():.1f}, clean {((clean - X_test) ** 2).mean():.1f}")
figure, axes = plt.subplots(3, 10, figsize=(8, 2.8))
for row, images in zip(axes, (X_test, noisy, clean)):
    for axis, image in zip(row, images):
        axis.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        axis.axis("off")
save(figure, "noise.png")

# %% [markdown]
# ## Many rows
#
# Beyond a few thousand rows the default chooses landmarks, as many as an estimated angle of 0.02 to the exact
# components needs, and says what that leaves out.

# %%
X = np.random.default_rng(0).normal(size=(200_000, 8))
X[:, 0] += 4 * (np.arange(len(X)) % 3)
start = time.perf_counter()
kpca = KernelPCA(n_components=5, kernel="rbf", gamma=0.02).fit(X)
print(f"{len(X)} rows in {time.perf_counter() - start:.1f} s: {kpca.summary_.brief()}")
print(f"left out of the trace: {kpca.residual_trace_fraction_:.2g}")

# %% [markdown]
# ## Few centres, and a graph
#
# A shadow cover puts few weighted centres in the place of the rows; diffusion maps unroll what they show.

# %%
angle = np.sort(np.random.default_rng(0).uniform(3, 12, 8000))
roll = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
roll += np.random.default_rng(1).normal(scale=0.15, size=roll.shape)
reduced = ReducedSetKernelPCA(n_components=3, gamma=1, ell=2).fit(roll)
walk = DiffusionMaps(n_components=1, gamma=1, reduce="shadow", ell=2).fit_transform(roll)[:, 0]
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4))
left.scatter(*reduced.centers_.T, s=reduced.center_weights_ / 4)
left.set_title(f"{len(reduced.centers_)} centres for {len(roll)} rows")
right.scatter(*roll.T, c=walk, s=2)
right.set_title("first diffusion coordinate")
save(figure, "roll.png")
assert abs(np.corrcoef(np.argsort(np.argsort(walk)), np.arange(len(walk)))[0, 1]) > 0.9

# %% [markdown]
# ## Files
#
# A model is one small file that the command line and C++ programs read, too.

# %%
kpca.save(pictures / "rows.mercer")
assert (load(pictures / "rows.mercer").transform(X[:100]) == kpca.transform(X[:100])).all()
print(f"{(pictures / 'rows.mercer').stat().st_size / 1e3:.0f} kB")
