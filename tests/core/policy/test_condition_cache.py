"""Parsed conditions from the user's cache: the same as the parser's, and no parser for what is known."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each

from exitgate.core.language import grammar, silence
from exitgate.core.language.syntax import parse as parsing
from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import cache, condition_cache, shipped
from exitgate.core.policy.cache import keep_part, recall_policy
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.condition_cache import CONDITIONS
from exitgate.core.policy.remembered import REMEMBERED
from exitgate.core.policy.serialized import text_of
from exitgate.core.system.quick_json import dumps

POLICY = """policy: mine
format: 1
version: 1.0.0
title: Conditions
rules:
  - {id: long, when: run.iterations > 12, exit: review, because: it is long}
  - {id: late, when: clock.elapsed > 2h, exit: review, because: it is late}
"""
#: Makes a policy and says whether Lark was imported.
PROBE = """
import sys
from exitgate.core.policy.cache import recall_policy
loaded = recall_policy(sys.argv[1])
assert not loaded.recalled
print("lark" in sys.modules)
"""


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_CODE", {"": ["this code"]})
    CONDITIONS.forget()
    return tmp_path


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are parsed from now on."""
    found: list[str] = []
    parse = parsing.parse

    def noted(text: str) -> Node:
        found.append(text)
        return parse(text)

    monkeypatch.setattr(parsing, "parse", noted)
    return found


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The conditions that are tried from now on without any response."""
    found: list[object] = []
    exits = silence._exits

    def noted(node: Node, *given: object) -> Node | None:
        found.append(node)
        return exits(node, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(silence, "_exits", noted)
    return found


def loaded(reference: str) -> CompiledPolicy:
    """Load a policy as a new process would, and keep its conditions as a check does."""
    REMEMBERED.forget()
    CONDITIONS.forget()
    grammar.read.cache_clear()  # what was found out about a tree is kept with it
    policy = load_policy(reference)
    CONDITIONS.keep()
    return policy


def write(folder: Path, text: str = POLICY) -> str:
    (folder / "p.yaml").write_text(text, encoding="utf-8")
    return str(folder / "p.yaml")


def entry_in(folder: Path) -> Path:
    """Return the entry of the cache that holds trees."""
    (entry,) = (one for one in (folder / "cache").iterdir() if b'{"run.iterations' in one.read_bytes())
    return entry


def new_process(path: str) -> bool:
    """Return whether a new process imports Lark in order to compile a policy."""
    words = [sys.executable, "-c", PROBE, path]
    ran = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ})
    return ran.stdout.strip() == "True"


@each("name", shipped.policies())
def test_a_policy_is_the_same_with_trees_from_the_cache(
    name: str, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", "")
    plain = text_of(loaded(name))
    monkeypatch.undo()
    first = text_of(loaded(name))
    assert text_of(loaded(name)) == first == plain


def test_no_condition_is_parsed_twice(empty: Path, parsed: list[str]) -> None:
    first = text_of(loaded("recommended"))
    assert len(parsed) > 100
    parsed.clear()
    assert text_of(loaded("recommended")) == first
    assert parsed == []


def test_an_edit_imports_lark_for_a_condition_that_is_new_and_for_no_other(empty: Path) -> None:
    assert new_process("recommended")
    assert new_process(write(empty))
    own = "policy: mine\nformat: 1\nversion: 1.0.0\ntitle: Mine\nextends: recommended\nrules:\n"
    rule = "  - {id: mine, when: WHEN, exit: review, because: mine}\n"

    def edited(when: str) -> bool:
        return new_process(write(empty, own + rule.replace("WHEN", when)))

    assert not edited("run.iterations > 12")  # that of another policy
    assert not edited("run.iterations > 13")  # another number
    assert edited("run.iterations > 13 and clock.elapsed > 2h")
    assert not edited("'run.iterations > 14 and clock.elapsed > 2h'")


def test_problems_are_found_anew(empty: Path) -> None:
    wrong = POLICY.replace("> 12", ">> 12").replace("clock.elapsed", "clock.elapsd")

    def codes() -> list[tuple[str, str]]:
        with pytest.raises(ExitgateError) as error:
            loaded(write(empty, wrong))
        return [(one.code, one.message) for one in error.value.diagnostics]

    first = codes()
    CONDITIONS.keep()
    assert codes() == first
    assert len(first) == 2


def test_a_number_that_is_too_large_is_a_problem_with_its_place(empty: Path) -> None:
    loaded(write(empty))
    with pytest.raises(ExitgateError) as error:
        loaded(write(empty, POLICY.replace("> 12", "> 123456789012345678901")))
    assert [one.code for one in error.value.diagnostics] == ["EP312"]


@each("damage", [b"", b"exitgate", b"\xff\xfe"])
def test_a_damaged_entry_is_not_used(damage: bytes, empty: Path, parsed: list[str]) -> None:
    first = text_of(loaded(write(empty)))
    entry = entry_in(empty)
    whole = entry.read_bytes()
    entry.write_bytes(damage or whole[:-20])
    parsed.clear()
    assert text_of(loaded(write(empty))) == first
    assert "run.iterations > 12" in parsed
    assert entry.read_bytes() == whole


def test_a_tampered_tree_is_not_used(empty: Path, parsed: list[str]) -> None:
    first = text_of(loaded(write(empty)))
    entry = entry_in(empty)
    whole = entry.read_bytes()
    entry.write_bytes(whole.replace(b"null,12]", b"null,99]"))
    assert entry.read_bytes() != whole
    parsed.clear()
    assert text_of(loaded(write(empty))) == first
    assert "run.iterations > 12" in parsed


@each(
    "plain",
    [[], {"run.iterations > 12": 1}, {"run.iterations > 12": ["compare"]}, {"a > 12": [[], 1, 2, None]}],
)
def test_an_entry_of_another_form_is_parsed(plain: object, empty: Path, parsed: list[str]) -> None:
    first = text_of(loaded(write(empty)))
    keep_part(("trees",), dumps(plain).encode("ascii"))
    parsed.clear()
    assert text_of(loaded(write(empty))) == first
    assert "run.iterations > 12" in parsed


def test_texts_are_bounded_and_those_in_use_stay(
    empty: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(condition_cache, "TEXTS", 8)
    loaded("bb3")
    loaded(write(empty))
    parsed.clear()
    loaded(write(empty))
    assert parsed == []
    monkeypatch.setattr(condition_cache, "LENGTH", 10)
    loaded(write(empty, POLICY.replace("2h", "3h")))
    parsed.clear()
    loaded(write(empty))
    assert parsed != []


def test_a_check_keeps_them(empty: Path, parsed: list[str]) -> None:
    recall_policy(write(empty))
    CONDITIONS.forget()
    REMEMBERED.forget()
    parsed.clear()
    assert not recall_policy(write(empty, POLICY + "# edited\n")).recalled
    assert parsed == []


# --- conditions that are true without any response ---

LOUD = """policy: mine
format: 1
version: 1.0.0
title: Silence
parameters: {most: {type: TYPE, default: VALUE}}
facts: {mood: {extract: checklist, from: plan}}
rules:
  - {id: few, when: (mood.done or else 5) < $most, exit: review, because: few}
