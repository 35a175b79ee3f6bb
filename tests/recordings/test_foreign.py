"""Readers of other packages, found by their entry point: a distribution with its metadata on the path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.recordings import registry
from exitgate.recordings.discovery import discover
from exitgate.recordings.location import Location
from exitgate.recordings.page.assemble import collect
from exitgate.recordings.probe import probe_of
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.loaded_runs import load_runs
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.unread import known_reader

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "write-a-reader.md"
#: The reader of the page that says how to write one.
READER = PAGE.read_text("utf-8").split("```python\n")[1].split("```")[0]
LOOKS = "return bool(look.events) and"


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, target: str = "acme_reader") -> None:
    """Put a distribution with one reader on the path, as pip would have."""
    (folder / "acme_reader.py").write_text(code, encoding="utf-8")
    about = folder / "acme_transcripts-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-transcripts\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text(f"[exitgate.readers]\nacme = {target}\n", "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(__import__("sys").modules, "acme_reader", raising=False)
    monkeypatch.setattr(registry, "_found", None)


def log(folder: Path) -> Path:
    path = folder / "runs" / "one.log"
    path.parent.mkdir()
    rows = [{"acme": 1, "said": "I began.", "usd": 0.5}, {"acme": 1, "said": "I went on.", "usd": 0.25}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_it_reads_like_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, READER)
    path = log(tmp_path)
    assert registry.names()[-1] == "acme"
    assert known_reader("acme") == "acme"
    assert [(one.place.name, one.reader) for one in discover([str(path.parent)])] == [("one.log", "acme")]
    (found,) = dry_run([str(path)], ["recommended"]).results
    assert (found.run.reader, found.run.iterations, found.run.cost) == ("acme", 2, 0.75)


def test_a_bad_line_is_told_by_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, READER)
    path = log(tmp_path)
    path.write_text(path.read_text("utf-8") + "{broken\n" + '{"acme": 3, "said": "Done."}\n', "utf-8")
    found = dry_run([str(path)], ["recommended"])
    assert found.results[0].run.iterations == 3
    assert [(one.line, one.message) for one in found.problems] == [(3, "not a turn: JSONDecodeError")]


def test_our_own_readers_are_asked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, READER.replace(LOOKS, "return True or"))
    path = tmp_path / "t.json"
    path.write_text('{"schema_version": "ATIF-v1.4", "steps": []}\n', encoding="utf-8")
    assert registry.sniff(probe_of(Location(str(path)))) == "atif"


def test_a_folder_reader_and_what_it_claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = """
FOLDER = True


def claims(look):
    return frozenset(("one.log",))
"""
    code = READER.replace(LOOKS, "return 'one.log' in look.names and look.place.is_folder or look.events and")
    installed(tmp_path, monkeypatch, code + folder)
    path = log(tmp_path)
    (path.parent / "two.log").write_text("words", "utf-8")
    found = list(discover([str(path.parent)]))
    assert [(one.place.name, one.reader) for one in found] == [("runs", "acme"), ("two.log", None)]


@pytest.mark.parametrize(
    ("code", "target", "message"),
    [
        (
            "import nothing_of_this_name",
            "acme_reader",
            "cannot be loaded: ModuleNotFoundError: No module named",
        ),
        (READER, "acme_reader:nothing", "cannot be loaded: AttributeError: "),
        ("ID = 'acme'\nTITLE = 'x'\nGIVES = ()\ndef fits(look): ...", "acme_reader", "has no `read`"),
    ],
)
def test_one_that_is_none_is_told_by_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, target: str, message: str
) -> None:
    installed(tmp_path, monkeypatch, code, target)
    with pytest.raises(ExitgateError) as caught:
        registry.load("acme")
    (told,) = caught.value.diagnostics
    assert (told.code, caught.value.exit_code) == ("EP854", 65)
    assert told.message.startswith(f"the reader `acme` of `acme-transcripts` {message}")


def test_what_it_raises_is_told_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, READER.replace("(ValueError, KeyError, ", "("))
    path = log(tmp_path)
    path.write_text('{"acme": 1}\n', encoding="utf-8")
    with pytest.raises(ExitgateError) as caught:
        list(registry.load("acme").read(Location(str(path)), frozenset()))
    (told,) = caught.value.diagnostics
    assert told.message == f"the reader `acme` of `acme-transcripts` failed on `{path}`: KeyError: 'said'"
    path.unlink()
    with pytest.raises(FileNotFoundError):
        list(registry.load("acme").read(Location(str(path)), frozenset()))


def test_a_look_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, READER.replace(LOOKS, "return look.events[0] and"))
    path = tmp_path / "words.txt"
    path.write_text("words", "utf-8")
    with pytest.raises(ExitgateError, match=r"failed on a look at .*words.txt.: IndexError"):
        registry.sniff(probe_of(Location(str(path))))


def test_one_that_fails_does_not_take_other_transcripts_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, READER.replace("(ValueError, KeyError, ", "("))
    good = log(tmp_path)
    bad = good.with_name("two.log")
    bad.write_text('{"acme": 1}\n', encoding="utf-8")
    policies = {"guardrails": load_policy("guardrails")}
    gathered = load_runs(
        [str(good.parent)], {name: PolicyReplay(name, one) for name, one in policies.items()}
    )
    assert [one.run.file for one in gathered.runs] == [str(good)]
    (told,) = gathered.unread.diagnostics
    assert f"failed on `{bad}`: KeyError" in told.message
    collected = collect([str(good.parent)], policies, None)
    assert collected.runs == 1
    assert collected.unread.diagnostics == (told,)
