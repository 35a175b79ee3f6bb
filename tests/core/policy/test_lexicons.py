"""Lexicons as a policy's options get them."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.core.facts.lexicons.resolved import whole
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy

POLICY = "policy: p\nformat: 1\nversion: 1.0.0\nfacts: {claims: {extract: phrases, %s}}\nrules: []\n"
WORDS = """\
lexicon: words
format: 1
title: Words
apply: [quoted]
entries:
  - {id: shipped, phrase: shipped it, weight: 3, examples: [we shipped it]}
"""
GUARDED = (
    "lexicon: guarded\nformat: 1\ntitle: G\nuses: [guards-en]\nguards: {negated: {words: [nay], reach: 2}}\n"
)


def lexicon(tmp_path: Path, option: str) -> dict[str, dict[str, object]]:
    (tmp_path / "p.yaml").write_text(POLICY % option, encoding="utf-8")
    policy = load_policy("p.yaml", base=str(tmp_path))
    return whole(policy.extractions[0].options.object("lexicon"))  # type: ignore[return-value]


def test_a_file_beside_the_policy(tmp_path: Path) -> None:
    (tmp_path / "words.yaml").write_text(WORDS, encoding="utf-8")
    found = lexicon(tmp_path, "lexicon: words.yaml")
    entry = {
        "id": "shipped",
        "phrase": "shipped it",
        "weight": 3,
        "guards": ["quoted"],
        "keys": [["shipped"]],
    }
    assert found["entries"] == [entry]
    assert "negated" in found["guards"]


def test_several_with_guards_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "words.yaml").write_text(WORDS, encoding="utf-8")
    (tmp_path / "guarded.yaml").write_text(GUARDED, encoding="utf-8")
    found = lexicon(tmp_path, "lexicon: [completion-en, ./words.yaml, ./guarded.yaml]")
    assert [entry["id"] for entry in found["entries"]][-1] == "shipped"  # type: ignore[index]
    assert len(found["entries"]) > 3
    assert found["guards"]["negated"] == {"words": ["nay"], "reach": 2}
    assert "quoted" in found["guards"] or "qualified" in found["guards"]


def test_own_phrases_get_the_guards(tmp_path: Path) -> None:
    found = lexicon(tmp_path, "phrases: [all done]")
    assert found["entries"] == []
    assert found["guards"] == lexicon(tmp_path, "lexicon: completion-en")["guards"]


def test_what_is_wrong_in_a_lexicon_is_told_there(tmp_path: Path) -> None:
    (tmp_path / "words.yaml").write_text(WORDS.replace("phrase:", "prhase:") + "x: &a 1\n", encoding="utf-8")
    with pytest.raises(ExitgateError) as caught:
        lexicon(tmp_path, "lexicon: words.yaml")
    told = [(d.code, str(d.place)) for d in caught.value.diagnostics]
    assert ("EP201", "words.yaml:6:19") in told
    assert ("EP106", "words.yaml:7:4") in told


def test_lexicons_that_use_each_other(tmp_path: Path) -> None:
    for name, used in (("one", "two"), ("two", "one")):
        text = WORDS.replace("lexicon: words", f"lexicon: {name}\nuses: [./{used}.yaml]")
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ExitgateError, match=r"EP472 lexicon `\./one\.yaml` uses more than 60 others"):
        lexicon(tmp_path, "lexicon: ./one.yaml")


def test_the_digest_knows_the_lexicon(tmp_path: Path) -> None:
    digests = set()
    for weight in ("3", "4"):
        (tmp_path / "words.yaml").write_text(
            WORDS.replace("weight: 3", f"weight: {weight}"), encoding="utf-8"
        )
        lexicon(tmp_path, "lexicon: words.yaml")
        digests.add(load_policy("p.yaml", base=str(tmp_path)).digest)
    assert len(digests) == 2
