"""Walking through folders: loops of links, pipes, odd names, depth, many files; what others claim."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from exitgate.recordings.discovery import Found, discover
from exitgate.recordings.location import Location

RESULT = json.dumps({"type": "result", "subtype": "success", "result": "Done.", "session_id": "s"})


def found(*paths: Path | str) -> list[Found]:
    return list(discover([str(path) for path in paths]))


def told(root: Path, *paths: Path | str) -> list[tuple[str, str | None, str]]:
    return [(os.path.relpath(f.place.path, root), f.reader, f.trouble) for f in found(*paths or (root,))]


def test_loops_of_links_are_walked_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "r.json").write_text(RESULT)
    for link, to in (("a/b", "../b"), ("b/a", "../a"), ("a/self", "."), ("up", ".."), ("b/root", "/")):
        (tmp_path / link).symlink_to(to)
    for n in range(4):
        (tmp_path / f"again{n}").symlink_to(".")
    assert [path for path, _, _ in told(tmp_path)] == ["a/b/r.json", "a/r.json"]


def test_a_file_under_two_names_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(RESULT)
    (tmp_path / "s.json").symlink_to("r.json")
    assert told(tmp_path, tmp_path, tmp_path / "s.json", f"{tmp_path}/./r.json") == [
        ("r.json", "claude-result", "")
    ]


def test_a_folder_in_another_is_found_from_both_ends(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "r.json").write_text(RESULT)
    inner_first = [path for path, _, _ in told(tmp_path, tmp_path / "b", tmp_path)]
    assert inner_first == ["b/r.json", "a/r.json"]


def test_links_that_lead_nowhere_are_told_and_void_nothing(tmp_path: Path) -> None:
    (tmp_path / "itself").symlink_to("itself")
    (tmp_path / "gone.jsonl").symlink_to("nowhere")
    (tmp_path / "r.json").write_text(RESULT)
    gone, itself, read = told(tmp_path)
    assert gone == ("gone.jsonl", None, "No such file or directory")
    assert itself[0] == "itself"
    assert "symbolic links" in itself[2]
    assert read == ("r.json", "claude-result", "")


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    (tmp_path / "r.json").write_text(RESULT)
    assert told(tmp_path) == [("r.json", "claude-result", "")]
    assert told(tmp_path, pipe) == [("pipe.jsonl", None, "it is a pipe")]
    with pytest.raises(OSError, match="it is a pipe"):
        Location(str(pipe)).read()
    with pytest.raises(OSError, match="it is a device"):
        Location("/dev/zero").open()


def test_a_folder_named_like_a_file_is_walked(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").mkdir()
    (tmp_path / "x.jsonl" / "r.json").write_text(RESULT)
    assert told(tmp_path) == [("x.jsonl/r.json", "claude-result", "")]


def test_names_of_any_bytes(tmp_path: Path) -> None:
    name = b"odd\xff\n\x1b[31m *?[.json"
    Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).write_text(RESULT)
    assert told(tmp_path) == [(os.fsdecode(name), "claude-result", "")]
    assert told(tmp_path, tmp_path / os.fsdecode(name)) == [(os.fsdecode(name), "claude-result", "")]


def test_folders_deeper_than_calls(tmp_path: Path) -> None:
    here, depth = os.getcwd(), 1200
    try:
        os.chdir(tmp_path)
        for _ in range(depth):
            os.mkdir("d")
            os.chdir("d")
        Path("r.json").write_text(RESULT)
        assert [(f.place.name, f.reader) for f in found(tmp_path)] == [("r.json", "claude-result")]
        os.unlink("r.json")
        for _ in range(depth):  # whoever tidies up calls itself for each of them
            os.chdir("..")
            os.rmdir("d")
    finally:
        os.chdir(here)


def test_a_mixture_of_logs_code_and_packages(tmp_path: Path) -> None:
    for path in ("src/main.py", "node_modules/p/package.json", ".git/HEAD", "README.md", ".venv/x.json"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(RESULT if path.endswith(".json") else "# a\n")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "r.json").write_text(RESULT)
    assert told(tmp_path) == [
        ("README.md", None, ""),
        ("logs/r.json", "claude-result", ""),
        ("src/main.py", None, ""),
    ]


def test_a_folder_is_not_listed_once_for_each_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(30):
        (tmp_path / f"{n}.json").write_text(RESULT)
    listed: list[str] = []
    names = Location.names

    def counted(place: Location) -> tuple[str, ...]:
        listed.append(place.path)
        return names(place)

    monkeypatch.setattr(Location, "names", counted)
    assert len(found(tmp_path)) == 30
    assert len(listed) < 5
