"""Claims in other languages than English: what counts as finished, and what a guard refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from cases import each
from fact_reading import facts, resolved

from exitgate.core.model.value import Unknown

TABLES = Path(__file__).parent / "languages"
CODES = sorted(path.stem for path in TABLES.glob("*.yaml"))
COMPLETION = resolved("completion")


def table(code: str) -> dict:
    return yaml.safe_load((TABLES / f"{code}.yaml").read_text(encoding="utf-8"))


def rows(key: str) -> Iterator[object]:
    for code in CODES:
        for text in table(code)[key]:
            yield pytest.param(text, id=f"{code}-{text[:60]}")


def found(text: str, **options: object) -> dict:
    return facts("phrases", {"lexicon": COMPLETION, **options}, response=text)


@each("text", list(rows("counts")))
def test_a_claim_counts(text: str) -> None:
    said = found(text)["x.found"]
    assert said.value is True, [(r.excerpt, r.guard) for r in said.rejected]


@each("text", list(rows("refused")))
def test_no_claim_counts(text: str) -> None:
    said = found(text)["x.found"]
    assert not isinstance(said.value, Unknown)
    assert said.value is False, [(e.excerpt, e.note) for e in said.evidence]


def others() -> Iterator[object]:
    written = yaml.safe_load((Path(__file__).parent / "language_claims.yaml").read_text(encoding="utf-8"))
    for name, texts in written.items():
        for key, said in texts.items():
            for text in said:
                yield pytest.param(name, text, key == "counts", id=f"{name}-{key}-{text[:50]}")


@each(("name", "text", "counts"), list(others()))
def test_other_statements(name: str, text: str, counts: bool) -> None:
    found = facts("phrases", {"lexicon": resolved(name)}, response=text)["x.found"]
    assert found.value is counts, [(e.note, e.guard) for e in (*found.evidence, *found.rejected)]


@pytest.mark.parametrize("code", CODES)
def test_each_table_says_enough(code: str) -> None:
    assert len(table(code)["refused"]) >= 15
    assert len(table(code)["counts"]) >= 5
