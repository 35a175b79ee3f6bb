"""What ran of policies' tests, as every form of output reads it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from msgspec import Struct

from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.core.model.display import counted
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.formats.github import annotation, annotation_at, diagnostics_github
from exitgate.report.terminal import Style, pad, safe, safe_line

CASE, INVARIANT = "case", "invariant"


class Miss(Struct, frozen=True):
    """
    One expectation that was not met.

    Args:
        key: What was looked at: ``rule``, ``facts``.
        subject: The fact or rule it is about, or the empty text.
        iteration: 1-based.
        iterations: How many the case has.
        place: Where the expectation is written.
        wanted: What was expected, for people.
        got: What was found, for people.
        why: Lines on how it came about: the condition with values written in, the nearest cause.
    """

    key: str
    subject: str
    iteration: int
    iterations: int
    place: Location
    wanted: str
    got: str
    why: tuple[str, ...] = ()

    @property
    def what(self) -> str:
        """What was looked at, and at which iteration where there are several."""
        what = f"{self.key} of `{self.subject}`" if self.subject else self.key
        where = f" at iteration {self.iteration} of {self.iterations}" if self.iterations > 1 else ""
        return what + where


class Ran(Struct, frozen=True):
    """
    A case or an invariant that was run.

    Args:
        kind: `CASE` or `INVARIANT`.
        name: Of the case, or id of the invariant.
        place: Where it is written, or None.
        note: Why it is there, or the empty text.
        seconds: How long it took.
        misses: Expectations of a case that were not met.
        broken: Lines on an invariant that is broken or was never put to the test.
    """

    kind: str
    name: str
    place: Location | None
    note: str = ""
    seconds: float = 0.0
    misses: tuple[Miss, ...] = ()
    broken: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether something is not as promised."""
        return bool(self.misses or self.broken)

    @property
    def title(self) -> str:
        """Its name, that of an invariant with the word before it."""
        return self.name if self.kind == CASE else f"{INVARIANT} {self.name}"


class RanFile(Struct, frozen=True):
    """
    One file of tests.

    Args:
        path: As the user would write it.
        policy: Name of the policy under test, or the empty text for a file that cannot be used.
        version: Of the policy.
        ran: Its cases and the policy's invariants that were run, in order.
        seconds: How long all of it took, reading and compiling included.
        diagnostics: What is wrong with a file that cannot be used.
        code: Exit code that those ask for, or 0.
    """

    path: str
    policy: str = ""
    version: str = ""
    ran: tuple[Ran, ...] = ()
    seconds: float = 0.0
    diagnostics: tuple[Diagnostic, ...] = ()
    code: int = 0

    @property
    def failed(self) -> tuple[Ran, ...]:
        """Those that failed."""
        return tuple(one for one in self.ran if one.failed)


class RanAll(Struct, frozen=True):
    """
    All files.

    Args:
        files: In the order in which they were run.
        left_out: Cases and invariants that were not selected.
        stopped: Whether it ended at the first failure, with something left to run.
    """

    files: tuple[RanFile, ...]
    left_out: int = 0
    stopped: bool = False

    @property
    def ran(self) -> tuple[Ran, ...]:
        """Everything that was run."""
        return tuple(one for file in self.files for one in file.ran)

    @property
    def failed(self) -> tuple[Ran, ...]:
        """Everything that failed."""
        return tuple(one for one in self.ran if one.failed)

    @property
    def unusable(self) -> tuple[RanFile, ...]:
        """The files that could not be run."""
        return tuple(file for file in self.files if file.code)

    @property
    def seconds(self) -> float:
        """How long all files took."""
        return sum(file.seconds for file in self.files)


# What ran of policies' tests, for people: what failed and why, a line for each file, the sum.

#: First character of a line of a diff -> the role that paints it.
_ROLES = {"+": "help", "-": "error", "@": "place"}
#: Lines around a difference in a text.
_AROUND = 2


def tests_text(found: RanAll, style: Style, durations: int = 0) -> str:
    """Return everything; `durations` is how many of the slowest cases and invariants are listed."""
    blocks = []
    for file in found.files:
        blocks += [failed_text(one, style) for one in file.failed]
        if file.code:
            blocks.append(diagnostics_text(file.diagnostics, style).rstrip("\n"))
    if durations:
        blocks.append("\n".join(_slowest(found, durations, style)))
    width = max(len(safe(file.path)) for file in found.files)
    blocks.append("\n".join(_file(file, width, style) for file in found.files))
    return "\n\n".join([*blocks, _sum(found, style)]) + "\n"


def failed_text(one: Ran, style: Style) -> str:
    """Return what to print on a case or invariant that failed, without a line end behind the last."""
    if one.kind != CASE:
        return "\n".join([style.paint("error", safe(one.broken[0])), *map(safe_line, one.broken[1:])])
    lines = [style.paint("place", safe(str(one.place))) + ": " + style.paint("strong", safe(one.name))]
    lines += [f"  {safe_line(line)}" for line in one.note.splitlines()]
    for miss in one.misses:
        lines += _miss(miss, style)
    return "\n".join(lines)


