"""One probe asked: its command run, what it wrote read, both weighed against each other."""

from __future__ import annotations

import os
import stat
import time

from exitgate.core.facts import json_pointer
from exitgate.core.facts.text.secrets import Mask
from exitgate.core.model.display import counted
from exitgate.core.model.value import Value
from exitgate.core.observe import git_command
from exitgate.core.probes import running
from exitgate.core.probes.answer import ANSWERED, BROKEN, LATE, LENGTH, MARK, Answer
from exitgate.core.probes.definition import EXIT_STATUS, STANDARD_OUTPUT
from exitgate.core.probes.figures import Figures, LateReportError, ReportError
from exitgate.core.system import portable, safe_files
from exitgate.core.system.folders import OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.core.probes.definition import Probe
    from exitgate.core.probes.running import Ran, Watch


#: Bytes of the largest report that is read.
LARGEST = 16_000_000
#: Lines at the end of the output that are evidence.
LINES = 8
#: Variables that every command gets; secrets are not among them.
USUAL = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP",
    "TERM", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "PYENV_VERSION", "NVM_DIR", "NVM_BIN",
    "VOLTA_HOME", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "GOPATH", "GOROOT", "GOBIN", "GOCACHE",
    "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "GRADLE_USER_HOME", "M2_HOME",
    "ANDROID_HOME", "DOTNET_ROOT", "GEM_HOME", "RBENV_ROOT", "NIX_PATH", "DISPLAY", "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "SYSTEMROOT", "WINDIR",
    "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
    "PROGRAMFILES(X86)", "HOMEDRIVE", "HOMEPATH", "NUMBER_OF_PROCESSORS",
)  # fmt: skip
#: Exit statuses of a shell that could not start a program, and those that say which signal ended one; what
#: is higher is the program's own word, such as how many tests failed.
_NOT_STARTED, _SIGNAL, _SIGNALS = (126, 127), 128, range(129, 193)
#: Formats of tests: their failures have to go with the exit status, and one test has to have run.
_OF_TESTS = ("junit", "tap", "go_json")
#: Nanoseconds by which a file may be dated before it was written: some file systems keep whole seconds.
_COARSE = 2_000_000_000
#: Seconds in which git says whether it tracks a file.
_PATIENCE = 2.0
_NOTHING = object()


def ask(
    probe: Probe,
    root: str,
    environment: Mapping[str, str],
    *,
    pointers: Sequence[str] = (),
    mask: Sequence[Mapping[str, object]] = (),
    watch: Watch | None = None,
    seconds: float | None = None,
    started: Callable[[int], None] | None = None,
    guarded: Sequence[str] = (),
) -> Answer:
    """
    Run the command of a probe and return what it says.

    Args:
        probe: A command, no judge.
        root: Folder of the project.
        environment: Of this process.
        pointers: JSON pointers that facts read.
        mask: Shapes of secrets that are hidden in all that is kept.
        watch: Called now and then while it runs.
        seconds: How long it may take, the reading of its report included, where that is less than its own
            limit.
        started: Called with the number of its process.
        guarded: Files and folders, absolute, that no report may be or be in: an old report is removed.
    """
    at = time.time()
    report = _Report(probe, root, guarded)
    if report.fault:
        return Answer(BROKEN, None, report.fault, definition=probe.digest, at=at)
    limit = probe.timeout if seconds is None else min(probe.timeout, seconds)
    until = time.monotonic() + limit
    ran = running.run(
        probe.words,
        child_environment(probe, environment),
        root,
        limit,
        limit=LARGEST if probe.report == STANDARD_OUTPUT else 0,
        watch=watch,
        started=started,
    )
    hidden = Mask(mask)
    found = _weighed(probe, ran, report, pointers, until)
    lines = found.evidence or _last_lines(ran)
    failing = found.figures.but_masked(hidden.mask) if found.figures is not None else None
    return Answer(
        found.status,
        found.passed,
        hidden.mask(found.reason),
        ran.exit_status,
        failing,
        {name: hidden.mask(one) if isinstance(one, str) else one for name, one in found.values.items()},
        tuple((path, line, hidden.mask(text.strip())) for path, line, text in lines),
        ran.seconds,
        definition=probe.digest,
        at=at,
        notes=_notes(probe, ran),
    )


