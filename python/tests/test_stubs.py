"""Type stubs say of the estimators what the code does."""

import ast
import inspect
from pathlib import Path

import pytest

import mercer

STUBS = ast.parse((Path(mercer.__file__).with_name("__init__.pyi")).read_text())
CLASSES = {node.name: node for node in STUBS.body if isinstance(node, ast.ClassDef) and node.name != "Summary"}


def stub_of(function):
    """Names and defaults of a function's parameters, as its stub has them."""
    arguments = function.args
    positional = [argument.arg for argument in arguments.args]
    defaults = dict(zip(reversed(positional), map(ast.literal_eval, reversed(arguments.defaults))))
    keywords = {argument.arg: ast.literal_eval(value) for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults)}
    return positional, defaults | keywords


def code_of(function):
    parameters = inspect.signature(function).parameters.values()
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return positional, {p.name: p.default for p in parameters if p.default is not p.empty}


def test_every_estimator_has_one():
    public = {name for name in mercer.__all__ if hasattr(getattr(mercer, name), "get_params")}
    assert public == set(CLASSES)


@pytest.mark.parametrize("name", CLASSES)
def test_parameters_are_those_of_the_code(name):
    functions = [node for node in CLASSES[name].body if isinstance(node, ast.FunctionDef)]
    assert functions
    for function in functions:
        assert stub_of(function) == code_of(getattr(getattr(mercer, name), function.name)), function.name
