"""The reference evaluator has no literals, functions, names or attributes beside those it is given."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest
from cases import each
from simpleeval import InvalidExpression

from exitgate.analysis.reference_evaluator.evaluator import NODES, locked

ESCAPES = [
    "__import__('os')",
    "().__class__",
    "[].__class__.__base__",
    "'{0.__class__}'.format(a)",
    "open('x')",
    "rand()",
    "randint(a)",
    "int('1')",
    "str(a)",
    "[i for i in (a, a)]",
    "{a: a}",
    "a ** a",
    "a << a",
    "a[a]",
    "a.real",
    "a if a else a",
    "(lambda: a)()",
    "f'{a}'",
    "a := 1",
]


@each("text", ESCAPES)
def test_python_is_refused(text: str) -> None:
    with pytest.raises((InvalidExpression, SyntaxError)):
        asked({"a": 1}, {}, text)


def asked(names: dict[str, object], functions: dict[str, Callable[..., object]], text: str) -> object:
    expression = ast.parse(text, mode="eval").body
    return locked(names, functions).eval("", previously_parsed=expression)


def test_what_is_left_works() -> None:
    assert asked({"a": 1, "b": 2}, {"f": lambda x: x}, "f(a) < b") is True
    assert locked({}, {}).nodes.keys() == set(NODES)


@pytest.mark.parametrize("value", [object(), len, [1], ("a",), {}, type, None])
def test_names_hold_scalars_only(value: object) -> None:
    with pytest.raises(TypeError, match="not a plain scalar"):
        locked({"a": value}, {})