"""


def test_no_condition_is_tried_twice(empty: Path, tried: list[object]) -> None:
    first = text_of(loaded("recommended"))
    assert len(tried) > 30
    tried.clear()
    assert text_of(loaded("recommended")) == first
    assert tried == []
    own = "policy: mine\nformat: 1\nversion: 1.0.0\ntitle: Mine\nextends: recommended\n"
    rule = "  - {id: mine, when: tasks.done > 900, exit: review, because: mine}\n"
    loaded(write(empty, f"{own}rules:\n{rule}"))
    assert len(tried) == 1
    tried.clear()
    loaded(write(empty, f"{own}parameters: {{max_iterations: {{default: 77}}}}\n"))
    assert 1 <= len(tried) <= 3  # those that name the parameter


def test_a_condition_that_exits_without_a_response_is_found_each_time(
    empty: Path, tried: list[object]
) -> None:
    quiet = LOUD.replace("TYPE", "count").replace("VALUE", "3")
    loud = quiet.replace("default: 3", "default: 9")
    for _ in range(2):
        loaded(write(empty, quiet))
        with pytest.raises(ExitgateError) as error:
            loaded(write(empty, loud))
        assert [one.code for one in error.value.diagnostics] == ["EP464"]
    assert len(tried) == 3


def test_the_same_text_over_other_types_is_another_condition(empty: Path, tried: list[object]) -> None:
    loaded(write(empty, LOUD.replace("TYPE", "count").replace("VALUE", "3")))
    loaded(write(empty, LOUD.replace("TYPE", "number").replace("VALUE", "3")))
    assert len(tried) == 2
