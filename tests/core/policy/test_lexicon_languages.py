# ruff: noqa: RUF001 - texts in other scripts are meant
"""`language:` of an entry under `facts:`, and lexicons of several languages in a compiled policy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from exitgate.core.facts import registry
from exitgate.core.facts.lexicons.lexicon import entries_of
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.serialized import policy_from, text_of

POLICY = """\
policy: own
format: 1
version: 1.0.0
title: t
facts:
  claims: {{extract: phrases, {entry}}}
rules:
  - {{id: done, when: claims.found, exit: complete, because: claimed}}
otherwise: continue
"""


def loaded(folder: Path, entry: str) -> CompiledPolicy:
    path = folder / "policy.yaml"
    path.write_text(POLICY.format(entry=entry), encoding="utf-8")
    return load_policy(str(path))


def says(policy: CompiledPolicy, text: str) -> object:
    entry = next(e for e in policy.extractions if e.prefix == "claims")
    iteration = Iteration(1, "t#1", 0.0, {entry.source: Source(entry.source, text)})
    found = registry.load(entry.extractor).extract(entry.prefix, entry.source, entry.options, iteration)
    return next(f.value for f in found if f.name == "claims.found")


@pytest.mark.parametrize(
    ("entry", "said", "unsaid"),
    [
        ("lexicon: completion", "Alle Aufgaben sind erledigt.", "Alle Aufgaben sind noch nicht erledigt."),
        ("lexicon: completion", "所有任务已完成。", "所有任务都还没有完成。"),
        ("lexicon: completion, language: auto", "All tasks are done.", "Not all tasks are done."),
        ("lexicon: completion, language: de", "Alles ist fertig.", "All tasks are done."),
        ("lexicon: completion, language: [ja, en]", "全タスク完了！", "Alle Aufgaben sind erledigt."),
        ("lexicon: [completion-de, completion-fr]", "Tout est terminé.", "All tasks are done."),
        ("phrases: [bereit], language: de", "Ich bin bereit.", "Ich bin nicht bereit."),
    ],
)
def test_what_counts(tmp_path: Path, entry: str, said: str, unsaid: str) -> None:
    policy = loaded(tmp_path, entry)
    kept = policy_from(text_of(policy))
    for each in (policy, kept):
        assert says(each, said) is True
        assert says(each, unsaid) is False


def test_a_language_that_is_set_is_all_that_is_kept(tmp_path: Path) -> None:
    policy = loaded(tmp_path, "lexicon: completion, language: [ru, de]")
    kept = next(e for e in policy.extractions if e.prefix == "claims").options.object("lexicon")
    assert list(kept.object("languages")) == ["de", "ru"]
    assert {e["language"] for e in entries_of(kept)} == {"de", "ru"}


@pytest.mark.parametrize("language", ["it", "[de, it]"])
def test_a_language_that_the_lexicon_does_not_have(tmp_path: Path, language: str) -> None:
    with pytest.raises(ExitgateError) as raised:
        loaded(tmp_path, f"lexicon: completion, language: {language}")
    (found,) = raised.value.diagnostics
    assert (found.code, found.message) == ("EP471", "the lexicon has nothing in the language `it`")
    assert found.place is not None and found.place.line == 6


def test_the_page_on_languages_says_what_happens(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "other-languages.md").read_text(encoding="utf-8")
    policy, _, lexicon = re.findall(r"```yaml\n(.*?)```", page, re.S)
    (tmp_path / "ours-de.yaml").write_text(lexicon, encoding="utf-8")
    own = policy.replace("lexicon: completion", "lexicon: [completion, ./ours-de.yaml]")
    path = tmp_path / "ours.yaml"
    path.write_text(policy, encoding="utf-8")
    said = re.findall(r'echo "(.*?)" \|.*# (EXIT|CONTINUE)', page)
    assert len(said) == 3
    for text, verdict in said:
        assert says(load_policy(str(path)), text) is (verdict == "EXIT")
    path.write_text(own, encoding="utf-8")
    assert says(load_policy(str(path)), "Die Übergabe ist erfolgt.") is True
    assert says(load_policy(str(path)), "Die Übergabe ist noch nicht erfolgt.") is False
