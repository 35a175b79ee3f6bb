"""Strict YAML: values as YAML 1.2 has them, every place exact, hostile bytes refused in bounded time."""

from __future__ import annotations

from string import hexdigits

import pytest
import yaml
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import Steps

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import document_of
from exitgate.core.policy.yaml import builder, document
from exitgate.core.policy.yaml.document import load_yaml

PRINTABLE = st.characters(
    blacklist_categories=("Cs", "Cc", "Cf", "Zl", "Zp", "Co", "Cn"), blacklist_characters="\ufeff\ufffe\uffff"
)
WORDS = st.text(PRINTABLE.filter(lambda c: c not in " \u00a0"), min_size=1, max_size=6)
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
SCALARS = st.one_of(TEXTS, st.integers(-999, 999), st.booleans(), st.none())
DATA = st.recursive(
    SCALARS, lambda c: st.lists(c, max_size=3) | st.dictionaries(WORDS, c, max_size=3), max_leaves=12
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(WORDS, DATA, min_size=1, max_size=4), st.booleans(), st.sampled_from([None, '"', "'"]))
def test_what_yaml_writes_is_read_back(data: dict[str, object], flow: bool, style: str | None) -> None:
    text = yaml.safe_dump(data, allow_unicode=True, default_flow_style=flow, default_style=None, width=40)
    assert load_yaml(text, "x.yaml").data == data
    if style is not None:
        quoted = yaml.safe_dump({"k": list(data)}, allow_unicode=True, default_style=style, width=30)
        assert load_yaml(quoted.replace("\n", "\r\n"), "x.yaml").data == {"k": list(data)}


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from(["plain", "'", '"', "|", ">", "wide"]), st.integers(0, 3))
def test_every_character_of_a_scalar_is_found_in_the_file(value: str, style: str, indent: int) -> None:
    pad = "  " * (indent + 1)
    words = value.split(" ")
    if style == "|":
        body = "|\n" + "".join(f"{pad}{word}\n" for word in words)
    elif style == ">":
        body = ">-  # a comment\n" + "".join(f"{pad}{word}\n" for word in words)
    elif style == "'":
        body = "'" + f"\n{pad}".join(word.replace("'", "''") for word in words) + "'"
    elif style == '"':
        body = '"' + f" \\\n{pad}".join(escaped(word) for word in words) + '"'
    else:
        body = yaml.safe_dump(value, allow_unicode=True, width=10 if style == "wide" else 999).strip()
        body = body.removesuffix("\n...").replace("\n", f"\n{pad}")
    text = f"first: é𝄞\nk: {body}\nnext: 1\n"
    part = load_yaml(text, "x.yaml").root.fields["k"]
    if not isinstance(part.value, str):
        return
    assert part.written is not None
    lines = text.split("\n")
    for offset, character in enumerate(part.value):
        place = part.written.place(offset, offset + 1)
        found = lines[place.line - 1][place.column - 1 : place.column]
        if character not in " \n":
            assert character in (found, unescaped(lines[place.line - 1][place.column - 1 :])), (text, offset)


def escaped(word: str) -> str:
    """The first character as an escape of eight digits, quotes and backslashes as YAML wants them."""
    return f"\\U{ord(word[0]):08x}" + word[1:].replace("\\", "\\\\").replace('"', '\\"')


def unescaped(text: str) -> str:
    """The character that the escape at the start of `text` stands for."""
    if text[:1] != "\\":
        return ""
    digits = text[2:10]
    is_code = text[1:2] == "U" and len(digits) == 8 and all(d in hexdigits for d in digits)
    return chr(int(digits, 16)) if is_code else text[1:2]


def test_places_are_exact_behind_wide_characters() -> None:
    loaded = load_yaml("a: 𝄞é\nb: [x, {𝄞: yes}]\n", "x.yaml")
    assert str(loaded.place(("b", 0))) == "x.yaml:2:5"
    assert str(loaded.key_place(("b", 1, "𝄞"))) == "x.yaml:2:9"
    assert str(loaded.place(("b", 1, "𝄞"))) == "x.yaml:2:12"
    with pytest.raises(KeyError):
        loaded.place(("b", 7))


def test_the_pure_reader_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a:\n  b: [1, 'x y', \"z\\n\"]\n  c: |\n    t\n  d: >-\n    u\n    v\n"
    fast = load_yaml(text, "x.yaml").root
    monkeypatch.delattr(yaml, "CSafeLoader")
    slow = load_yaml(text, "x.yaml").root
    assert slow.plain() == fast.plain()
    assert [p.place for p in slow.walk()] == [p.place for p in fast.walk()]


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_any_bytes_give_a_document_or_diagnostics(content: bytes) -> None:
    findings = Findings()
    loaded = document_of(content, "x.yaml", findings)
    assert loaded is not None or findings.errors()


SIGNS = (
    "a", ": ", "- ", "\n", "  ", "[", "]", "{", "}", "&x ", "*x", "!t ", "? ", "'", '"', "|", ">", "#",
    "%", "---\n", "<<", ",", "\\", "1", "~", "\r", "@",
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(SIGNS), max_size=40))
def test_any_signs_of_yaml_give_a_document_or_diagnostics(pieces: list[str]) -> None:
    findings = Findings()
    loaded = document.read_document("".join(pieces), "x.yaml", findings)
    assert loaded is not None or findings.errors()
    for found in findings.sorted():
        assert found.place is not None and found.help


LAUGHS = "a: &a [x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join(['*' + old] * 8)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
BOMBS = {
    "laughs": LAUGHS,
    "brackets": "a: " + "[" * 100_000,
    "braces": "a: " + "{b: " * 60_000,
    "questions": "? " * 100_000,
    "items": "- " * 120_000,
    "stairs": "a:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, 600)),
    "one long text": "a: " + "x" * 250_000,
    "escapes": 'a: "' + "\\x41" * 60_000 + '"',
    "anchors": "&a " * 50_000,
    "itself": "a: {x: &l [*l]}",
}


@each("text", BOMBS.values(), ids=BOMBS.keys())
def test_bombs_are_refused_quickly(text: str) -> None:
    with pytest.raises(ExitgateError) as caught, Steps(most=2_000_000):
        load_yaml(text, "x.yaml")
    assert {found.code for found in caught.value.diagnostics} <= {"EP100", "EP104", "EP106", "EP110", "EP111"}


def test_more_values_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "VALUES_LIMIT", 2_000)
    with pytest.raises(ExitgateError, match="more than 2000 values"), Steps(most=200_000):
        load_yaml("".join(f"k{n}: v\n" for n in range(2_400)), "x.yaml")


def test_too_many_bytes() -> None:
    with pytest.raises(ExitgateError, match=f"{document.BYTES_LIMIT + 6} bytes"):
        load_yaml("a: 'é" + "x" * (document.BYTES_LIMIT), "x.yaml")


def test_utf8_errors_have_a_place() -> None:
    findings = Findings()
    assert document_of("policy: é\nb: ".encode() + b"\xff\n", "x.yaml", findings) is None
    (found,) = findings.sorted()
    assert (found.code, str(found.place)) == ("EP101", "x.yaml:2:4")
    assert found.source == "b: \ufffd"