def _notes(probe: Probe, ran: Ran) -> tuple[str, ...]:
    notes = []
    if ran.left:
        notes.append(f"{counted(ran.left, 'process', 'processes')} outlived `{probe.name}`; ended")
    if ran.held:
        notes.append(f"`{probe.name}` left a process of a session of its own running, which holds its output")
    return tuple(notes)


def child_environment(probe: Probe, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a probe's command: the usual variables, its own, and `EXITGATE_PROBE=1`."""
    wanted = {*USUAL, *probe.environment}
    if portable.WINDOWS:  # names have no case there
        wanted = {name.upper() for name in wanted}
    kept = {
        name: value
        for name, value in environment.items()
        if (name.upper() if portable.WINDOWS else name) in wanted or name.startswith("LC_")
    }
    return {**kept, MARK: "1"}


class _Found(Value):
    """What an exit status and a report come to together; the slots are those of an answer."""

    __slots__ = ("evidence", "figures", "passed", "reason", "status", "values")

    def __init__(
        self,
        status: str,
        passed: bool | None = None,
        reason: str = "",
        figures: Figures | None = None,
        values: Mapping[str, object] | None = None,
        evidence: tuple[tuple[str, int, str], ...] = (),
    ) -> None:
        self.status = status
        self.passed = passed
        self.reason = reason
        self.figures = figures
        self.values = values or {}
        self.evidence = evidence


def _weighed(probe: Probe, ran: Ran, report: _Report, pointers: Sequence[str], until: float) -> _Found:
    status = ran.exit_status
    if status is None:
        return _Found(LATE if ran.how == running.LATE else BROKEN, None, ran.reason)
    if status in _NOT_STARTED:
        return _Found(BROKEN, None, f"exit status {status}: a program in it cannot be started")
    if status in _SIGNALS:
        return _Found(BROKEN, None, f"it was ended by signal {status - _SIGNAL}")
    if probe.format == EXIT_STATUS:
        return _Found(ANSWERED, status == 0)
    try:
        figures = report.read(ran, until)
    except ReportError as error:
        said = f"its report does not count: {error}"
        if status and probe.format != "json":
            return _Found(ANSWERED, False, said)
        return _Found(LATE if isinstance(error, LateReportError) else BROKEN, None, said)
    if probe.format == "json":
        return _of_document(probe, status, figures, pointers)
    evidence = tuple((report.name, line, text) for line, text in figures.lines)
    failed = figures.failed
    if failed is None:
        return _Found(ANSWERED, status == 0, "", figures, evidence=evidence if status else ())
    if probe.format in _OF_TESTS:
        fault = _fault_of_tests(status, figures)
        if fault:
            return _Found(ANSWERED, False, fault) if status else _Found(BROKEN, None, fault)
    return _Found(ANSWERED, status == 0 and not failed, "", figures, evidence=evidence)


def _fault_of_tests(status: int, figures: Figures) -> str:
    """Return why a report of tests does not say how they came out; empty where it does."""
    failed = figures.failed or 0
    if (failed > 0) is not (status != 0):
        return f"exit status {status}, but its report has {counted(failed, 'failure')}"
    if failed:
        return ""
    if not figures.total:
        return "its report lists no test"
    if figures.total <= (figures.skipped or 0):
        return "all tests of its report were skipped"
    return ""


def _of_document(probe: Probe, status: int, figures: Figures, pointers: Sequence[str]) -> _Found:
    values = {}
    for pointer in dict.fromkeys((*probe.expect, *pointers)):
        found = at(figures.value, pointer)
        if found is None or isinstance(found, str | int | float):
            values[pointer] = found[:1000] if isinstance(found, str) else found
    if status:
        return _Found(
            BROKEN if probe.expect else ANSWERED,
            None if probe.expect else False,
            f"exit status {status}",
            None,
            values,
        )
    for pointer, wanted in probe.expect.items():
        if pointer not in values:
            return _Found(BROKEN, None, f"its document has nothing at `{pointer}`", None, values)
        if not _same(values[pointer], wanted):
            said = f"`{pointer}` is {_shown(values[pointer])}, not {_shown(wanted)}"
            return _Found(ANSWERED, False, said, None, values)
    return _Found(ANSWERED, True, "", None, values)


def at(document: object, pointer: str) -> object:
    """Return what a JSON pointer points to; `_NOTHING` where there is nothing."""
    for token in json_pointer.tokens(pointer):
        if isinstance(document, dict) and token in document:
            document = document[token]
        elif isinstance(document, list) and token.isdecimal() and int(token) < len(document):
            document = document[int(token)]
        else:
            return _NOTHING
    return document


def _same(one: object, other: object) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _shown(value: object) -> str:
    return f"`{value[:60]}`" if isinstance(value, str) else "null" if value is None else str(value).lower()


def _last_lines(ran: Ran) -> tuple[tuple[str, int, str], ...]:
    text = ran.output.decode("utf-8", "replace")
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return tuple(("output", number, line[-LENGTH:]) for number, line in lines[-LINES:])


class _Report:
    """
    The file that a command is to write; an old one is removed when this is made.

    Args:
        probe: It names the report.
        root: Folder of the project.
        guarded: Files and folders that it may not be or be in.

    `fault` says why none can be written; it is empty otherwise. `name` is how people call it.
    """

    def __init__(self, probe: Probe, root: str, guarded: Sequence[str]) -> None:
        self.fault = ""
        self._format = probe.format
        self._path = ""
        self.name = probe.report if probe.report != STANDARD_OUTPUT else "output"
        if probe.report in ("", STANDARD_OUTPUT):
            return
        self._root = os.path.realpath(root)
        self._path = os.path.join(root, probe.report)
        self.fault = self._leads_out() or self._is_kept(guarded) or self._remove()

    def _leads_out(self) -> str:
        inside = os.path.realpath(os.path.dirname(self._path))
        if inside != self._root and not portable.is_below(inside, self._root):
            return f"`{self.name}` leads out of the project"
        return ""

    def _is_kept(self, guarded: Sequence[str]) -> str:
        """Return why what is there is not an old report; empty where it may be one."""
        folder = os.path.realpath(os.path.dirname(self._path))
        path = os.path.join(folder, os.path.basename(self._path))
        own = [os.path.join(self._root, name) for name in OWN]
        for kept in (*own, *map(os.path.realpath, guarded)):
            if path == kept or portable.is_below(path, kept):
                return f"`{self.name}` is not a report: exitgate or git keeps it, and would lose it"
        if not os.path.lexists(path):
            return ""
        try:
            listed = git_command.ask(
                folder, ("ls-files", "-z", "--", os.path.basename(path)), time.monotonic() + _PATIENCE
            )
        except git_command.LateError:
            return f"git did not say in time whether it tracks `{self.name}`, which would be removed"
        except git_command.GitError:
            return ""  # no repository, or no git
        return f"git tracks `{self.name}`: no report, which would be removed" if listed else ""

    def _remove(self) -> str:
        try:
            os.unlink(self._path)
        except FileNotFoundError:
            return ""
        except OSError as error:
            return f"an old `{self.name}` cannot be removed: {safe_files.trouble(error)}"
        return ""

    def read(self, ran: Ran, until: float) -> Figures:
        """Return what the report says. Raises `ReportError`, also for one that was not written just now."""
        from exitgate.core.probes.reports.registry import parser_of

        if not self._path:
            if ran.stdout is None:
                raise ReportError(f"its output has more than {LARGEST} bytes")
            return parser_of(self._format)(ran.stdout, until)
        fault = self._leads_out()
        if fault:
            raise ReportError(fault)
        try:
            written = os.lstat(self._path)
            if not stat.S_ISREG(written.st_mode):
                raise ReportError(f"`{self.name}` is not a regular file")
            if written.st_mtime_ns + _COARSE < ran.began:
                raise ReportError(f"`{self.name}` was written before the command ran")
            raw = safe_files.content(self._path, LARGEST)
        except FileNotFoundError:
            raise ReportError(f"it did not write `{self.name}`") from None
        except OSError as error:
            raise ReportError(f"`{self.name}` cannot be read: {safe_files.trouble(error)}") from error
        return parser_of(self._format)(raw, until)
