"""The commands as if this were Windows: they say what they say here. No command ends in a traceback there."""

from __future__ import annotations

import json
import ntpath
import os
import re
import subprocess
import sys
from pathlib import Path

import cli_policy
import posix_only
import pytest
from cli_program import Ran, run
from compiled import COMPILED
from patience import PATIENCE

from exitgate.analysis.diff.operands import read_side
from exitgate.cli.main import COMMANDS, NEED_WSL
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.system import portable, safe_files
from exitgate.core.system.folders import leads_out
from exitgate.recordings.replay.policies import name_and_settings
from exitgate.report.terminal import choose_color

PROGRAM = Path(__file__).parents[1] / "shared/on_windows.py"
OTHER = cli_policy.POLICY.replace("default: 80", "default: 100").replace("policy: small", "policy: other")
RESPONSE = "Parser and tests are changed. ✅ Nothing else is left — “done”.\n"
TESTS = "format: 1\ntests:\n  - {name: half, facts: {tasks.percent: 50}, expect: {verdict: CONTINUE}}\n"
#: What differs from run to run: instants, durations, ids.
VARIES = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?|\b\d+(\.\d+)? ?m?s\b|\b[0-9a-f]{12,64}\b|\b\d{10}\.\d+\b"
)
#: Commands, in their order, on one project.
WORKING = """\
--version
--version --json
validate policy.yaml
validate wrong.yaml
lint policy.yaml
test policy.yaml
prove policy.yaml
diff policy.yaml other.yaml
check --policy policy.yaml
check --policy policy.yaml --format json
explain
explain --all
history
check answer.md --policy recommended
check missing.md
check --policy nowhere.yaml
check --policy crlf.yaml
dry-run loop --policy policy.yaml
report loop --policy policy.yaml
report
ledger verify
replay
state
transcripts loop
reset
fmt --check policy.yaml
schema policy
""".splitlines()


def made(folder: Path) -> Path:
    """Make a project in a repository, with a plan, a response and a recorded loop."""
    folder.mkdir(parents=True)
    cli_policy.write(folder)
    (folder / "other.yaml").write_text(OTHER)
    (folder / "crlf.yaml").write_bytes(
        cli_policy.POLICY.replace("policy: small", "policy: crlf").replace("\n", "\r\n").encode()
    )
    (folder / "tests.yaml").write_text(TESTS)
    (folder / "fix_plan.md").write_bytes(cli_policy.PLAN.replace("\n", "\r\n").encode())
    (folder / "answer.md").write_text(RESPONSE, encoding="utf-8")
    (folder / "loop").mkdir()
    for number in (1, 2, 3):
        (folder / f"loop/{number}.md").write_text(f"{RESPONSE}{number}\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def on_windows(
    folder: Path, commands: list[list[str]], encoding: str = "utf-8"
) -> tuple[list[Ran], list[str]]:
    """Run commands as if this were Windows; return what came of them, and the modules that were loaded."""
    gone = {module: sorted(posix_only.names(module)) for module in posix_only.PARTLY}
    asked = {"words": commands, "encoding": encoding, "gone": gone, "modules": sorted(posix_only.modules())}
    home = str(folder.parent)
    environment = {
        "PATH": os.environ["PATH"], "PATHEXT": "", "HOME": home, "USERPROFILE": home, "TEMP": home,
        "LOCALAPPDATA": f"{home}/local", "EXITGATE_CACHE_DIR": COMPILED,
    }  # fmt: skip
    ended = subprocess.run(
        [sys.executable, "-P", str(PROGRAM)], input=json.dumps(asked), capture_output=True, text=True,
        cwd=folder, env=environment, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    return [Ran(*one) for one in answer["answers"]], answer["loaded"]


def told(ran: Ran, folder: Path) -> Ran:
    return Ran(ran.code, *(VARIES.sub("*", text.replace(str(folder), "HERE")) for text in (ran.out, ran.err)))


def test_commands_say_there_what_they_say_here(tmp_path: Path) -> None:
    here, there = (made(tmp_path / name / "project") for name in ("here", "there"))
    found, loaded = on_windows(there, [command.split() for command in WORKING])
    home = str(here.parent)
    environment = {"HOME": home, "TMPDIR": home, "XDG_STATE_HOME": f"{home}/state"}
    different = {}
    for command, other in zip(WORKING, found, strict=True):
        own = told(run(*command.split(), cwd=here, **environment), here)
        assert own.code not in (1, 70), own
        if own != told(other, there):
            different[command] = own, told(other, there)
    assert different == {}
    # What keeps an acknowledged line is kept there, too: in the user's own folders.
    assert os.listdir(tmp_path / "there/local/exitgate/state/heads")
    ledgers = [(one / ".ralph/exitgate/ledger.jsonl").read_bytes() for one in (here, there)]
    assert [raw.count(b"\n") for raw in ledgers] == [6, 6]
    assert b"\r" not in ledgers[1]
    assert not {name for name in loaded if name.startswith("exitgate.hosts.loop")}


#: What is refused there, every page of help, and texts that its consoles cannot show.
REFUSED = {
    "run": ["run", "--", "agent"], "watch": ["watch"], "shim": ["shim"], "install": ["install"],
    "hook": ["hook", "claude-code"], "serve": ["serve"],
    "goal": ["goal", "it is done", "--judge", "judge", "--", "agent"],
}  # fmt: skip
HELPS = [*([name, "--help"] for name in COMMANDS), ["--help"]]
SIGNS = """\
check answer.md --policy signs.yaml --no-record -vv
check answer.md --policy signs.yaml --no-record --log-level debug
check answer.md --policy signs.yaml
explain --all
history
report loop --policy signs.yaml
test .
validate wrong.yaml
state
""".splitlines()


@pytest.fixture(scope="module")
def in_a_console(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Ran], list[str]]:
    """What the commands above say in a console of Windows, and the modules that were loaded."""
    folder = made(tmp_path_factory.mktemp("there") / "project")
    text = cli_policy.POLICY.replace("{tasks.done} of {tasks.total} tasks done", "“½ done” ✅ → 完成")
    (folder / "signs.yaml").write_text(text.replace("default: 80", "default: 40"), encoding="utf-8")
    commands = [*REFUSED.values(), *HELPS, *(command.split() for command in SIGNS)]
    return on_windows(folder, commands, encoding="cp1252")


