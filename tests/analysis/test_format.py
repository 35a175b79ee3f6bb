"""`fmt`: canonical conditions, everything else untouched, twice as once, the same meaning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import some
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.analysis.edits import collapsed, is_plain, quoted_scalar, wrapped
from exitgate.analysis.format import format_text
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.serialized import text_of
from exitgate.core.policy.yaml.document import load_yaml

BEFORE = """\
# a policy
policy: p   # its name
format: 1
version: 1.0.0

facts: {tasks: {extract: checklist}, said: {extract: output, from: response}}
conditions:
  done:   ((tasks.open==0))    # nothing left
  long:
    doc: "kept   as it is"
    when: >-
      said.length>1000 and
        not said.empty
rules:
  - id: a
    when: "@done   and (tasks.total>0)"     # why
    exit: complete
    because: "{tasks.done}   of {tasks.total}"
  - {id: b, when: tasks.done in[1,2], continue: true}
  - id: c
    when:
      any:
        - tasks.done>3
        - not: 'circuit.reason   contains "it''s #1"'
        - tasks.done > 4
          and tasks.open == 0
    exit: stuck
  # the end
"""
AFTER = """\
# a policy
policy: p   # its name
format: 1
version: 1.0.0

facts: {tasks: {extract: checklist}, said: {extract: output, from: response}}
conditions:
  done:   tasks.open == 0    # nothing left
  long:
    doc: "kept   as it is"
    when: >-
      said.length > 1000 and not said.empty
rules:
  - id: a
    when: "@done and tasks.total > 0"     # why
    exit: complete
    because: "{tasks.done}   of {tasks.total}"
  - {id: b, when: 'tasks.done in [1, 2]', continue: true}
  - id: c
    when:
      any:
        - tasks.done > 3
        - not: 'circuit.reason contains "it''s #1"'
        - tasks.done > 4
          and tasks.open == 0
    exit: stuck
  # the end
"""


def test_an_example() -> None:
    text = BEFORE.replace("tasks.done in[1,2]", '"tasks.done in[1,2]"')
    wanted = AFTER.replace("'tasks.done in [1, 2]'", '"tasks.done in [1, 2]"')
    assert format_text(text, "p.yaml") == wanted
    assert format_text(wanted, "p.yaml") == wanted


def test_line_ends_stay() -> None:
    text = BEFORE.replace("tasks.done in[1,2]", "tasks.done==1").replace("\n", "\r\n")
    done = format_text(text, "p.yaml")
    assert done.count("\r\n") == done.count("\n") == AFTER.count("\n")


@pytest.mark.parametrize("name", some(shipped.policies(), 5))
def test_shipped_policies_keep_their_meaning(name: str, tmp_path: Path) -> None:
    text = Path(shipped.path(name)).read_text(encoding="utf-8")
    done = format_text(text, "p.yaml")
    assert format_text(done, "p.yaml") == done
    assert meaning(done, tmp_path) == meaning(text, tmp_path)


def meaning(text: str, folder: Path) -> object:
    """The compiled policy without digest and places."""
    (folder / "p.yaml").write_bytes(text.encode())
    plain, *packed = json.loads(text_of(load_policy("p.yaml", base=str(folder))))
    return without_places([{key: value for key, value in plain.items() if key != "digest"}, *packed])


def without_places(value: object) -> object:
    if isinstance(value, dict):
        return {key: without_places(item) for key, item in value.items() if key != "place"}
    return [without_places(item) for item in value] if isinstance(value, list) else value


ATOMS = st.sampled_from([
    "tasks.done>3", "tasks.open  ==0", "(tasks.percent >= 80)", "said.empty", "circuit.state is open",
    'circuit.reason contains "a  b: #c"', "circuit.reason contains 'it''s'", "tasks.done in[1,2,3]",
    "tasks.done unchanged   for 3 iterations",
    "not(said.empty)", "tasks.done  -  1 > 2*3", 'circuit.reason matches "\\\\d+"', "true",
])  # fmt: skip
JOINED = st.recursive(ATOMS, lambda c: st.tuples(c, st.sampled_from([" and ", " or  "]), c).map(
    lambda t: f"({t[0]}){t[1]}({t[2]})"), max_leaves=5)  # fmt: skip
STYLES = st.sampled_from(["plain", "'", '"', "|", ">-", "lines"])


def written(condition: str, style: str) -> str:
    if style == "'" or (style == "plain" and not is_plain(condition, False)):
        return "'" + condition.replace("'", "''") + "'"
    if style == '"':
        return '"' + condition.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if style in "|>-":
        return f"{style}\n        " + condition.replace(" and ", "\n        and ")
    return (
        condition
        if style == "plain"
        else "'" + condition.replace("'", "''").replace(" and ", " and\n        ") + "'"
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(JOINED, STYLES), min_size=1, max_size=3))
def test_formatting_keeps_the_meaning_and_needs_one_round(
    tmp_path_factory: pytest.TempPathFactory, conditions: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("fmt")
    text = BEFORE.split("rules:", maxsplit=1)[0] + "rules:\n" + "".join(
        f"  - id: r{number}\n    when: {written(condition, style)}\n    # {number}\n    warn: true  # '\n"
        for number, (condition, style) in enumerate(conditions)
    )  # fmt: skip
    done = format_text(text, "p.yaml")
    assert format_text(done, "p.yaml") == done
    assert meaning(done, folder) == meaning(text, folder)
    assert done.count("# ") == text.count("# ")


LATIN = (
    st.text(
        st.characters(min_codepoint=32, max_codepoint=255, categories=("L", "N", "P", "S", "Zs")), min_size=1
    )
    .map(lambda text: text.replace("\u00a0", " ").strip())
    .filter(bool)
)


@settings(max_examples=300, deadline=None)
@given(LATIN, st.sampled_from(["plain", "'", '"']), st.booleans())
def test_scalars_are_read_back(text: str, style: str, flow: bool) -> None:
    scalar = quoted_scalar(text, style, flow)
    line = f"k: [{scalar}, x]\n" if flow else f"k:\n  - {scalar} # c\n"
    data = load_yaml(line, "x.yaml").data
    assert isinstance(data, dict)
    assert data["k"][0] == text


@pytest.mark.parametrize("name", shipped.policies())
def test_shipped_policies_are_formatted(name: str) -> None:
    text = Path(shipped.path(name)).read_text(encoding="utf-8")
    assert format_text(text, f"{name}.yaml") == text


def test_lines_begin_with_a_joining_word() -> None:
    text = "a is known and a between 1 and 20 or else 3 or (b and c) and streak(d and e or f) >= 30"
    assert wrapped(text, 40) == [
        "a is known", "and a between 1 and 20 or else 3", "or (b and c)", "and streak(d and e or f) >= 30",
    ]  # fmt: skip
    assert wrapped("streak(d and e or f) >= 30 and x", 12) == ["streak(d and", "e or f) >=", "30 and x"]


@given(st.text(alphabet="ab \n'\"", max_size=40), st.integers(1, 20))
def test_wrapping_changes_only_white_space(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert " ".join(lines) == collapsed(text)
    assert collapsed(collapsed(text)) == collapsed(text)


def test_what_does_not_parse_is_told_at_its_place() -> None:
    with pytest.raises(ExitgateError) as caught:
        format_text("rules:\n  - {id: a, when: 'a.b && c'}\nconditions: {c: 'd >'}\n", "p.yaml")
    assert [(d.code, str(d.place)) for d in caught.value.diagnostics] == [
        ("EP305", "p.yaml:2:24"), ("EP314", "p.yaml:3:21"),
    ]  # fmt: skip
