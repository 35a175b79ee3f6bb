"""The tree of a broken text: that of the strict reader where there is one, and something useful where not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import each, some
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.policy.yaml.document import load_yaml
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.surfaces.lsp.tolerant_yaml import parse

POLICIES = Path(__file__).parents[3] / "policies"
FILES = sorted([*POLICIES.glob("*/*.yaml"), *(POLICIES / "lexicons").glob("*-en.yaml")])

ODD = [
    "a:\n- 1\n- b: 2\n  c: 3\nd: x\n",
    "a:\n  - - 1\n    - 2\n  -\n    b: 1\n",
    "a: {b: [1, {c: d}], e: 'f: g', \"h\": i}\n",
    "a: {b: 1,\n  c: [x,\n  y]\n}\nd: 2\n",
    "a: 'x\n  y'\nb: \"p: q\n  # r\"\nc: z # no\n",
    "a: |\n  b: c\n  - d\n\n  e\nf: >-\n  g\nh: i\n",
    "a: one\n  two: no\nb: 3\n".replace(": no", " no"),
    "'a b': 1\n\"c\": 2\nd : 3\n",
    "a: x:y\nb: http://c\nd: e#f\n",
    "---\na: 1\n",
    "a:\n    b:\n        c: 1\n    d: 2\n",
    "a: [b: 1, c: 2]\n",
    "a: ~\nb:\nc: {}\nd: []\n",
    "a:\r\n  b: 1\r\n  c: [2,\r\n    3]\r\nd: 4\r\n",
]


def parts(
    part: YamlNode, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], YamlNode]]:
    yield path, part
    for key, child in part.fields.items():
        yield from parts(child, (*path, key))
    for index, child in enumerate(part.items):
        yield from parts(child, (*path, index))


def compare(text: str) -> None:
    found = {path: entry.value for path, entry in parse(text).walk()}
    for path, part in parts(load_yaml(text, "f").root):
        if not path:
            continue
        twig = found.pop(path)
        written = part.written
        if written is not None and written.raw:
            assert (twig.start, twig.style) == (written.start, written.style), path
            assert text[twig.start : twig.end].rstrip() == written.raw.rstrip(), path
    assert not found


@each("file", some(FILES, 30), ids=lambda f: str(f.relative_to(POLICIES)))
def test_shipped_files_have_the_tree_of_the_strict_reader(file: Path) -> None:
    compare(file.read_text(encoding="utf-8"))


@each("text", ODD)
def test_odd_layouts_have_the_tree_of_the_strict_reader(text: str) -> None:
    compare(text)


@given(st.text(st.sampled_from("ab: -\n\r\t'\"[]{},|>#&*😀\\"), max_size=60))
@settings(max_examples=50, deadline=None)
def test_any_text_has_a_tree_that_stays_inside(text: str) -> None:
    for _, entry in parse(text).walk():
        assert 0 <= entry.start <= entry.key_start <= entry.key_end <= len(text)
        assert 0 <= entry.value.start <= max(entry.value.end, entry.value.start) <= len(text) + 1


@pytest.mark.parametrize(
    "text", ["[" * 5000, "a: " + "{" * 5000, "- " * 3000, "a: '" + "x\n  " * 3000, "a: [" * 2000]
)
def test_deep_and_long_texts_take_no_stack(text: str) -> None:
    parse(text)


def test_a_key_being_typed_breaks_nothing_below() -> None:
    text = "facts:\n  tasks: {extract: checklist}\n  sta\nrules:\n  - id: a\n    wh\n    exit: complete\n"
    root = parse(text)
    assert root.keys() == ("facts", "rules")
    exit_ = root.at(("rules", 0, "exit"))
    assert exit_ is not None
    assert text[exit_.start : exit_.end] == "complete"


def test_an_open_bracket_ends_with_its_line_where_the_next_lines_stand_no_deeper() -> None:
    root = parse("facts:\n  a: {extract: x, [\n  b: 1\nrules: 2\n")
    assert root.keys() == ("facts", "rules")
    facts = root.get("facts")
    assert facts is not None
    assert facts.keys() == ("a", "b")