def test_what_needs_wsl_says_so_in_one_line(in_a_console: tuple[list[Ran], list[str]]) -> None:
    found, loaded = in_a_console
    assert REFUSED.keys() == NEED_WSL
    for name, ran in zip(REFUSED, found, strict=False):
        if name == "hook":  # no error of a hook holds an agent back
            assert (ran.code, ran.out.count("\n")) == (0, 1)
            assert "EP808" in json.loads(ran.out)["systemMessage"]
        else:
            assert ran == Ran(64, "", f"error[EP808]: `exitgate {name}` needs WSL on Windows\n")
    assert not {
        name for name in loaded if name.startswith(("exitgate.hosts.loop", "exitgate.surfaces.watch.w"))
    }


def test_no_text_is_too_much_for_a_console_of_windows(in_a_console: tuple[list[Ran], list[str]]) -> None:
    commands, found = [*map(" ".join, HELPS), *SIGNS], in_a_console[0][len(REFUSED) :]
    said = dict(zip(commands, found, strict=True))
    assert {command: ran for command, ran in said.items() if ran.code in (1, 64, 70)} == {}
    for command in SIGNS[:5]:
        assert "“½ done” \\u2705 \\u2192 \\u5b8c\\u6210" in said[command].out


@pytest.fixture
def of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have paths taken apart as Windows does it."""
    for name, value in (("path", ntpath), ("sep", "\\"), ("altsep", "/"), ("getcwd", lambda: "C:\\work")):
        monkeypatch.setattr(os, name, value)
    monkeypatch.setattr(portable, "WINDOWS", True)


def test_the_old_console_is_not_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert not choose_color("auto", {}, is_terminal=True)
    assert choose_color("auto", {"WT_SESSION": "1"}, is_terminal=True)
    assert not choose_color("auto", {"WT_SESSION": "1"}, is_terminal=False)
    assert choose_color("auto", {"FORCE_COLOR": "1"}, is_terminal=False)
    assert choose_color("always", {}, is_terminal=True)


@pytest.mark.usefixtures("of_windows")
def test_paths_of_windows() -> None:
    devices = "NUL", "nul.txt", "logs\\COM1", "a/LPT9.log", "aux .md", "answer.md:hidden", "C:con", "CONOUT$"
    assert [path for path in devices if not portable.is_device(path)] == []
    files = "answer.md", "C:\\work\\answer.md", "console.md", "nullable/x", "\\\\host\\share\\a.md", "com10"
    assert [path for path in files if portable.is_device(path)] == []
    out = "C:\\a", "C:a", "\\a", "/a", "..\\a", "a\\..\\..\\b", "~/a", "\\\\host\\share\\a", "\\\\?\\C:\\a"
    assert [path for path in out if not leads_out(path)] == []
    assert [path for path in ("a", "a\\b", "a\\..\\b", ".\\a", "..a") if leads_out(path)] == []
    assert portable.is_below("c:\\Work\\a", "C:\\work")
    assert portable.is_below("C:\\a", "C:\\")
    assert not portable.is_below("C:\\workshop\\a", "C:\\work")
    assert portable.relative("D:\\a\\b", "C:\\work") == "D:\\a\\b"
    assert portable.with_slashes(portable.relative("C:\\work\\a\\b", "C:\\work")) == "a/b"
    assert [portable.without_end(path) for path in ("C:\\a\\", "C:\\", "a/", "a")] == [
        "C:\\a",
        "C:\\",
        "a",
        "a",
    ]


def test_a_drive_is_no_revision_and_no_policy_with_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    path = "C:\\policies\\team.yaml"
    monkeypatch.setattr(os, "sep", "\\")
    assert name_and_settings(path) == (path, {})
    assert name_and_settings(f"{path}:goal=70%") == (path, {"goal": "70%"})
    monkeypatch.setattr(os, "sep", "/")
    monkeypatch.setattr(os.path, "splitdrive", ntpath.splitdrive)
    with pytest.raises(ExitgateError) as caught:
        read_side(path)
    assert "revision" not in str(caught.value)


def test_a_file_that_is_held_open_is_replaced_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portable, "WINDOWS", True)
    monkeypatch.setattr(portable, "_PAUSE", 0.0)
    left, real = [3], os.replace

    def held(old: str, new: str) -> None:
        if left[0]:
            left[0] -= 1
            raise PermissionError(13, "The process cannot access the file")
        real(old, new)

    monkeypatch.setattr(os, "replace", held)
    safe_files.replace("a", b"new", folder=str(tmp_path))
    assert (tmp_path / "a").read_bytes() == b"new"
    left[0] = 1 << 30
    with pytest.raises(PermissionError):
        safe_files.replace("a", b"newer", folder=str(tmp_path))
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"new"


def test_what_is_opened_there_is_looked_at_before_and_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portable, "WINDOWS", True)
    monkeypatch.setattr(safe_files, "_NOFOLLOW", 0)
    monkeypatch.setattr(safe_files, "_ALWAYS", 0)
    (tmp_path / "plain").write_text("mine")
    (tmp_path / "other").write_text("other")
    (tmp_path / "link").symlink_to("plain")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    folder = safe_files.open_folder(str(tmp_path))
    assert folder == str(tmp_path)
    assert safe_files.content("plain", 10, folder=folder) == b"mine"
    assert safe_files.content("link", 10, folder=folder, links=True) == b"mine"
    for name, why in (("link", "a link"), ("folder", "a directory"), ("pipe", "a pipe"), ("NUL", "a device")):
        for opened in (safe_files.reading, safe_files.writing):
            with pytest.raises(OSError, match=f"it is {why}"):
                opened(name, folder=folder)
    with pytest.raises(OSError, match="a link"):
        safe_files.open_folder(str(tmp_path / "link"))
    swapped = portable.open_at
    monkeypatch.setattr(
        portable, "open_at", lambda path, *rest: swapped(path.replace("plain", "other"), *rest)
    )
    with pytest.raises(OSError, match="it was replaced while it was opened"):
        safe_files.reading("plain", folder=folder)

    def planted(path: str, *rest: object) -> int:
        (tmp_path / "fresh").symlink_to("other")
        return swapped(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(portable, "open_at", planted)
    with pytest.raises(OSError, match="it was replaced while it was opened"):
        safe_files.writing("fresh", folder=folder)
