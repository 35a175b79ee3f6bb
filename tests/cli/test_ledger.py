"""`exitgate ledger`: verified, shown, exported; hostile texts stay texts."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_golden import same
from cli_ledger import HOSTILE, lines, write_ledger
from cli_program import run

SOUND = "● sound: 5 lines, each linked to the previous one\n"
NOT_ANCHORED = "not anchored: no record of its last line exists, so a change to it is not noticed"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return write_ledger(tmp_path / ".ralph" / "exitgate")


def damaged(ledger: Path) -> None:
    """Change one byte of line 2, cut line 4 out, tear the last line."""
    raw = ledger.read_bytes().split(b"\n")
    raw[1] = raw[1].replace(b"CONTINUE", b"CONTINUA")
    del raw[3]
    ledger.write_bytes(b"\n".join(raw[:-1]) + b"\n{torn \x1b[2J")


def test_a_sound_ledger_is_0(ledger: Path, tmp_path: Path) -> None:
    ran = run("ledger", "verify", cwd=tmp_path)
    assert ran == (0, f"{SOUND}  {NOT_ANCHORED}\n", "")
    assert json.loads(run("ledger", "verify", "--format", "json", cwd=tmp_path).out) == {
        "state_directory": ".ralph/exitgate", "sound": True, "anchor": "not anchored", "good_lines": 5,
        "findings": [],
    }  # fmt: skip


def test_findings_are_69_each_with_its_line(ledger: Path, tmp_path: Path) -> None:
    damaged(ledger)
    before = ledger.read_bytes()
    ran = run("ledger", "verify", cwd=tmp_path)
    assert (ran.code, ran.err) == (69, "")
    same("ledger-verify.txt", ran.out)
    plain = run("ledger", "verify", "--format", "json", cwd=tmp_path)
    assert plain.code == 69
    assert {finding["line"] for finding in json.loads(plain.out)["findings"]} == {3, 4, 5}
    assert ledger.read_bytes() == before, "verify fixes nothing"


def test_tail_shows_every_kind(ledger: Path, tmp_path: Path) -> None:
    ran = run("ledger", "tail", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    same("ledger-tail.txt", ran.out)
    assert "\x1b" not in ran.out


def test_colour_of_tail_adds_nothing_but_colour(ledger: Path, tmp_path: Path) -> None:
    import re

    painted = run("ledger", "tail", "--color", "always", cwd=tmp_path).out
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == run("ledger", "tail", NO_COLOR="1", cwd=tmp_path).out


@pytest.mark.parametrize(
    ("words", "sequences"),
    [
        (["-n", "2"], [4, 5]),
        (["--run", "day"], [3]),
        (["--run", "night#1", "-n", "2"], [4, 5]),
        (["--run", "nobody"], []),
    ],
)
def test_tail_of_some(words: list[str], sequences: list[int], ledger: Path, tmp_path: Path) -> None:
    ran = run("ledger", "tail", "--format", "json", *words, cwd=tmp_path)
    assert ran.code == 0
    assert [line["sequence"] for line in json.loads(ran.out)] == sequences
    assert ran.err == ("" if sequences else "no such run\n")


def test_tail_tells_of_damaged_lines(ledger: Path, tmp_path: Path) -> None:
    raw = ledger.read_bytes().split(b"\n")
    raw[2] = b"nonsense"
    ledger.write_bytes(b"\n".join(raw))
    ran = run("ledger", "tail", cwd=tmp_path)
    assert ran.code == 0
    assert "damaged lines were skipped" in ran.err


def test_tail_of_nothing_is_64(ledger: Path, tmp_path: Path) -> None:
    assert run("ledger", "tail", "-n", "0", cwd=tmp_path).code == 64


def test_export_gives_the_ledger_byte_for_byte(ledger: Path, tmp_path: Path) -> None:
    ran = run("ledger", "export", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.encode() == ledger.read_bytes()


def test_export_of_one_run(ledger: Path, tmp_path: Path) -> None:
    ran = run("ledger", "export", "--run", "day", cwd=tmp_path)
    assert [json.loads(line)["run"] for line in ran.out.splitlines()] == ["day#1"]


def test_csv_has_a_row_for_each_line_and_no_formula(ledger: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "exitgate", "ledger", "export", "--format", "csv"]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout.decode()
    same("ledger-export.csv", out)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == len(lines())
    assert not any(cell[:1] in {"=", "+", "-", "@"} for row in rows for cell in row.values() if cell)
    assert "\x1b" not in out
    assert rows[2]["message"].startswith("'=cmd|")
    assert HOSTILE not in out


def test_export_tells_what_it_left_out(ledger: Path, tmp_path: Path) -> None:
    damaged(ledger)
    ran = run("ledger", "export", cwd=tmp_path)
    assert ran.code == 69
    assert len(ran.out.splitlines()) == 4
    assert ran.err == "warning: line 5 of the ledger is omitted: it is unfinished\n"


def test_a_reader_that_goes_away_ends_the_export(ledger: Path, tmp_path: Path) -> None:
    raw = ledger.read_bytes()
    ledger.write_bytes(raw * 2000)
    line = f"{sys.executable} -m exitgate ledger export | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("0\n", "")


def test_a_full_disk_is_73(ledger: Path, tmp_path: Path) -> None:
    line = f"{sys.executable} -m exitgate ledger export > /dev/full"
    ran = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 73
    assert "cannot write the result" in ran.stderr


@pytest.mark.parametrize("name", ["verify", "tail", "export"])
def test_no_ledger_is_66(name: str, tmp_path: Path) -> None:
    ran = run("ledger", name, cwd=tmp_path)
    assert (ran.code, ran.out) == (66, "")
    assert "there is no ledger in `.ralph/exitgate`" in ran.err
    assert not (tmp_path / ".ralph").exists()
