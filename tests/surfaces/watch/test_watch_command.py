"""The command: once, in lines, until the end; what it answers with."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from cli_program import run as run_program
from patience import PATIENCE
from watched_loops import Loop

from exitgate.cli.main import main
from exitgate.surfaces.watch.render import FIELDS
from exitgate.surfaces.watch.wakeups import LEFT, NOTHING, Waiting


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.chdir(tmp_path)
    return Loop(tmp_path, "bb3")


def meanwhile(monkeypatch: pytest.MonkeyPatch, *steps: object) -> None:
    """Let each wait between two looks do the next step; the one behind the last leaves."""
    left = list(steps)

    def wait(_: Waiting, __: float) -> str:
        if not left:
            return LEFT
        step = left.pop(0)
        if callable(step):
            step()
        return NOTHING

    monkeypatch.setattr(Waiting, "wait", wait)


def test_once(loop: Loop, capsys: pytest.CaptureFixture[str]) -> None:
    loop.step("one", 1)
    assert main(["watch", "--once"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("default#1 · bb3 2.1.0 · iteration 1\nCONTINUE · otherwise ")
    assert err == ""
    assert main(["watch", "--once", "--run", "default"]) == 0
    assert main(["watch", "--once", "--lines"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split("\t")[1:4] == ["default#1", "1", "CONTINUE"]


def test_once_after_the_end_is_no_exit(loop: Loop, capsys: pytest.CaptureFixture[str]) -> None:
    loop.step("all done", 6)
    assert main(["watch", "--once"]) == 0
    assert "EXIT complete · all_tasks_done" in capsys.readouterr().out


def test_nothing_to_show_once(loop: Loop, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--once"]) == 66
    assert "EP583" in capsys.readouterr().err
    loop.step("one", 1)
    assert main(["watch", "--once", "--run", "other"]) == 66
    assert "there is no run `other`" in capsys.readouterr().err


def test_lines_until_the_run_ends(
    loop: Loop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.step("one", 1)
    meanwhile(
        monkeypatch,
        lambda: loop.step("two", 2),
        None,
        lambda: loop.step("a\tb\nall done", 6),
    )
    assert main(["watch"]) == 10
    out, err = capsys.readouterr()
    rows = [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in out.splitlines()]
    assert [(row["iteration"], row["verdict"], row["class"], row["firm"]) for row in rows] == [
        ("2", "CONTINUE", "-", "tentative"),
        ("3", "EXIT", "complete", "firm"),
    ]
    assert rows[1]["outcome"] == "all_tasks_done"
    assert err == "watching default#1\n"


def test_lines_as_json_are_those_of_the_ledger(
    loop: Loop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: loop.step("one", 1), lambda: loop.step("\u202eall done\x9b", 6))
    assert main(["watch", "--format", "json"]) == 10
    out = capsys.readouterr().out
    main(["ledger", "export"])
    exported = [json.loads(raw) for raw in capsys.readouterr().out.splitlines()]
    assert [json.loads(raw) for raw in out.splitlines()] == [
        one for one in exported if one["kind"] == "decision"
    ]
    assert all(character.isprintable() for line in out.splitlines() for character in line)


def test_a_run_that_had_ended_is_answered_at_once(
    loop: Loop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.step("all done", 6)
    meanwhile(monkeypatch)
    assert main(["watch"]) == 10
    hint = "default#1 was over before; `--follow` waits for the next run"
    assert capsys.readouterr().err == f"watching default#1\n{hint}\n"


def test_following_stays_for_the_next_run(
    loop: Loop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.step("all done", 6)
    meanwhile(monkeypatch, lambda: loop.step("again", 1), lambda: loop.step("all done now", 6))
    assert main(["watch", "--follow"]) == 0
    out, err = capsys.readouterr()
    assert [line.split("\t")[1:4] for line in out.splitlines()] == [
        ["default#2", "1", "CONTINUE"],
        ["default#2", "2", "EXIT"],
    ]
    assert err == "watching default#1\nwatching default#2\n"


def test_waiting_for_a_run_that_never_comes(
    loop: Loop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, None)
    assert main(["watch", "--run", "nightly"]) == 0
    assert capsys.readouterr().err == "waiting for a run\n"


def test_trouble_goes_to_stderr(
    loop: Loop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.step("one", 1)
    ledger = Path(loop.state) / "ledger.jsonl"
    raw = ledger.read_bytes()
    meanwhile(monkeypatch, lambda: ledger.write_bytes(raw + b"\x1b[2J\n"), ledger.unlink)
    assert main(["watch"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(":")[0] for line in err.splitlines()] == ["watching default#1", "warning", "warning"]


def test_the_command_is_told_once_of_an_exit_that_comes(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    body = f"import os; open({str(told)!r}, 'a').write(os.environ['EXITGATE_CLASS'] + ' ')"
    (tmp_path / "tell.py").write_text(body)
    command = f"{sys.executable} -I -S tell.py"
    meanwhile(monkeypatch, lambda: loop.step("one", 1), lambda: loop.step("all done", 6))
    assert main(["watch", "--notify", command]) == 10
    assert told.read_text() == "complete "
    assert main(["watch", "--notify", command]) == 10, "what was there before is not told"
    assert told.read_text() == "complete "
    assert main(["watch", "--once", "--notify", command]) == 0
    assert told.read_text() == "complete complete "


def test_a_command_that_fails_does_not_hide_the_exit(
    loop: Loop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: loop.step("all done", 6))
    assert main(["watch", "--notify", "false"]) == 10
    out, err = capsys.readouterr()
    assert "\tEXIT\tcomplete\t" in out
    assert "failed with 1" in err
    assert main(["watch", "--once", "--notify", "false"]) == 0
    assert "failed with 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--interval", "soon"], "is not an interval"),
        (["--interval", "0"], "is not an interval"),
        (["--interval", "nan"], "is not an interval"),
        (["--notify", "no-such-program-anywhere"], "EP582"),
        (["--run", " "], "is not a valid name for a run"),
    ],
)
def test_what_the_command_line_has_wrong(
    words: list[str], said: str, loop: Loop, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", *words]) == 64
    assert said in capsys.readouterr().err


def test_the_environment_names_the_run(
    loop: Loop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.run = "night"
    loop.step("one", 1)
    loop.run = "day"
    loop.step("one", 1)
    monkeypatch.setenv("EXITGATE_RUN", "night")
    main(["watch", "--once"])
    assert capsys.readouterr().out.startswith("night#1 ")


def test_a_reader_that_goes_away_ends_it(loop: Loop) -> None:
    """The other end of the pipe is closed before anything is written: nobody waits for a next decision."""
    loop.step("one", 1)
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        assert Waiting(out=theirs).wait(PATIENCE) == LEFT
    finally:
        os.close(theirs)


def test_colours_repeat_words_only(loop: Loop) -> None:
    loop.step("I am not sure, maybe", 1)
    painted = run_program("watch", "--once", "--color", "always", cwd=loop.folder)
    plain = run_program("watch", "--once", cwd=loop.folder, NO_COLOR="1")
    assert "\x1b[" in painted.out
    assert "\x1b" not in plain.out
