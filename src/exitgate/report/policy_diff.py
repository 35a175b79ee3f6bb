"""What is written differently in two policies, as people read it: grouped, words marked."""

from __future__ import annotations

from exitgate.model.counted import counted
from exitgate.policy.compared.change import ADDED, CHANGED, MOVED, REMOVED, RENAMED
from exitgate.report.policy_diff_decisions import kinds_told
from exitgate.report.policy_diff_words import COME, GONE, SAME, kept, near, stretches
from exitgate.report.safe import safe
from exitgate.report.width import columns, cut, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.policy.compared.change import Change, Detail, Side
    from exitgate.policy.compared.decision import Decided
    from exitgate.report.style import Style

GLYPHS = {ADDED: "+", REMOVED: "-", CHANGED: "~", MOVED: "~", RENAMED: "~"}
ROLES = {ADDED: "true", REMOVED: "error", CHANGED: "warning", MOVED: "warning", RENAMED: "warning"}
MARKS = {SAME: ("", "", ""), GONE: ("[-", "-]", "error"), COME: ("{+", "+}", "true")}
TITLES = {
    "policy": "Policy", "parameters": "Parameters", "profiles": "Profiles", "lists": "Lists",
    "facts": "Facts", "conditions": "Conditions", "circuit": "Breaker", "rules": "Rules",
    "otherwise": "Otherwise", "undetermined": "Undetermined", "invariants": "Invariants",
    "views": "Views", "mask": "Secrets",
}  # fmt: skip
#: Two texts of which at least this share stays are shown as one with the words marked.
ALIKE = 0.35
#: Properties this short are on one line.
SHORT = 28
#: Characters of a text that only one policy has.
LONG = 160


def heading(sides: tuple[Side, Side], style: Style) -> str:
    """Return which two policies are compared."""
    said = []
    for side in sides:
        name, version = safe(side.policy.name), safe(side.policy.version)
        label = style.paint("strong", safe(side.label))
        said.append(f"{label} {version}" if side.label == side.policy.name else f"{label} ({name} {version})")
    return " → ".join(said)


def changes_text(changes: Sequence[Change], style: Style) -> list[str]:
    """Return lines, a heading for each section in which something differs."""
    lines: list[str] = []
    for section in dict.fromkeys(one.section for one in changes):
        lines += ["", style.paint("strong", TITLES[section])]
        for change in changes:
            if change.section == section:
                lines += _change(change, style)
    return lines


def summary_text(changes: Sequence[Change], decided: Decided, style: Style) -> list[str]:
    """Return what is decided differently, and how many things of each section are changed."""
    counts: dict[str, int] = {}
    for change in changes:
        counts[change.section] = counts.get(change.section, 0) + 1
    lines = [f"decisions  {kinds_told(decided)}"]
    if decided.warned:
        number = len(decided.warned)
        lines += wrap(
            f"{number} warning{'' if number == 1 else 's'} given by one of the two", style.width, " " * 11
        )
    told = " · ".join(f"{TITLES[section].lower()} {number}" for section, number in counts.items())
    return [*lines, *wrap(told or "none", style.width, "changes    ")]


def where_text(change: Change) -> str:
    """Return what is said behind the name of a thing: where it moved, what it was called."""
    if change.kind == RENAMED:
        place = f", now {change.now}" if change.now else ""
        return f"renamed from `{safe(change.was)}`{place}"
    if change.kind == MOVED:
        return f"moved: {safe(change.was)} → {safe(change.now)}"
    return safe(change.now)


def one_side(text: str) -> str:
    """Return a text that only one policy has, on one line; a long one is cut."""
    lines = text.strip("\n").split("\n")
    more = f" (and {counted(len(lines) - 1, 'more line')})" if len(lines) > 1 else ""
    return cut(safe(lines[0]), LONG) + more


def _change(change: Change, style: Style) -> Iterator[str]:
    glyph, where = GLYPHS[change.kind], where_text(change)
    head = f"  {style.paint(ROLES[change.kind], glyph)} {style.paint('strong', safe(change.name))}"
    yield head + (f"  {style.paint('quiet', where)}" if where else "")
    short: list[str] = []
    for detail in change.details:
        whole = detail.after if detail.before is None else detail.before
        if change.kind in (ADDED, REMOVED) and whole is not None and columns(whole) <= SHORT:
            short.append(f"{safe(detail.property)} {safe(whole)}")
    if short:
        yield from wrap(" · ".join(short), style.width, "      ")
    for detail in change.details:
        if change.kind in (ADDED, REMOVED):
            whole = (detail.after if detail.before is None else detail.before) or ""
            if columns(whole) > SHORT:
                yield from wrap(one_side(whole), style.width, f"      {safe(detail.property)}  ", " " * 8)
        else:
            yield from _detail(detail, style)


def _detail(detail: Detail, style: Style) -> Iterator[str]:
    name = safe(detail.property)
    if detail.before is None or detail.after is None:
        kind, glyph = (COME, "+") if detail.before is None else (GONE, "-")
        head = f"      {glyph} {name}  "
        lines = wrap(one_side(detail.before or detail.after or ""), style.width, head, " " * 10)
        yield from (_painted(line, MARKS[kind][2], style) for line in lines)
        return
    row = stretches(detail.before, detail.after)
    if kept(row) >= ALIKE and len(row) > 1:
        marked = "".join(_marked(kind, safe(text)) for kind, text in near(row))
        yield from _with_marks(wrap(marked, style.width, f"      {name}  ", " " * 8), style)
    elif columns(detail.before) + columns(detail.after) <= 2 * SHORT:
        yield f"      {name}  {safe(detail.before)} → {safe(detail.after)}"
    else:
        yield f"      {name}"
        for glyph, role, text in (("-", "error", detail.before), ("+", "true", detail.after)):
            lines = wrap(one_side(text), style.width, f"        {glyph} ", " " * 10)
            yield from (_painted(line, role, style) for line in lines)


def _marked(kind: str, text: str) -> str:
    """Return a stretch between its marks, blanks at its ends outside of them."""
    before, behind, _ = MARKS[kind]
    inked = text.strip(" ")
    if not before or not inked:
        return text
    start = text.index(inked)
    return text[:start] + before + inked + behind + text[start + len(inked) :]


def _with_marks(lines: Sequence[str], style: Style) -> Iterator[str]:
    """Yield lines with what is between marks painted, across the ends of lines."""
    role = ""
    for line in lines:
        shown, rest = "", line
        while rest:
            marks = [(rest.find(mark), mark, r) for mark, _, r in MARKS.values() if mark and mark in rest]
            if role:
                ending = next(end for _, end, r in MARKS.values() if r == role)
                at = rest.find(ending)
                stop = len(rest) if at < 0 else at + len(ending)
                shown += _painted(rest[:stop], role, style)
                rest, role = rest[stop:], role if at < 0 else ""
            elif marks:
                at, _, new = min(marks)
                shown, rest, role = shown + rest[:at], rest[at:], new
            else:
                shown, rest = shown + rest, ""
        yield shown


def _painted(line: str, role: str, style: Style) -> str:
    """Return a line painted behind its indent."""
    inked = line.lstrip(" ")
    return line[: len(line) - len(inked)] + style.paint(role, inked)
