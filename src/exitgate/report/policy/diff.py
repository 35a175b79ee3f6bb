"""What is written differently in two policies, as people read it: grouped, words marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exitgate.analysis.results.comparison import (
    ADDED,
    CHANGED,
    MOVED,
    REMOVED,
    RENAMED,
    Change,
    Decided,
    Detail,
    Kind,
    Side,
    Unobservable,
)
from exitgate.core.model.display import counted
from exitgate.report.decision.markdown import cell, code, prose
from exitgate.report.policy.decision_diff import (
    by_text,
    kinds_text,
    only_one_has,
    result_text,
    run_lines,
    share_text,
    unobservable_lines,
    verdict_on,
    warnings_text,
)
from exitgate.report.terminal import Style, columns, cut, safe, wrap

Stretch = tuple[str, str]


# Two texts word by word: what stays, what goes, what comes.

SAME, GONE, COME = "same", "gone", "come"
#: Characters that are words of their own.
APART = frozenset("()[]{},:\"'")
#: Words of one text that are compared with the other's, one by one; longer ones only by their ends.
LIMIT = 1500
#: So many same words are shown beside what differs, where only that is wanted.
NEAR = 5


def stretches(before: str, after: str) -> tuple[Stretch, ...]:
    """
    Return the two texts as one row of stretches.

    `SAME` and `GONE` together are the first text, `SAME` and `COME` the second.
    """
    old, new = list(words(before)), list(words(after))
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    found = [(SAME, old[:start]), *_middle(middle_old, middle_new), (SAME, old[len(old) - end :])]
    return tuple((kind, "".join(part)) for kind, part in found if part)


def context(row: tuple[Stretch, ...]) -> tuple[Stretch, ...]:
    """Return a row in which long stretches that stay are cut to the words beside what differs."""
    found: list[Stretch] = []
    for at, (kind, text) in enumerate(row):
        inked = list(words(text))
        first, last = at == 0, at == len(row) - 1
        room = 2 * NEAR * (1 if first or last else 2)
        if kind != SAME or len(inked) <= room:
            found.append((kind, text))
        elif first:
            found.append((SAME, "… " + "".join(inked[-2 * NEAR :]).lstrip()))
        elif last:
            found.append((SAME, "".join(inked[: 2 * NEAR]).rstrip() + " …"))
        else:
            middle = ("".join(inked[: 2 * NEAR]).rstrip(), "".join(inked[-2 * NEAR :]).lstrip())
            found.append((SAME, " … ".join(middle)))
    return tuple(found)


def share_kept(row: tuple[Stretch, ...]) -> float:
    """Return which share of the longer text stays, from 0 to 1; two empty texts are the same."""
    sizes = {kind: sum(len(text) for k, text in row if k == kind) for kind in (SAME, GONE, COME)}
    longest = sizes[SAME] + max(sizes[GONE], sizes[COME])
    return sizes[SAME] / longest if longest else 1.0


def words(text: str) -> Iterator[str]:
    """Yield the text in pieces: words, single brackets and quotes, and stretches of blanks."""
    piece = ""
    for character in text:
        blank, apart = character.isspace(), character in APART
        if piece and (apart or blank != piece[-1].isspace() or piece[-1] in APART):
            yield piece
            piece = ""
        piece += character
    if piece:
        yield piece


def _middle(old: list[str], new: list[str]) -> list[tuple[str, list[str]]]:
    if not old or not new or max(len(old), len(new)) > LIMIT:
        return [(GONE, old), (COME, new)]
    from difflib import SequenceMatcher

    found: list[tuple[str, list[str]]] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append((SAME, old[i:j]))
        else:
            found += [(GONE, old[i:j]), (COME, new[k:m])]
    return _joined(found)


def _joined(row: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Return the row without blanks that stay between two changes: one change reads better than two."""
    found: list[tuple[str, list[str]]] = []
    waiting: dict[str, list[str]] = {GONE: [], COME: []}
    for at, (kind, part) in enumerate(row):
        if kind != SAME:
            waiting[kind] += part
            continue
        if "".join(part).isspace() and 0 < at < len(row) - 1:
            waiting[GONE] += part
            waiting[COME] += part
            continue
        found += [(k, p) for k, p in waiting.items() if p] + [(SAME, part)]
        waiting = {GONE: [], COME: []}
    return found + [(k, p) for k, p in waiting.items() if p]


