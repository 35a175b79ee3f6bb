"""The table of functions: each example uses its function and is canonical; the table is whole."""

import pytest
from cases import each
from golden import SCOPE

from exitgate.core.language.checker.check import check
from exitgate.core.language.functions import CAP, FUNCTIONS, HISTORY_OPS, WINDOW_LIMIT, WINDOWED
from exitgate.core.language.measure import lookback
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import COUNT


@each("name", FUNCTIONS)
def test_the_example_shows_the_function(name):
    function = FUNCTIONS[name]
    tree = parse(function.example)
    assert unparse(tree) == function.example
    assert function.op in {node.op for node in tree.walk()}
    assert function.doc
    assert not function.doc.endswith(".")


@each("name", [name for name in FUNCTIONS if FUNCTIONS[name].history])
def test_a_history_function_reads_no_further_than_its_cap(name):
    function = FUNCTIONS[name]
    assert HISTORY_OPS[function.op] is function
    argument = "progress.made" if function.kinds == (("bool",),) else "tasks.done"
    argument += ", 90%" if name == "percentile" else ""
    if function.window != "must":
        tree = check(parse(f"{name}({argument})"), SCOPE, want=None)
        assert lookback(tree, {}, {}) == function.cap - 1 < CAP
    if function.window != "no":
        tree = check(parse(f"{name}({argument}, last {WINDOW_LIMIT})"), SCOPE, want=None)
        assert lookback(tree, {}, {}) == WINDOW_LIMIT - 1
        assert tree.type is not None
        assert function.result != "count" or tree.type == COUNT


@pytest.mark.parametrize(
    "name", [name for name in FUNCTIONS if not FUNCTIONS[name].history and name not in WINDOWED]
)
def test_a_function_of_the_moment_takes_no_window(name):
    with pytest.raises(LanguageError, match="EP317"):
        parse(f"{name}(tasks.done, last 3) > 1")


@each("name", WINDOWED)
def test_a_function_of_several_arguments_takes_one_with_a_window(name):
    several, one = FUNCTIONS[name], WINDOWED[name]
    assert several.many
    assert HISTORY_OPS[one.op] is one
    assert unparse(parse(one.example)) == one.example
    assert {node.op for node in parse(one.example).walk()} >= {one.op}
    tree = check(parse(f"{name}(tasks.done, last {WINDOW_LIMIT})"), SCOPE, want=None)
    assert lookback(tree, {}, {}) == WINDOW_LIMIT - 1
    for wrong in (f"{name}(tasks.done, tasks.total, last 3)", f"{name}(tasks.done) > 1"):
        with pytest.raises(LanguageError, match=r"EP317|EP411"):
            check(parse(wrong), SCOPE, want=None)