def difference(miss: Miss) -> list[str]:
    """
    Return expected and got as lines of a unified diff, where one of them has several lines.

    Where the wanted text has only one, it was a part to be found: then the lines are those of the text that
    was there, each behind a bar.
    """
    if "\n" not in miss.wanted and "\n" not in miss.got:
        return []
    if "\n" not in miss.wanted and miss.key != "facts":
        return [f"| {line}".rstrip() for line in miss.got.splitlines()]
    return [
        line.rstrip("\n")
        for line in difflib.unified_diff(
            miss.wanted.splitlines(), miss.got.splitlines(), "expected", "got", lineterm="", n=_AROUND
        )
    ]


def miss_text(miss: Miss) -> str:
    """Return expected and got in one line; a text of several lines is below."""
    if "\n" in miss.wanted:
        return "not as expected:"
    got = "this:" if difference(miss) else miss.got
    return f"expected {miss.wanted}, got {got}"


def _miss(miss: Miss, style: Style) -> Iterator[str]:
    place = style.paint("place", safe(str(miss.place)))
    yield f"  {place}: {safe(miss.what)}: {style.paint('error', safe(miss_text(miss)))}"
    for line in difference(miss):
        role = _ROLES.get(line[:1])
        yield "    " + (style.paint(role, safe_line(line)) if role else safe_line(line))
    for line in miss.why:
        yield "    " + style.paint("quiet", safe_line(line))


def _file(file: RanFile, width: int, style: Style) -> str:
    path = pad(safe(file.path), width)
    if file.code:
        return f"{style.paint('error', '✗')} {path}  cannot be used"
    policy = f"{safe(file.policy)} {safe(file.version)}"
    failed = len(file.failed)
    if failed:
        return f"{style.paint('error', '✗')} {path}  {policy}: {failed} of {len(file.ran)} failed"
    if not file.ran:
        return f"{style.paint('quiet', '○')} {path}  {policy}: nothing selected"
    return f"{style.paint('true', '●')} {path}  {policy}: {_counted(file.ran)}"


def _counted(ran: Sequence[Ran]) -> str:
    cases = sum(one.kind == CASE for one in ran)
    others = len(ran) - cases
    parts = [f"{cases} case{'' if cases == 1 else 's'}"] if cases else []
    parts += [f"{others} invariant{'' if others == 1 else 's'}"] if others else []
    return ", ".join(parts)


def _sum(found: RanAll, style: Style) -> str:
    passed = [one for one in found.ran if not one.failed]
    parts = [f"{len(found.failed)} failed"] if found.failed else []
    parts += [f"{len(found.unusable)} cannot be used"] if found.unusable else []
    parts += [f"{len(passed)} passed"] if passed else []
    parts += [f"{found.left_out} not selected"] if found.left_out else []
    text = ", ".join(parts) or "nothing ran"
    text += "; ended at the first failure" if found.stopped else ""
    if found.failed or found.unusable:
        return style.paint("error", f"✗ {text}")
    held = any(one.kind != CASE for one in found.ran)
    note = " (`exitgate prove` shows which invariants are proved)" if held else ""
    return style.paint("true", f"● {text}") + style.paint("quiet", note)


def _slowest(found: RanAll, durations: int, style: Style) -> Iterator[str]:
    ran = [(one.seconds, file.path, one.title) for file in found.files for one in file.ran]
    ran.sort(key=lambda one: -one[0])
    yield style.paint("strong", "slowest")
    for seconds, path, title in ran[:durations]:
        yield f"  {seconds:8.3f} s  {safe(path)}: {safe(title)}"
    yield f"  {found.seconds:8.3f} s  all files, including reading"


# What failed of policies' tests, as annotations at the lines of what was expected.


def tests_github(found: RanAll) -> str:
    """Return a workflow command for everything that failed, and a notice with the sum."""
    diagnostics = "".join(diagnostics_github(file.diagnostics) for file in found.unusable)
    lines = [line for one in found.failed for line in _failed(one)]
    text = f"{len(found.ran) - len(found.failed)} passed, {len(found.failed)} failed"
    text += f", {counted(len(found.unusable), 'file')} cannot be used" if found.unusable else ""
    return diagnostics + "".join(
        f"{line}\n" for line in [*lines, annotation("notice", text, title="exitgate test")]
    )


def _failed(one: Ran) -> Iterator[str]:
    if one.broken:
        yield annotation_at(one.place, "error", "\n".join(one.broken), one.title)
    for miss in one.misses:
        text = "\n".join((f"{miss.what}: {miss_text(miss)}", *difference(miss), *miss.why))
        yield annotation_at(miss.place, "error", text, one.title)
