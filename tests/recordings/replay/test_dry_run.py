"""Runs under policies: what is found, kept, left out and told when it cannot be read."""

from __future__ import annotations

import io
from pathlib import Path

import fsspec
import pytest
from judged_loops import loop, policy
from sessions_on_disk import session

import exitgate
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings import registry
from exitgate.recordings.model import PROCESS, TURN, Begin, End, Problem, Provenance, RecordedIteration
from exitgate.recordings.replay.dry_run import dry_run

WORDS = ["unsure", "likely", "certain", "unsure"]


@pytest.fixture
def sure(tmp_path: Path) -> str:
    return policy(tmp_path)


def stops(found: exitgate.dry_run) -> list[tuple[str, str, int | None]]:
    return [(r.run.id, r.policy, None if r.stop is None else r.stop.iteration) for r in found.results]


def test_where_policies_stop_and_what_comes_after(tmp_path: Path, sure: str) -> None:
    loop(tmp_path / "runs", "one", WORDS)
    found = exitgate.dry_run([str(tmp_path / "runs")], [sure, f"{sure}:enough=50", f"{sure}:patience=3"])
    assert stops(found) == [
        ("one", sure, 3),
        ("one", f"{sure}:enough=50", 2),
        ("one", f"{sure}:patience=3", None),
    ]
    first, second, third = found.results
    assert (first.after, first.cost_after, second.after, second.cost_after) == (1, 0.5, 2, 1.0)
    assert (third.after, third.cost_after) == (None, None)
    assert (first.run.iterations, first.run.cost, first.run.reader) == (4, 2.0, "ralph-frankbria")
    assert [row.verdict for row in first.rows] == ["CONTINUE", "CONTINUE", "EXIT"]
    stop = first.stop
    assert stop is not None
    assert (stop.exit_class, stop.outcome, stop.rule, stop.message, stop.firm) == (
        "complete", "sure", "sure", "Sure: 90%", True,
    )  # fmt: skip


def test_to_the_end_every_iteration_is_decided_on(tmp_path: Path, sure: str) -> None:
    loop(tmp_path / "runs", "one", WORDS)
    (result,) = dry_run([str(tmp_path)], [sure], to_the_end=True).results
    assert [row.verdict for row in result.rows] == ["CONTINUE", "CONTINUE", "EXIT", "CONTINUE"]
    assert result.stop == result.rows[2]


def test_without_detail_only_the_stop_is_kept(tmp_path: Path, sure: str) -> None:
    loop(tmp_path / "runs", "one", WORDS)
    (result,) = dry_run([str(tmp_path)], [sure], detail=False, to_the_end=True).results
    assert [row.iteration for row in result.rows] == [3]


def test_runs_of_the_same_name_have_ids_of_their_own(tmp_path: Path, sure: str) -> None:
    loop(tmp_path / "a", "one", WORDS)
    loop(tmp_path / "b", "one", WORDS)
    found = dry_run([str(tmp_path)], [sure])
    ids = [run.id for run in found.runs]
    assert len(set(ids)) == 2
    assert all(result.stop is not None and result.stop.run == result.run.id for result in found.results)
    assert [row.run for result in found.results for row in result.rows] == [ids[0]] * 3 + [ids[1]] * 3


def test_what_is_kept_whole(tmp_path: Path, sure: str) -> None:
    loop(tmp_path / "runs", "one", WORDS)
    (result,) = dry_run([str(tmp_path)], [sure], keep=True).results
    assert [one.response for one in result.recorded] == WORDS
    assert [decided.facts["confidence"].value for decided in result.decided] == [20, 60, 90]
    assert result.decided[2].facts["confidence"].evidence[0].excerpt == "certain"


def test_files_that_cannot_be_read_are_told_and_the_rest_goes_on(tmp_path: Path, sure: str) -> None:
    loop(tmp_path / "runs", "one", WORDS)
    (tmp_path / "odd.bin").write_bytes(b"\x00\x01")
    found = dry_run([str(tmp_path / "odd.bin"), str(tmp_path / "gone"), str(tmp_path / "runs")], [sure])
    assert stops(found) == [("one", sure, 3)]
    assert [(Path(one.file).name, one.message) for one in found.unread] == [
        ("odd.bin", "no reader fits it"), ("gone", "No such file or directory"),
    ]  # fmt: skip
    assert found.code == 66


class Odd:
    """A reader as somebody else may have written it."""

    ID, TITLE, GIVES = "odd", "odd", frozenset(("response",))

    def __init__(self, parts: list[object], error: Exception | None = None) -> None:
        self.parts = parts
        self.error = error

    def fits(self, _look: object) -> bool:
        return True

    def read(self, _place: object, _wants: object):
        yield from self.parts
        if self.error is not None:
            raise self.error


def with_reader(monkeypatch: pytest.MonkeyPatch, reader: Odd) -> None:
    monkeypatch.setattr(registry, "names", lambda: ("odd",))
    monkeypatch.setattr(registry, "load", lambda _id: reader)
    monkeypatch.setattr("exitgate.recordings.replay.transcript.registry.load", lambda _id: reader)


