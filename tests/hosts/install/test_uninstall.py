"""`exitgate uninstall HOST` after other edits, on other machines, and of what `--enable` wrote."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from install_texts import HOST_IDS, theirs

from exitgate.hosts.install import files
from exitgate.hosts.install.inspect import HOSTS

if TYPE_CHECKING:
    from install_place import Place

NOTHING = {"project/.git": None}


def forget_all(place: Place) -> None:
    """As on another machine, where nothing was noted."""
    shutil.rmtree(place.home / ".local")


@pytest.mark.parametrize("name", HOST_IDS)
def test_edits_since_are_kept(name: str, place: Place) -> None:
    place.write(name, b'{\n  "a": 1\n}\n')
    place("install", name, "--yes")
    path = place.settings(name)
    plain = json.loads(path.read_bytes())
    plain["hooks"][HOSTS[name].events[0]].append(theirs(HOSTS[name]))
    path.write_text(json.dumps(plain | {"b": 2}, indent=2), encoding="utf-8")
    assert place("uninstall", name, "--yes").code == 0
    left = json.loads(path.read_bytes())
    assert left["hooks"] == {HOSTS[name].events[0]: [theirs(HOSTS[name])]}
    assert (left["a"], left["b"]) == (1, 2)


@pytest.mark.parametrize("name", HOST_IDS)
def test_on_another_machine(name: str, place: Place) -> None:
    """Without a note of what was done: the file of our hook alone goes, another is as before."""
    raw = b'{\n  "version": 1,\n  "a": {"b": []} // c\n}\n'
    place.write(name, raw)
    place("install", name, "--yes")
    forget_all(place)
    assert place("uninstall", name, "--yes").code == 0
    assert place.settings(name).read_bytes() == raw
    place.settings(name).unlink()
    place("install", name, "--yes")
    forget_all(place)
    assert place("uninstall", name, "--yes").out.endswith(f"removed {HOSTS[name].project}\n")
    assert not place.settings(name).exists()
    assert place.settings(name).parent.is_dir(), "whose folder it is, is not known"


def test_what_stood_there_empty_stays_after_other_edits(place: Place) -> None:
    place.write("claude-code", b'{\n  "hooks": {\n    "Stop": []\n  }\n}\n')
    place("install", "claude-code", "--yes")
    path = place.settings("claude-code")
    path.write_text(path.read_text(encoding="utf-8").replace("{\n", '{\n  "new": 1,\n', 1), encoding="utf-8")
    place("uninstall", "claude-code", "--yes")
    assert json.loads(path.read_bytes()) == {"new": 1, "hooks": {"Stop": []}}


def test_a_file_that_install_made_stays_with_what_others_put_there(place: Place) -> None:
    place("install", "claude-code", "--yes")
    path = place.settings("claude-code")
    path.write_text(path.read_text(encoding="utf-8").replace("{\n", '{\n  "new": 1,\n', 1), encoding="utf-8")
    (path.parent / "agents").mkdir()
    assert place("uninstall", "claude-code", "--yes").code == 0
    assert path.read_text(encoding="utf-8") == '{\n  "new": 1\n}\n'
    path.write_text("{}\n", encoding="utf-8")
    assert place("uninstall", "claude-code", "--yes").err == "nothing to remove\n"
    assert path.exists(), "a file without our hook is not ours to remove"


def test_a_folder_with_something_in_it_stays(place: Place) -> None:
    place("install", "claude-code", "--yes")
    (place.project / ".claude" / "agents").mkdir()
    place("uninstall", "claude-code", "--yes")
    assert place.everything() == {**NOTHING, "project/.claude": None, "project/.claude/agents": None}


def test_a_home_that_cannot_be_written(place: Place) -> None:
    (place.home / ".local").write_text("a file", encoding="utf-8")
    ran = place("install", "claude-code", "--yes")
    assert (ran.code, ran.out[-28:]) == (0, "wrote .claude/settings.json\n")
    assert "could not be recorded at" in ran.err
    assert "`exitgate uninstall` finds the hook by its command" in ran.err
    assert place("uninstall", "claude-code", "--yes").code == 0
    assert not place.settings("claude-code").exists()


NOTES = [b"", b"{}", b"[]", b'{"version": 2}', b'{"version": 1, "back": 1}', b"\xb1"]


@pytest.mark.parametrize("note", NOTES)
def test_a_note_that_cannot_be_read_counts_as_none(note: bytes, place: Place) -> None:
    place.write("claude-code", b'{\n  "a": 1\n}\n')
    place("install", "claude-code", "--yes")
    (receipt,) = (place.home / ".local").rglob("*.json")
    receipt.write_bytes(note)
    assert place("uninstall", "claude-code", "--yes").code == 0
    assert place.settings("claude-code").read_bytes() == b'{\n  "a": 1\n}\n'
    assert not receipt.exists()


def test_notes_are_private_and_hold_no_settings(place: Place) -> None:
    place.write("claude-code", b'{\n  "env": {"API_KEY": "sk-secret"}\n}\n')
    place("install", "claude-code", "--yes")
    (receipt,) = (place.home / ".local").rglob("*.json")
    assert receipt.stat().st_mode & 0o077 == 0
    assert "secret" not in receipt.read_text(encoding="utf-8")


def test_somebody_changes_the_file_meanwhile(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place.write("claude-code", b"{}\n")
    real = files.may_write

    def meanwhile(file: str, shown: str) -> None:
        real(file, shown)
        path.write_bytes(b'{"by": "the host"}\n')

    monkeypatch.setattr(files, "may_write", meanwhile)
    ran = place("install", "claude-code", "--yes")
    assert ran.code == 73
    said = " ".join(ran.err.split())
    assert "error[EP569]: `.claude/settings.json` was changed by another program in the meantime" in said
    assert path.read_bytes() == b'{"by": "the host"}\n'


def test_enable_is_taken_back_with_the_last_host(place: Place) -> None:
    place("install", "claude-code", "--enable", "--yes")
    place("install", "codex", "--yes")
    ran = place("uninstall", "claude-code", "--yes")
    assert ".bb3/config.yaml still treats sessions here as loops, for codex\n" in ran.err
    assert (place.project / ".bb3" / "config.yaml").is_file()
    ran = place("uninstall", "codex", "--yes")
    assert "@@ -1," in ran.out
    assert "as `exitgate install` wrote it" in ran.out
    assert place.everything() == NOTHING


def test_enable_in_settings_that_were_there(place: Place) -> None:
    config = place.project / ".bb3" / "config.yaml"
    config.parent.mkdir()
    config.write_text("exit_decision:\n  # ours\n  min_confidence: 80  # why\n", encoding="utf-8")
    place("install", "claude-code", "--enable", "--max-blocks", "3", "--yes")
    assert config.read_text(encoding="utf-8") == (
        "exit_decision:\n  hooks:\n    enabled: true\n    max_blocks: 3\n  # ours\n"
        "  min_confidence: 80  # why\n"
    )
    assert not (config.parent / "config.schema.json").exists()
    place("uninstall", "claude-code", "--yes")
    assert config.read_text(encoding="utf-8") == "exit_decision:\n  # ours\n  min_confidence: 80  # why\n"


def test_settings_that_were_changed_since_stay(place: Place) -> None:
    place("install", "claude-code", "--enable", "--yes")
    config = place.project / ".bb3" / "config.yaml"
    config.write_text(config.read_text(encoding="utf-8") + "  min_confidence: 80\n", encoding="utf-8")
    ran = place("uninstall", "claude-code", "--yes")
    assert ".bb3/config.yaml was changed since and is kept, with `hooks:` in it\n" in ran.err
    assert config.is_file()
    assert not place.settings("claude-code").exists()


def test_usage(place: Place) -> None:
    assert place("uninstall").code == 64
    assert "no host `clawd`" in place("uninstall", "clawd").err
