"""The width of the kernel, the number of components and the classifier's neighbours, chosen together."""

from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from mercer import KernelPCA

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
pipeline = Pipeline([("components", KernelPCA(kernel="rbf")), ("classes", KNeighborsClassifier())])
grid = {"components__gamma": [1e-4, 1e-3, 3e-3], "components__n_components": [10, 40], "classes__n_neighbors": [1, 3]}
search = GridSearchCV(pipeline, grid, cv=3).fit(X_train, y_train)
print(search.best_params_)
print(f"accuracy of new digits: {search.score(X_test, y_test):.3f}")
