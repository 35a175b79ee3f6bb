"""What is written is private, and no planted link leads it elsewhere."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from loops import Loop

VIEWS = "views: {exit_state: {}, decision_log: {}, session: {}, confidence_log: {}}\n"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o022, 0o000])
def test_modes(loop: Loop, umask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "cache"))
    before = os.umask(umask)
    try:
        loop.write("r.md", "x")
        (tmp_path / "cache").rmdir()
        assert loop.run("check", "r.md", "--policy", "bb3").code == 0
    finally:
        os.umask(before)
    state = loop.root / ".ralph/exitgate"
    assert mode(state) == 0o700
    written = [*state.rglob("*"), tmp_path / "cache", *(tmp_path / "cache").rglob("*")]
    assert len(written) >= 5
    for path in written:
        assert mode(path) == (0o700 if path.is_dir() else 0o600), path


def check(loop: Loop) -> tuple[int, str]:
    loop.write("r.md", "x")
    ran = loop.run("check", "r.md", "--policy", "bb3")
    return ran.code, ran.all


@pytest.mark.parametrize("at", [".ralph", ".ralph/exitgate"])
def test_a_planted_link_of_the_state_directory_is_refused(loop: Loop, tmp_path: Path, at: str) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (loop.root / at).parent.mkdir(exist_ok=True)
    (loop.root / at).symlink_to(target)
    code, said = check(loop)
    assert (code, "EP817" in said) == (73, True)
    assert list(target.iterdir()) == []
    for words in (("history",), ("state",), ("explain",)):
        assert loop.run(*words).code == 73
    loop.policy("rules: []\n")
    assert loop.run("check", "r.md", "--policy", "./policy.yaml", "--state-dir", str(target)).code == 0
    assert (target / "ledger.jsonl").exists()


def test_a_link_within_the_project_is_followed(loop: Loop) -> None:
    (loop.root / "elsewhere").mkdir()
    (loop.root / ".ralph").symlink_to("elsewhere")
    assert check(loop)[0] == 0
    assert (loop.root / "elsewhere/exitgate/ledger.jsonl").exists()


@pytest.mark.parametrize("name", ["ledger.jsonl", "ledger.lock", "policies"])
def test_links_in_the_state_directory_are_not_followed(loop: Loop, tmp_path: Path, name: str) -> None:
    target = tmp_path / "target"
    if name == "policies":
        target.mkdir()
    else:
        target.write_text("precious\n")
    state = loop.root / ".ralph/exitgate"
    state.mkdir(parents=True, mode=0o700)
    (state / name).symlink_to(target)
    code, said = check(loop)
    assert code == 73
    assert "error[" in said
    assert list(target.iterdir()) == [] if name == "policies" else target.read_text() == "precious\n"


@pytest.mark.parametrize("name", ["ledger.jsonl", "ledger.lock"])
def test_a_pipe_in_its_place_does_not_hang(loop: Loop, name: str) -> None:
    state = loop.root / ".ralph/exitgate"
    state.mkdir(parents=True, mode=0o700)
    os.mkfifo(state / name)
    code, _ = check(loop)
    assert code in (0, 73)
    assert name == "ledger.lock" or code == 73


def test_a_dangling_link_makes_no_file(loop: Loop, tmp_path: Path) -> None:
    state = loop.root / ".ralph/exitgate"
    state.mkdir(parents=True, mode=0o700)
    (state / "ledger.jsonl").symlink_to(tmp_path / "made")
    assert check(loop)[0] == 73
    assert not (tmp_path / "made").exists()


def test_the_cache_in_hands_of_others_is_not_read(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "cache"))
    assert check(loop)[0] == 0
    (tmp_path / "cache").chmod(0o777)
    entry = next(path for path in (tmp_path / "cache").rglob("*.json"))
    entry.write_text("{}")
    assert check(loop)[0] == 0
    assert entry.read_text() == "{}"


def test_a_kept_policy_decides_nothing(loop: Loop) -> None:
    assert check(loop)[0] == 0
    for path in (loop.root / ".ralph/exitgate/policies").iterdir():
        path.write_text(path.read_text().replace('"exit_class":"review"', '"exit_class":"complete"'))
    assert check(loop)[0] == 0
    for path in (loop.root / ".ralph/exitgate/policies").iterdir():
        path.write_text('{"stored": "__import__(\'os\')"}')
    assert check(loop)[0] == 0
    assert loop.run("explain").code == 74
