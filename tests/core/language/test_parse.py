"""Every form of the language, the offsets of every node, and the limits."""

import lark
import pytest
from cases import each

from exitgate.core.language.grammar import grammar_text
from exitgate.core.language.literals import KEYWORDS, SIGNS, VALUE_WORDS, written
from exitgate.core.language.measure import LENGTH_LIMIT
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import DEPTH_LIMIT, parse
from exitgate.core.language.tree import Node

FORMS = {
    "tasks.percent >= $min_completion and not questions.asked": "and(compare(>= fact parameter) not(fact))",
    "status.exit_signal is true and completion.signals >= 2": "and(is(fact bool) compare(>= fact number))",
    "tasks.done unchanged for $stagnation_loops iterations": "unchanged(fact parameter)",
    "signature repeats 3 times": "repeats(fact number None)",
    "signature repeats 3 times within last 5": "repeats(fact number number)",
    "(not progress.made) for 3 consecutive iterations": "consecutive(not(fact) number)",
    "at least 3 of last 5 where (work.test_only)": "quantified(at_least number number fact)",
    "at most 0 of last 5 where (p)": "quantified(at_most number number fact)",
    "any of last 5 where (p or q)": "quantified(any None number or(fact fact))",
    "all of last $n where (p)": "quantified(all None parameter fact)",
    "output.length declined by 70% over last 3": "declined(fact percent number)",
    "output.length rose by $share": "rose(fact parameter None)",
    "streak(status.exit_signal is true) >= 2": "compare(>= streak(is(fact bool) None None) number)",
    "streak(p) skipping (q) > 2": "compare(> streak(fact fact None) number)",
    "streak(p, last 9) > 2": "compare(> streak(fact None number) number)",
    "count(p, last 5) > 2": "compare(> count(fact number) number)",
    "repeats(x) > 2": "compare(> repeated(fact None) number)",
    "last(y, last 3) is OPEN": "is(last(fact number) enum)",
    "previous(x) < x": "compare(< previous(fact None) fact)",
    "clock.elapsed > 2h or run.cost > 5 USD": "or(compare(> fact duration) compare(> fact money))",
    "confidence between 50% and 70% and p": "and(between(fact percent percent) fact)",
    "status.exit_signal is unknown": "unknown(fact)",
    "status.exit_signal is not known": "unknown(fact)",
    "status.exit_signal is known": "known(fact)",
    "nothing is known": "silence()",
    "(status.exit_signal or else false) and @plan_done": "and(or_else(fact bool) condition)",
    "a in [A, B] and b not in $list": "and(in(fact list(enum enum)) not_in(fact parameter))",
    'text contains "x" and text matches "^x+$"': "and(contains(fact text) matches(fact ^x+$))",
    "100 * done / total - -1 >= 70%": "compare(>= sub(div(mul(number fact) fact) neg(number)) percent)",
    "min(a, b + 1) > 2": "compare(> call(min fact add(fact number)) number)",
    "a\n  and\tb": "and(fact fact)",
}  # fmt: skip


def outline(arg):
    if not isinstance(arg, Node):
        return str(arg)
    if arg.op in ("fact", "parameter", "condition", *VALUE_OPS):
        return arg.op
    return f"{arg.op}({' '.join(outline(part) for part in arg.args)})"


VALUE_OPS = ("number", "percent", "duration", "money", "text", "enum", "bool")


def test_the_grammar_is_strict_and_names_every_terminal():
    parser = lark.Lark(
        grammar_text(), parser="lalr", lexer="contextual", strict=True, propagate_positions=True,
        keep_all_tokens=True, maybe_placeholders=False,
    )  # fmt: skip
    terminals = {terminal.name for terminal in parser.terminals} - {"WS"}
    assert terminals == set(KEYWORDS) | set(SIGNS) | set(VALUE_WORDS)
    assert all(written(name) for name in terminals)


@each("text", FORMS)
def test_forms(text):
    assert outline(parse(text)) == FORMS[text]


@each("word", sorted(set(" ".join(KEYWORDS.values()).split()) - {"at", "least", "most", "else", "count"}))
def test_no_keyword_reads_as_a_fact(word):
    if word not in ("true", "false"):
        with pytest.raises(LanguageError):
            parse(f"{word} > 3")
    assert parse(f"{word}s_done > 3").children().__next__().args == (f"{word}s_done",)
    assert parse(f"{word}.done > 3").children().__next__().op == "fact"


def test_offsets_are_those_of_the_text():
    text = "not (a.b  or c) and  min( x , 70% ) >= $p"
    spans = {node.op: text[node.start : node.end] for node in parse(text).walk()}
    assert spans["and"] == text
    assert spans["not"] == "not (a.b  or c)"
    assert spans["or"] == "(a.b  or c)"
    assert spans["call"] == "min( x , 70% )"
    assert spans["percent"] == "70%"
    assert spans["compare"] == "min( x , 70% ) >= $p"
    assert spans["parameter"] == "$p"


@each(
    ("text", "value"),
    [
        ("5", 5), ("05", 5), ("5.0", 5), ("0.5", 0.5), ("70%", 70), ("0.1%", 0.1), ("30m", 1800),
        ("1h30m", 5400), ("1.5h", 5400), ("250ms", 0.25), ("1d", 86400), ("5 USD", 5), ("5.25EUR", 5.25),
    ],
)  # fmt: skip
def test_values_of_literals(text, value):
    read = parse(f"x > {text}").args[2].args[0]
    assert read == value
    assert type(read) is type(value)


def codes(text):
    with pytest.raises(LanguageError) as caught:
        parse(text)
    return [problem.code for problem in caught.value.problems]


def test_limits_of_length_and_depth():
    assert codes("a" * (LENGTH_LIMIT + 1)) == ["EP302"]
    assert parse(" or ".join(["a"] * 600)).op == "or"
    assert parse("(" * 1500 + "a" + ")" * 1500).op == "fact"
    assert parse("not " * (DEPTH_LIMIT - 1) + "a").op == "not"
    assert codes("not " * DEPTH_LIMIT + "a") == ["EP303"]
    assert codes("+".join("1" * 900)) == ["EP303"]
    assert codes("-" * 3900 + "1") == ["EP303"]
    assert codes("(" * 3999) != []
