"""What ran of policies' tests, for people: what failed and why, a line for each file, the sum."""

from __future__ import annotations

import difflib

from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.safe import safe, safe_line
from exitgate.report.tests_ran import CASE
from exitgate.report.width import pad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.report.style import Style
    from exitgate.report.tests_ran import Miss, Ran, RanAll, RanFile

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


def said(miss: Miss) -> str:
    """Return expected and got in one line; a text of several lines is below."""
    if "\n" in miss.wanted:
        return "not as expected:"
    got = "this:" if difference(miss) else miss.got
    return f"expected {miss.wanted}, got {got}"


def _miss(miss: Miss, style: Style) -> Iterator[str]:
    place = style.paint("place", safe(str(miss.place)))
    yield f"  {place}: {safe(miss.what)}: {style.paint('error', safe(said(miss)))}"
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
