"""The table of functions: each example uses its function and is canonical; the table is whole."""

import pytest
from cases import each
from golden import SCOPE

from exitgate.language.check import check
from exitgate.language.functions import CAP, FUNCTIONS, HISTORY_OPS, WINDOW_LIMIT
from exitgate.language.measure import lookback
from exitgate.language.parse import parse
from exitgate.language.problem import LanguageError
from exitgate.language.unparse import unparse
from exitgate.model.type import COUNT


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
    if function.window != "must":
        tree = check(parse(f"{name}({argument})"), SCOPE, want=None)
        assert lookback(tree, {}, {}) == function.cap - 1 < CAP
    if function.window != "no":
        tree = check(parse(f"{name}({argument}, last {WINDOW_LIMIT})"), SCOPE, want=None)
        assert lookback(tree, {}, {}) == WINDOW_LIMIT - 1
        assert tree.type is not None
        assert function.result != "count" or tree.type == COUNT


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if not FUNCTIONS[name].history])
def test_a_function_of_the_moment_takes_no_window(name):
    with pytest.raises(LanguageError, match="EP317"):
        parse(f"{name}(tasks.done, last 3) > 1")
