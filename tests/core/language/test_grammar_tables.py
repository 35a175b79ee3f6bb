"""The kept tables of the parser are those of the grammar, and are used only for it."""

from __future__ import annotations

import json
from pathlib import Path

import lark
import pytest
import yaml

from exitgate.core.language import grammar
from exitgate.core.language.syntax.build import Builder
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.system.digest import hex_digest

HOW = "write them: python -P -m exitgate.core.language.grammar"
CALLBACKS = {"FACT": grammar._no_keyword}
TEXTS = sorted({
    str(case["expr"])
    for path in (Path(__file__).parent / "corpus").glob("*.yaml")
    for case in yaml.safe_load(path.read_text())["cases"]
})  # fmt: skip


def plain() -> dict[str, object]:
    found = json.loads(Path(grammar.PATH).read_text())
    assert isinstance(found, dict)
    return found


def test_they_are_of_this_grammar() -> None:
    assert plain()["grammar"] == hex_digest(grammar.grammar_text().encode()), HOW
    if plain()["lark"] != lark.__version__:
        pytest.skip(f"made by Lark {plain()['lark']}")
    assert grammar.kept(grammar.grammar_text(), Builder(), CALLBACKS) is not None


def answer(parser: lark.Lark, text: str) -> object:
    try:
        return parser.parse(text)
    except lark.exceptions.UnexpectedInput as error:
        return type(error), error.line, error.column, sorted(getattr(error, "accepts", None) or ())
    except ExitgateError as error:
        return str(error)
    except Exception as error:
        return type(error), str(error)


def test_both_parsers_give_the_same_trees_and_errors() -> None:
    kept = grammar.kept(grammar.grammar_text(), Builder(), CALLBACKS)
    if kept is None:
        pytest.skip("made by another Lark")
    built = grammar.built()
    assert len(TEXTS) > 200
    for text in [*TEXTS, *(text[: len(text) // 2] for text in TEXTS), *(f"{text} and" for text in TEXTS)]:
        assert answer(kept, text) == answer(built, text), text


def test_tables_of_another_lark_or_grammar_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert grammar.kept(grammar.grammar_text() + "\n", Builder(), CALLBACKS) is None
    monkeypatch.setattr(lark, "__version__", "0")
    assert grammar.kept(grammar.grammar_text(), Builder(), CALLBACKS) is None
    monkeypatch.undo()
    monkeypatch.setattr(grammar, "PATH", "/nowhere/at/all.json")
    assert grammar.kept(grammar.grammar_text(), Builder(), CALLBACKS) is None
