"""A command asked: what its exit status and its report come to together, and what is kept of it."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from cases import each
from defined import PATHS, probe, shell, told
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE

from exitgate.core.probes import running
from exitgate.core.probes.answer import ANSWERED, BROKEN, LATE, LENGTH, MARK, PIECES, Answer
from exitgate.core.probes.asking import LARGEST, LINES, USUAL, ask, child_environment
from exitgate.core.system import process_group


@each(
    ("line", "status", "passed", "exit_status"),
    [
        ("true", ANSWERED, True, 0),
        ("exit 1", ANSWERED, False, 1),
        ("exit 2", ANSWERED, False, 2),
        ("exit 125", ANSWERED, False, 125),
        ("exit 126", BROKEN, None, 126),
        ("exit 127", BROKEN, None, 127),
        ("not-a-program", BROKEN, None, 127),
        ("/", BROKEN, None, 126),
        ("exit 128", ANSWERED, False, 128),
        ("kill -9 $$", BROKEN, None, 137),
        ("kill -15 $$", BROKEN, None, 143),
        ("sh -c 'kill -11 $$'", BROKEN, None, 139),
        ("exit 192", BROKEN, None, 192),
        ("exit 193", ANSWERED, False, 193),  # no signal has such a number: mocha returns how many failed
        ("exit 255", ANSWERED, False, 255),
    ],
)
def test_what_an_exit_status_says(
    line: str, status: str, passed: bool | None, exit_status: int, tmp_path: Path
) -> None:
    found = shell(line, tmp_path)
    assert (*told(found), found.exit_status) == (status, passed, exit_status)
    assert (found.reason == "") is (status == ANSWERED)


@each("word", ["./not-there", "not-there", "", "a\0b", "/etc/passwd", "/"])
def test_what_cannot_be_started_is_broken(word: str, tmp_path: Path) -> None:
    found = ask(probe(command=[word]), str(tmp_path), PATHS)
    assert told(found) == (BROKEN, None)
    assert found.reason


TREE = """
import os, subprocess, sys, time
for _ in range(3):
    subprocess.Popen([sys.executable, "-c", "import os, signal, subprocess, sys, time;"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "subprocess.Popen(['sleep', '600'], stdout=1);"
        "open(str(os.getpid()) + '.pid', 'w').close(); time.sleep(600)"])
