"""Policies of a dry run: one that goes by a name is compiled once for all folders, a file for its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.core.policy import compile as compiling
from exitgate.recordings.replay.policies import chosen_policies

OURS = "policy: ours\nformat: 1\nversion: 1.0.0\nrules: []\notherwise: continue\n"


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was compiled since the beginning of the test, with a cache of its own."""
    found: list[str] = []
    whole = compiling.load_policy
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(
        compiling, "load_policy", lambda name, **more: (found.append(name), whole(name, **more))[1]
    )
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "one")
    return found


def test_a_name_is_compiled_once_for_all_folders(
    compiled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = chosen_policies(["guardrails"], {})
    monkeypatch.chdir(tmp_path / "other")
    assert chosen_policies(["guardrails"], {}) == first
    assert compiled == ["guardrails"]
    chosen_policies(["guardrails:max_iterations=3"], {})
    assert compiled == ["guardrails"] * 2


def test_a_file_of_that_name_is_not_passed_over(
    compiled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen_policies(["guardrails"], {})
    (tmp_path / "other" / "guardrails").mkdir()
    (tmp_path / "other" / "guardrails" / "policy.yaml").write_text(OURS, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "other")
    chosen_policies(["guardrails"], {})
    assert compiled == ["guardrails"] * 2


def test_a_path_belongs_to_its_folder(
    compiled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("one", "other"):
        (tmp_path / folder / "ours.yaml").write_text(OURS, encoding="utf-8")
        monkeypatch.chdir(tmp_path / folder)
        chosen_policies(["./ours.yaml"], {})
    assert compiled == ["./ours.yaml"] * 2
