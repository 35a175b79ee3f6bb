"""Values put into files of YAML: what is asked for changes, and nothing else does."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exitgate.analysis.yaml_values import NotEditableError, add_item, flow, remove, set_value
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.yaml.document import load_yaml, read_document

CONFIG = """\
# ours
project: {type: critical_feature}  # a profile
exit_decision:
  policy: bb3
  min_confidence: 80   # since March
  # rules that are loose
  rules:
    low_confidence: {mode: warn, why: new model hedges more}
    other:
      mode: warn
      why: |
        a long
        story
  policies:

# another tool's
other_tool:
  list:
  - a
  - b
"""


def changed(old: str, new: str) -> list[str]:
    """The lines that are not the same."""
    return [
        line for line in difflib.ndiff(old.splitlines(), new.splitlines()) if line[0] in "+-" and line[2:]
    ]


@pytest.mark.parametrize(
    ("path", "value", "lines"),
    [
        (
            ("exit_decision", "min_confidence"),
            90,
            ["-   min_confidence: 80   # since March", "+   min_confidence: 90   # since March"],
        ),
        (("exit_decision", "new"), [1, 2], ["+   new: [1, 2]"]),
        (
            ("exit_decision", "rules", "low_confidence", "mode"),
            "shadow",
            [
                "-     low_confidence: {mode: warn, why: new model hedges more}",
                "+     low_confidence: {mode: shadow, why: new model hedges more}",
            ],
        ),
        (
            ("exit_decision", "rules", "low_confidence", "until"),
            "x: y",
            [
                "-     low_confidence: {mode: warn, why: new model hedges more}",
                '+     low_confidence: {mode: warn, why: new model hedges more, until: "x: y"}',
            ],
        ),
        (("exit_decision", "rules", "third"), {"before": "other"}, ["+     third: {before: other}"]),
        (("exit_decision", "policies", "ralph", "loops"), 4, ["+     ralph:", "+       loops: 4"]),
        (("other_tool", "list"), ["c"], ["-   list:", "-   - a", "-   - b", "+     [c]", "+   list:"]),
        (("top",), True, ["+ top: true"]),
    ],
)
def test_only_what_is_asked_for_changes(path: tuple[str, ...], value: object, lines: list[str]) -> None:
    new = set_value(CONFIG, path, value)
    assert load_yaml(new, "").root.at(path).plain() == value
    if lines != ["-   list:", "-   - a", "-   - b", "+     [c]", "+   list:"]:
        assert changed(CONFIG, new) == lines
    assert "# since March" in new
    assert "# another tool's" in new


def test_line_ends_and_a_missing_last_one_are_kept() -> None:
    assert set_value("a: 1\r\nb: 2\r\n", ("c",), 3) == "a: 1\r\nb: 2\r\nc: 3\r\n"
    assert set_value("a: 1", ("b", "c"), "x") == "a: 1\nb:\n  c: x\n"
    assert set_value("", ("b", "c"), "x") == "b:\n  c: x\n"
    assert set_value("# only a comment", ("b",), 1) == "# only a comment\nb: 1\n"
    assert set_value("{}", ("b",), 1) == "{b: 1}"
    assert set_value("a: {}\n", ("a", "b", "c"), 1) == "a: {b: {c: 1}}\n"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: [1, # one\n  2]\n", ("a",)),
        ("a: text\n", ("a", "b")),
        ("a: [1]\n", ("a", "b")),
        ("- a\n", ("a",)),
        ("a: &x 1\nb: *x\nc: 1\n", ("a",)),
        ("a: 1\na: 2\n", ("a",)),
        ("a: ~\n", ("a", "b")),
        ("\ta: 1\n", ("a",)),
        ("a: |\n  one # two\n  three\n", ("a",)),
    ],
)
def test_what_cannot_be_changed_for_sure_is_refused(text: str, path: tuple[str, ...]) -> None:
    try:
        new = set_value(text, path, 7)
    except NotEditableError as error:
        assert str(error)
    else:
        # what can be done is done right: a second reader says so
        found = read_document(new, "", Findings())
        assert found is not None
        assert found.root.at(path).plain() == 7


def test_items_are_added_behind_the_last_and_removed() -> None:
    text = "format: 1\nlabels:\n  # the first\n  - run: a\n    stop: 3  # sure\n\n"
    text += "  # the second\n  - run: b\n    stop: never\n"
    added = add_item(text, ("labels",), {"run": "c #1", "stop": "4-5"})
    assert changed(text, added) == ['+   - run: "c #1"', "+     stop: 4-5"]
    assert "# sure" in remove(added, ("labels", 2))
    gone = remove(text, ("labels", 1))
    assert [one["run"] for one in load_yaml(gone, "").data["labels"]] == ["a"]  # type: ignore[index, call-overload]
    assert load_yaml(remove(gone, ("labels", 0)), "").data == {"format": 1, "labels": []}
    assert load_yaml(add_item("format: 1\nlabels: []\n", ("labels",), {"run": "a", "stop": 1}), "").data == {
        "format": 1,
        "labels": [{"run": "a", "stop": 1}],
    }
    assert remove(text, ("labels", 0, "stop")).count("stop") == 1
    with pytest.raises(NotEditableError):
        remove(text, ("labels", 7))
    brackets = "labels: [{run: a, stop: 1},  # one\n  {run: b, stop: 2}]\n"
    added = add_item(brackets, ("labels",), {"run": "c", "stop": 3})
    assert added == brackets.replace("2}]", "2}, {run: c, stop: 3}]")


KEYS = st.text("abc-_", min_size=1, max_size=4).filter(
    lambda key: load_yaml(f"{flow(key)}: 1", "").data == {key: 1}
)
PRINTABLE = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cf"])
SCALARS = st.one_of(
    st.booleans(), st.integers(-999, 999), st.none(), st.text(PRINTABLE, max_size=12),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: round(number, 3)),
)  # fmt: skip
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def block(data: object, indent: int, comments: list[str]) -> str:
    """Data as somebody might write it: blocks, comments behind values, flow where it is empty."""
    blanks = " " * indent
    if isinstance(data, dict) and data:
        return "".join(
            f"\n{blanks}{flow(key)}:{block(value, indent + 2, comments)}" for key, value in data.items()
        )
    if isinstance(data, list) and data and all(not isinstance(one, dict | list) for one in data):
        return "".join(f"\n{blanks}- {flow(one)}" for one in data)
    comments.append(f"# comment {len(comments)}")
    return f" {flow(data)}  {comments[-1]}"


@given(st.dictionaries(KEYS, DATA, min_size=1, max_size=4), st.lists(KEYS, min_size=1, max_size=3), SCALARS)
def test_any_value_at_any_place_or_a_refusal(data: dict[str, object], path: list[str], value: object) -> None:
    comments: list[str] = []
    text = block(data, 0, comments).lstrip("\n") + "\n"
    assert load_yaml(text, "").data == data
    try:
        new = set_value(text, tuple(path), value)
    except NotEditableError:
        return
    found = load_yaml(new, "")
    assert found.root.at(path).plain() == value
    for key, before in data.items():
        if key != path[0]:
            assert found.root.at((key,)).plain() == before
    if len(path) == 1 and path[0] not in data:
        assert all(comment in new for comment in comments)
        assert set(changed(text, new)) == {f"+ {flow(path[0])}: {flow(value)}"}


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("a:\n- {run: x, stop: 1} # own\nb: 1\n", "a:\n  [] # own\nb: 1\n"),
        ("a:\n- run: x#1\n  class: [one, two]\nb: 1\n", "a:\n  []\nb: 1\n"),
        ("a:\n  - note: 'fix #12'\n    'k #': |\n      # no comment\nb: 1\n", "a:\n  []\nb: 1\n"),
    ],
)
def test_the_last_item_goes_whole_and_a_sign_in_a_text_is_no_comment(text: str, new: str) -> None:
    assert remove(text, ("a", 0)) == new


@pytest.mark.parametrize("item", ["- x  # one\n", "- run: x # one\n  stop: 1\n", "- |  # one\n  x\n"])
def test_a_comment_in_the_last_item_is_not_lost(item: str) -> None:
    try:
        new = remove(f"a:\n{item}b: 1\n", ("a", 0))
    except NotEditableError:
        return
    assert new.count("#") == item.count("#")
