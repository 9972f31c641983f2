"""Noise taken off digits by pre-images, beside linear PCA of the same number of components."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from mercer import KernelPCA

X, _ = load_digits(return_X_y=True)
X_train, X_test = train_test_split(X, random_state=0)
noisy = X_test + np.random.default_rng(0).normal(scale=4, size=X_test.shape)


def error(points):
    return ((points - X_test) ** 2).mean()


print(f"noisy                 {error(noisy):6.2f}")
for components in (16, 32, 64):
    linear = PCA(min(components, 64)).fit(X_train)
    kernel = KernelPCA(components, kernel="rbf", gamma=5e-4, fit_inverse_transform=True, alpha=0.1).fit(X_train)
    print(f"{components} components: linear {error(linear.inverse_transform(linear.transform(noisy))):6.2f}, "
          f"mika {error(kernel.reconstruct(noisy)):6.2f}, "
          f"ridge {error(kernel.inverse_transform(kernel.transform(noisy))):6.2f}")
