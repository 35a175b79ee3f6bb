"""`occurrences` and `cycles` over every short history: both evaluators, and what the words mean."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import SIGNATURE, TEXT, Type, Unknown

SCOPE = Scope(
    {"s": FactSpec("s", SIGNATURE, ""), "many": FactSpec("many", Type("list", item=TEXT), "")}, {}, {}
)
ROWS = st.lists(st.sampled_from("aabbc_"), min_size=1, max_size=16)
SETS = st.lists(st.one_of(st.none(), st.lists(st.sampled_from("abc"), max_size=3)), min_size=1, max_size=9)


def both(text: str, fact: str, values: list) -> object:
    records = [{fact: Unknown("given", "case") if v in (None, "_") else v} for v in values]
    tree = check(parse(text), SCOPE, None)
    one, other = compile_node(tree, {}, {})(records), evaluate(tree, records, {}, {})
    assert one == other or (isinstance(one, Unknown) and isinstance(other, Unknown)), (one, other)
    return one


@given(ROWS.filter(lambda row: "_" not in row), st.integers(1, 16))
@settings(max_examples=100, deadline=None)
def test_cycles(values: list[str], window: int) -> None:
    text = "".join(values[-window:])
    wanted = 1
    for period in range(5, 1, -1):  # the shortest is asked last and wins
        end = text[-period:]
        times = 0
        while text.endswith(end * (times + 1)) and len(end) == period:
            times += 1
        if times > 1 and len(set(end)) > 1:
            wanted = times
    assert both(f"cycles(s, last {window})", "s", values) == wanted


@given(st.text("ab", min_size=2, max_size=5).filter(lambda t: len(set(t)) > 1), st.integers(2, 5), ROWS)
@settings(max_examples=100, deadline=None)
def test_a_sequence_that_comes_again_is_seen(sequence: str, times: int, before: list[str]) -> None:
    # a shorter one within it may be what is counted
    assert both("cycles(s, last 41) >= 2", "s", [*before, *sequence * times]) is True


@given(ROWS.filter(lambda row: row[-1] != "_"), st.integers(1, 16))
@settings(max_examples=100, deadline=None)
def test_occurrences_of_a_value(values: list[str], window: int) -> None:
    read = values[-window:]
    least = read.count(values[-1])
    assert both(f"occurrences(s, last {window}) >= {least}", "s", values) is True
    assert both(f"occurrences(s, last {window}) > {least + read.count('_')}", "s", values) is False
    found = both(f"occurrences(s, last {window})", "s", values)
    assert isinstance(found, Unknown) if "_" in read else found == least


@given(SETS.filter(lambda sets: sets[-1]), st.integers(1, 9))
@settings(max_examples=100, deadline=None)
def test_occurrences_of_a_list(values: list[list[str] | None], window: int) -> None:
    rows = [v and tuple(v) if v else v for v in values]
    read = [set(v) for v in values[-window:] if v is not None]
    least = max(sum(item in v for v in read) for item in values[-1] or ())
    assert both(f"occurrences(many, last {window}) >= {least}", "many", rows) is True
    most = least + values[-window:].count(None)
    assert both(f"occurrences(many, last {window}) > {most}", "many", rows) is False


def test_long_lists_over_long_histories_stay_cheap() -> None:
    many = tuple(str(n) for n in range(2000))
    records = [{"many": many}] * 200
    assert compile_node(check(parse("occurrences(many, last 200)"), SCOPE, None), {}, {})(records) == 200
