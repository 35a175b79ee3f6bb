"""The canonical text of a tree reads back as the same tree, with no parenthesis too many."""

from cases import each
from hypothesis import given, settings
from trees import trees

from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse

CANONICAL = {
    "((a)) and (b and (c or d))": "a and b and (c or d)",
    "a and b or c and d": "(a and b) or (c and d)",
    "not (not a)": "not not a",
    "not (a and b)": "not (a and b)",
    "(not a) and b": "not a and b",
    "(a > 3) is true": "(a > 3) is true",
    "(a + b) * c - (d - e)": "(a + b) * c - (d - e)",
    "(a * b) / c - -d": "a * b / c - -d",
    "a/(b*c)": "a / (b * c)",
    "not x > 3": "not (x > 3)",
    "not x in [A] and not y is known": "not (x in [A]) and not y is known",
    "not x is known": "not x is known",
    "x is not known": "x is unknown",
    "x is not unknown": "x is known",
    "a or else false and b": "(a or else false) and b",
    "a or else b or else -1 > 2": "(a or else b or else -1) > 2",
    "x unchanged for 1 iterations": "x unchanged for 1 iteration",
    "x repeats 1 times over last 2": "x repeats 1 time within last 2",
    "x  declined by 70%\n  within last 3": "x declined by 70% over last 3",
    "at   least 3 of last 5 where ((p))": "at least 3 of last 5 where (p)",
    "(p) for $n consecutive iteration": "(p) for $n consecutive iterations",
    "streak((p)) skipping ((q)) >= 2": "streak(p) skipping (q) >= 2",
    "count(p or q,last 5)>=3": "count(p or q, last 5) >= 3",
    "state in[ OPEN,Closed ]": "state in [OPEN, CLOSED]",
    "cost > 5USD": "cost > 5 USD",
    "cost > 05.50 USD": "cost > 5.5 USD",
    "x > 0.0000001": "x > 0.0000001",
    "x is 'say \"hi\"'": "x is 'say \"hi\"'",
    "x is 'it''s'": 'x is "it\'s"',
    'x is "both "" and \'"': 'x is "both "" and \'"',
}


@each("text", CANONICAL)
def test_canonical_text(text):
    assert unparse(parse(text)) == CANONICAL[text]


@settings(max_examples=300, deadline=None)
@given(trees)
def test_a_tree_survives_its_text(tree):
    text = unparse(tree)
    again = parse(text)
    assert again == tree
    assert unparse(again) == text


@settings(max_examples=150, deadline=None)
@given(trees)
def test_no_pair_of_parentheses_can_be_left_out(tree):
    """Removing a pair changes the tree or breaks the text, but where parentheses help the reader."""
    text = unparse(tree)
    if any(node.op in ("or_else", "text", "matches") or _helped(node) for node in tree.walk()):
        return
    for start, end in _pairs(text):
        without = text[:start] + " " + text[start + 1 : end] + " " + text[end + 1 :]
        try:
            changed = parse(without)
        except Exception as error:
            assert type(error).__name__ == "LanguageError"
            continue
        assert changed != tree, (text, without)


def _helped(node):
    """An `and` within an `or`, and a comparison behind `not`."""
    if node.op == "not":
        return node.args[0].op in ("compare", "is", "is_not", "in", "not_in", "between", "contains")
    return node.op == "or" and any(child.op == "and" for child in node.children())


def _pairs(text):
    stack, pairs = [], []
    for at, character in enumerate(text):
        if character == "(":
            stack.append(at)
        elif character == ")":
            pairs.append((stack.pop(), at))
    return pairs[:4]
