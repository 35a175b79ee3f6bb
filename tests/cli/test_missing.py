"""A file or folder that is named and not there is 66, whatever the command; one that cannot be read is 74."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_program import run

GONE = "gone.yaml"
COMMANDS = (
    ("check", "gone.md"),
    ("check", "-p", f"./{GONE}"),
    ("check", "-p", "no-such-policy"),
    ("validate", GONE),
    ("lint", GONE),
    ("fmt", GONE),
    ("test", GONE),
    ("mutate", GONE),
    ("prove", GONE),
    ("diff", GONE, "bb3"),
    ("migrate", GONE),
    ("ci", GONE),
    ("release-check", GONE),
    ("explain", "--policy", f"./{GONE}"),
    ("dry-run", "gone"),
    ("transcripts", "gone"),
    ("report", "gone"),
    ("label", "gone"),
    ("score", "--labels", GONE, "."),
    ("calibrate", ".", "--labels", GONE),
    ("facts", "gone.md"),
    ("import", "ralphrc", "gone"),
    ("run", "--prompt", "gone.md", "--", "true"),
    ("policies", "show", "no-such-policy"),
    ("config", "-p", f"./{GONE}"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_what_is_named_and_not_there_is_66(words: tuple[str, ...], tmp_path: Path) -> None:
    ran = run(*words, cwd=tmp_path, HOME=str(tmp_path))
    assert ran.code == 66, ran
    assert words[-1] in ("true", "bb3", ".") or words[-1].rpartition("/")[2] in ran.out + ran.err


def test_what_is_there_and_cannot_be_read_is_74(tmp_path: Path) -> None:
    (tmp_path / "itself").symlink_to("itself")
    for words in (("dry-run", "itself"), ("transcripts", "itself"), ("score", "--labels", "itself", ".")):
        assert run(*words, cwd=tmp_path, HOME=str(tmp_path)).code == 74, words