def _shared(old: list[str], new: list[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


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
    lines = [f"decisions  {kinds_text(decided)}"]
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
    if share_kept(row) >= ALIKE and len(row) > 1:
        marked = "".join(_marked(kind, safe(text)) for kind, text in context(row))
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


# What differs between two policies, as Markdown for a pull request.

#: Characters of a text in a cell of a table.
CELL = 200


def diff_markdown(
    sides: tuple[Side, Side],
    changes: Sequence[Change],
    decided: Decided,
    unseen: Unobservable,
    cases: Sequence[str],
    recorded: str = "",
) -> str:
    """Return a document: decisions first, then what is written differently; `recorded` is Markdown, too."""
    one, other = sides
    blocks = [f"## {prose(one.label)} → {prose(other.label)}", f"{verdict_on(decided).capitalize()}."]
    if decided.kinds:
        blocks.append("\n".join(_table(decided)))
        blocks += [_example(kind, number, sides, cases) for number, kind in enumerate(decided.kinds)]
    said = [*only_one_has(decided, sides), *unobservable_lines(unseen)]
    said += [quiet] if (quiet := warnings_text(decided)) else []
    if said:
        blocks.append("\n".join(f"- {text.replace('_', chr(92) + '_')}" for text in said))
    blocks += [recorded] if recorded else []
    for section in dict.fromkeys(change.section for change in changes):
        lines = [f"### {TITLES[section]}", ""]
        for change in changes:
            lines += _change_markdown(change) if change.section == section else ()
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _table(decided: Decided) -> Iterator[str]:
    yield "| | before | after | of the points |"
    yield "|---|---|---|---|"
    for number, kind in enumerate(decided.kinds, 1):
        said = [f"{prose(result_text(r))} {cell(by_text(r))}" for r in (kind.before, kind.after)]
        yield f"| {number} | {said[0]} | {said[1]} | {share_text(kind, decided)} |"


def _example(kind: Kind, number: int, sides: tuple[Side, Side], cases: Sequence[str]) -> str:
    stage = "" if kind.stage == "after_iteration" else f" ({kind.stage.replace('_', ' ')})"
    lines = [f"**{number + 1}**{stage}"]
    lines += [f"- {code(text)}" for text in run_lines(kind.run, sides)]
    if number < len(cases):
        lines += [
            "",
            "<details><summary>as a case</summary>",
            "",
            "```yaml",
            cases[number].rstrip("\n"),
            "```",
        ]
        lines += ["", "</details>"]
    return "\n".join(lines)


def _change_markdown(change: Change) -> Iterator[str]:
    where = where_text(change)
    yield f"- {code(GLYPHS[change.kind])} **{prose(change.name)}**" + (f" {prose(where)}" if where else "")
    for detail in change.details:
        yield f"  - {prose(detail.property)}: {_detail_markdown(detail, change.kind in (ADDED, REMOVED))}"


def _detail_markdown(detail: Detail, whole: bool) -> str:
    if detail.before is None or detail.after is None:
        said = code(cut((detail.before or detail.after or "").strip().replace("\n", " "), CELL))
        return said if whole else f"{'added' if detail.before is None else 'removed'} {said}"
    parts = []
    for kind, text in context(stretches(detail.before, detail.after)):
        shown = prose(text.strip().replace("\n", " "))
        if shown:
            parts.append({GONE: f"~~{shown}~~", COME: f"**{shown}**"}.get(kind, shown))
    return " ".join(parts)