def iteration(number: int, text: str) -> RecordedIteration:
    return RecordedIteration(number, Provenance("f", number), response=text, output=text)


def test_sub_agents_are_left_out_unless_asked_for(
    tmp_path: Path, sure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = [Begin("m", TURN, "f"), iteration(1, "certain"), End()]
    sub = [Begin("s", TURN, "f", parent="m"), iteration(1, "certain"), End()]
    with_reader(monkeypatch, Odd([*main, *sub]))
    path = tmp_path / "file"
    path.write_text("x", encoding="utf-8")
    found = dry_run([str(path)], [sure])
    assert (stops(found), found.sub_agents) == ([("m", sure, 1)], 1)
    found = dry_run([str(path)], [sure], subagents=True)
    assert (stops(found), found.sub_agents) == ([("m", sure, 1), ("s", sure, 1)], 0)


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyError("k"), RecursionError("deep")])
def test_a_reader_that_fails_takes_nothing_else_with_it(
    tmp_path: Path, sure: str, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    parts = [Problem("f", "odd", 3), Begin("m", PROCESS, "f"), iteration(1, "certain"), End()]
    with_reader(monkeypatch, Odd([*parts, Begin("n", PROCESS, "f"), iteration(1, "unsure")], error))
    path = tmp_path / "file"
    path.write_text("x", encoding="utf-8")
    found = dry_run([str(path)], [sure])
    assert stops(found) == [("m", sure, 1)]
    assert [str(one) for one in found.problems] == ["f:3: odd"]
    assert len(found.unread) == 1
    assert found.code == 74


def test_a_url_of_a_file_system_that_fsspec_knows(tmp_path: Path, sure: str) -> None:
    path = session(tmp_path, "s", WORDS)
    system = fsspec.filesystem("memory")
    system.pipe("/deep/s.jsonl", path.read_bytes())
    try:
        found = dry_run(["memory://deep"], [sure], jobs=2)
        assert [stop for _, _, stop in stops(found)] == [3]
        assert found.code == 0
    finally:
        system.rm("/deep", recursive=True)


def test_a_url_that_nobody_knows_is_told(sure: str) -> None:
    found = dry_run(["nowhere://x/y"], [sure])
    assert found.results == ()
    assert "nowhere" in found.unread[0].message
    assert found.code == 74


def test_a_reader_that_does_not_exist(sure: str, tmp_path: Path) -> None:
    with pytest.raises(ExitgateError) as caught:
        dry_run([str(tmp_path)], [sure], reader="claude-sesion")
    assert caught.value.exit_code == 64
    assert "did you mean `claude-session`" in caught.value.diagnostics[0].help


def test_everything_wrong_with_policies_at_once(tmp_path: Path, sure: str) -> None:
    with pytest.raises(ExitgateError) as caught:
        dry_run([str(tmp_path)], ["bb33", f"{sure}:enuogh=3", f"{sure}:enough", "./gone.yaml"])
    found = [(one.code, one.message) for one in caught.value.diagnostics]
    assert [code for code, _ in found] == ["EP810", "EP468", "EP863", "EP810"]
    assert "bb3" in caught.value.diagnostics[0].help
    assert caught.value.exit_code == 65


def test_a_setting_is_for_every_policy_that_has_it(tmp_path: Path, sure: str) -> None:
    loop(tmp_path / "runs", "one", WORDS)
    found = dry_run([str(tmp_path / "runs")], [sure, "bb3"], settings={"enough": "50"})
    assert stops(found)[0] == ("one", sure, 2)
    with pytest.raises(ExitgateError) as caught:
        dry_run([str(tmp_path / "runs")], [sure, "bb3"], settings={"enuff": "50"})
    assert caught.value.diagnostics[0].code == "EP468"


def test_without_a_policy_the_project_decides(
    tmp_path: Path, sure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop(tmp_path / "runs", "one", WORDS)
    (tmp_path / ".bb3").mkdir()
    settings = f"exit_decision:\n  policy: {sure}\n  enough: 50\n"
    (tmp_path / ".bb3" / "config.yaml").write_text(settings, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert stops(dry_run(["runs"], ())) == [("one", "sure", 2)]
    assert stops(dry_run(["runs"], [sure])) == [("one", sure, 3)]


def test_progress_is_told(tmp_path: Path, sure: str) -> None:
    for name in "abc":
        loop(tmp_path / "runs", name, WORDS)
    told: list[tuple[int, int]] = []
    dry_run([str(tmp_path / "runs")], [sure], tell=lambda done, found, _path: told.append((done, found)))
    assert told[-1] == (3, 3)
    assert told == sorted(told)


def test_hostile_bytes_never_raise(tmp_path: Path, sure: str) -> None:
    path = session(tmp_path, "s", ["certain"])
    whole = path.read_bytes()
    for at in range(0, len(whole), 37):
        path.write_bytes(whole[:at] + b"\xff\x00\xed\xa0\x80" + whole[at + 3 :])
        found = dry_run([str(path)], [sure])
        assert found.code in (0, 65)
    path.write_bytes(io.BytesIO(b"{" * 200_000).getvalue())
    assert dry_run([str(path)], [sure]).code in (0, 65)