while len([name for name in os.listdir('.') if name.endswith('.pid')]) < 3: time.sleep(0.01)
print('begun', flush=True)
"""


@pytest.mark.parametrize(
    ("more", "status", "limit"), [("time.sleep(600)", LATE, 1), ("", ANSWERED, PATIENCE)]
)
def test_nothing_of_a_tree_is_left(
    more: str, status: str, limit: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "GRACE", 0.2)
    children: list[int] = []
    words = [sys.executable, "-c", TREE + more]
    found = ask(probe(command=words, timeout=limit), str(tmp_path), PATHS, started=children.append)
    assert found.status == status
    assert not process_group.members(children[0])
    if status == ANSWERED:
        assert found.notes == ("6 processes outlived `tests`; ended",)
        assert ("output", 1, "begun") in found.evidence


def test_a_flood_is_bounded_in_memory_and_in_what_is_kept(tmp_path: Path) -> None:
    found = shell("yes 'a line of the flood' | head -c 40000000; exit 1", tmp_path, reads={"tap": "-"})
    assert told(found) == (ANSWERED, False)
    assert f"more than {LARGEST} bytes" in found.reason
    assert len(found.evidence) <= LINES
    found = shell("head -c 3000000 /dev/zero | tr '\\0' x; exit 1", tmp_path)
    assert all(len(text) <= LENGTH for _, _, text in found.evidence)


JUNIT = {
    "good": '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>',
    "bad": '<testsuite><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>',
    "none": "<testsuite/>",
    "skipped": '<testsuite><testcase name="a"><skipped/></testcase></testsuite>',
    "torn": '<testsuite><testcase name="a"/>',
}
TAP = {
    "good": "1..2\nok 1\nok 2\n",
    "bad": "1..2\nok 1\nnot ok 2 - b\n",
    "none": "1..0\n",
    "skipped": "1..1\nok 1 # SKIP\n",
    "torn": "1..3\nok 1\n",
}
GO = {
    "good": '{"Action":"pass","Package":"p","Test":"a"}\n{"Action":"pass","Package":"p"}\n',
    "bad": '{"Action":"fail","Package":"p","Test":"b"}\n{"Action":"fail","Package":"p"}\n',
    "none": '{"Action":"skip","Package":"p"}\n',
    "skipped": '{"Action":"skip","Package":"p","Test":"a"}\n{"Action":"pass","Package":"p"}\n',
    "torn": '{"Action":"run","Package":"p","Test":"a"}\n',
}
ALL = {"junit": JUNIT, "tap": TAP, "go_json": GO}
#: Report and exit status -> how it comes out, for the formats of tests; `*` is any of them.
AGREEMENT = [
    ("*", "good", 0, ANSWERED, True),
    ("*", "bad", 1, ANSWERED, False),
    ("*", "good", 1, ANSWERED, False),  # it failed for another reason
    ("*", "bad", 0, BROKEN, None),  # a failure that the status hides: neither is believed
    ("*", "none", 0, BROKEN, None),
    ("*", "none", 1, ANSWERED, False),
    ("*", "skipped", 0, BROKEN, None),
    ("*", "skipped", 1, ANSWERED, False),
    ("junit", "torn", 0, BROKEN, None),
    ("junit", "torn", 1, ANSWERED, False),
    ("tap", "torn", 0, BROKEN, None),
    ("tap", "torn", 1, ANSWERED, False),
    ("go_json", "torn", 0, BROKEN, None),
    ("*", None, 0, BROKEN, None),
    ("*", None, 1, ANSWERED, False),
]


@each(
    ("format", "report", "status", "how", "passed"),
    [
        (one, *rest)
        for format, *rest in AGREEMENT
        for one in (("junit", "tap", "go_json") if format == "*" else (format,))
    ],
)
def test_report_and_exit_status_have_to_agree(
    format: str, report: str | None, status: int, how: str, passed: bool | None, tmp_path: Path
) -> None:
    if report is not None:
        (tmp_path / "made").write_text(ALL[format][report])
    found = shell(f"cp made report 2>/dev/null; exit {status}", tmp_path, reads={format: "report"})
    assert told(found) == (how, passed), found.reason
    if (report, status) == ("bad", 1):
        assert found.figures is not None
        assert found.figures.failed == 1
        assert any("b" in name for name in found.figures.failing)


@each(
    ("format", "text", "status", "how", "passed"),
    [
        ("lines", "", 0, ANSWERED, True),
        ("lines", "a.py: long line\n", 0, ANSWERED, True),
        ("lines", "a.py: long line\n", 1, ANSWERED, False),
        ("lcov", "SF:a\nLF:4\nLH:2\nend_of_record\n", 0, ANSWERED, True),
        ("lcov", "SF:a\nLF:4\nLH:2\nend_of_record\n", 2, ANSWERED, False),
        ("lcov", "SF:a\nLF:4\n", 0, BROKEN, None),
        ("coverage", '<coverage line-rate="0.5"/>', 0, ANSWERED, True),
        ("coverage", '<coverage line-rate="2"/>', 0, BROKEN, None),
        ("sarif", '{"version": "2.1.0", "runs": [{"results": []}]}', 0, ANSWERED, True),
        ("sarif", '{"version": "2.1.0", "runs": [{"results": []}]}', 1, ANSWERED, False),
        ("sarif", '{"version": "2.1.0", "runs": [{"results": [{"level": "error"}]}]}', 0, ANSWERED, False),
        ("sarif", '{"version": "2.1.0", "runs": [{}]}', 0, BROKEN, None),
        ("sarif", "{}", 1, ANSWERED, False),
    ],
    ids=str,
)
def test_other_reports(
    format: str, text: str, status: int, how: str, passed: bool | None, tmp_path: Path
) -> None:
    (tmp_path / "made").write_text(text)
    found = shell(f"cat made; exit {status}", tmp_path, reads={format: "-"})
    assert told(found) == (how, passed), found.reason


@each(
    ("text", "expect", "status", "how", "passed"),
    [
        ('{"a": "x"}', {"/a": "x"}, 0, ANSWERED, True),
        ('{"a": "x"}', {"/a": "y"}, 0, ANSWERED, False),
        ('{"a": "x"}', {"/b": "x"}, 0, BROKEN, None),
        ('{"a": "x"}', {"/a": "x"}, 1, BROKEN, None),
        ('[{"a": [1, 2]}]', {"/0/a/1": 2}, 0, ANSWERED, True),
        ('[{"a": [1, 2]}]', {"/0/a/2": 2}, 0, BROKEN, None),
        ('{"a": null}', {"/a": None}, 0, ANSWERED, True),
        ('{"a": null}', {"/a": False}, 0, ANSWERED, False),
        ('{"a": true}', {"/a": True}, 0, ANSWERED, True),
        ('{"a": 1}', {"/a": True}, 0, ANSWERED, False),
        ('{"a": true}', {"/a": 1}, 0, ANSWERED, False),
        ('{"a": 0}', {"/a": False}, 0, ANSWERED, False),
        ('{"a": 1.0}', {"/a": 1}, 0, ANSWERED, True),
        ('{"a": "1"}', {"/a": 1}, 0, ANSWERED, False),
        ('{"a": {}}', {"/a": "x"}, 0, BROKEN, None),
        ('{"a": 1, "b": 2}', {"/a": 1, "/b": 3}, 0, ANSWERED, False),
        ('{"a/b": {"~": 1}}', {"/a~1b/~0": 1}, 0, ANSWERED, True),
        ('"x"', {"": "x"}, 0, ANSWERED, True),
        ("", {"/a": 1}, 0, BROKEN, None),
        ('{"a": NaN}', {"/a": 1}, 0, BROKEN, None),
        ('{"a": 1e400}', {"/a": 1}, 0, BROKEN, None),
        ('{"a": -1e400}', {"/b": 1}, 0, BROKEN, None),
        ('{"a": 2, "a": 1}', {"/a": 1}, 0, BROKEN, None),
        ("[" * 100_000, {"/a": 1}, 0, BROKEN, None),
        ("x" * 70_000, {"/a": 1}, 0, BROKEN, None),
        ('{"a": 1}', {}, 0, ANSWERED, True),
        ('{"a": 1}', {}, 1, ANSWERED, False),
    ],
    ids=lambda one: repr(one)[:40],
)
def test_what_a_document_has_to_hold(
    text: str, expect: dict[str, object], status: int, how: str, passed: bool | None, tmp_path: Path
) -> None:
    (tmp_path / "made").write_text(text)
    more = {"expect": expect} if expect else {}
    found = shell(f"cat made; exit {status}", tmp_path, reads={"json": "-"}, **more)
    assert told(found) == (how, passed), found.reason


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=12).filter(lambda n: "=" not in n and "\0" not in n), st.text(max_size=3)
    )
)
def test_a_command_gets_what_is_listed_and_nothing_else(environment: dict[str, str]) -> None:
    given = {
        **environment,
        "PATH": "/bin",
        "AWS_SECRET_ACCESS_KEY": "s",
        "EXITGATE_TRUST": "d",
        "LC_ALL": "C",
        "OWN": "o",
    }
    found = child_environment(probe(command=["x"], environment=["OWN", "MISSING"]), given)
    assert found.pop(MARK) == "1"
    assert found.keys() == {
        name for name in given if name in USUAL or name.startswith("LC_") or name == "OWN"
    }
    assert all(given[name] == value for name, value in found.items())


@each("name", USUAL)
def test_none_of_the_usual_names_is_that_of_a_secret(name: str) -> None:
    assert not any(part in name for part in ("KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "SOCK"))
    assert not name.startswith(("AWS_", "GITHUB_", "GH_", "ANTHROPIC_", "OPENAI_", "EXITGATE_"))


def test_no_secret_of_this_process_reaches_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "hunter2")
    found = ask(probe(shell="env; exit 1"), str(tmp_path), os.environ)
    (tmp_path / "shown").write_text("\n".join(text for _, _, text in found.evidence))
    kept = ask(probe(shell="env > all; exit 1"), str(tmp_path), os.environ)
    assert kept.passed is False
    assert "hunter2" not in (tmp_path / "all").read_text()
    assert "EXITGATE_PROBE=1" in (tmp_path / "all").read_text()
    ask(probe(shell="env > all", environment=["DEPLOY_TOKEN"]), str(tmp_path), os.environ)
    assert "hunter2" in (tmp_path / "all").read_text()


def test_secrets_are_hidden_in_all_that_is_kept(tmp_path: Path) -> None:
    mask = ({"id": "keys", "pattern": "key-[0-9]{6}", "markers": ["key-"]},)
    (tmp_path / "r.xml").write_text(
        '<testsuite><testcase name="t key-111111"><failure/></testcase></testsuite>'
    )
    found = [
        ask(probe(shell="echo a key-111111; exit 1"), str(tmp_path), PATHS, mask=mask),
        ask(probe(shell="cp r.xml s.xml; exit 1", reads={"junit": "s.xml"}), str(tmp_path), PATHS, mask=mask),
        ask(
            probe(shell="echo '{\"a\": \"key-111111\"}'", reads={"json": "-"}, expect={"/a": "x"}),
            str(tmp_path), PATHS, mask=mask,
        ),
        ask(
            probe(shell="printf '1..1\\nnot ok 1 - key-111111\\n'; exit 1", reads={"tap": "-"}),
            str(tmp_path), PATHS, mask=mask,
        ),
    ]  # fmt: skip
    for one in found:
        assert one.passed is False
        assert "111111" not in str(one.to_json())
        assert "masked: keys" in str(one.to_json())


def test_what_keeps_the_output_open_is_noted(tmp_path: Path) -> None:
    leaves = "setsid sh -c 'echo $$ > part; mv part pid; exec sleep 600' &"
    found = shell(f"{leaves} until test -e pid; do sleep 0.01; done", tmp_path)
    try:
        assert told(found) == (ANSWERED, True)
        assert found.notes == (
            "`tests` left a process of a session of its own running, which holds its output",
        )
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


@given(st.lists(st.tuples(st.text(max_size=9), st.integers(1, 9), st.text(max_size=300)), max_size=30))
def test_what_is_kept_is_bounded(evidence: list[tuple[str, int, str]]) -> None:
    kept = Answer(ANSWERED, False, evidence=tuple(evidence)).evidence
    assert len(kept) <= PIECES
    assert all(len(text) <= LENGTH for _, _, text in kept)
