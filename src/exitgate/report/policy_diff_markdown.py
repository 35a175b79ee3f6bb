"""What differs between two policies, as Markdown for a pull request."""

from __future__ import annotations

from exitgate.policy.compared.change import ADDED, REMOVED
from exitgate.report.markdown import cell, code, prose
from exitgate.report.policy_diff import GLYPHS, TITLES, where_text
from exitgate.report.policy_diff_decisions import (
    by_text,
    only_one_has,
    quiet_told,
    result_text,
    run_lines,
    share_text,
    unseen_told,
    verdict_on,
)
from exitgate.report.policy_diff_words import COME, GONE, near, stretches
from exitgate.report.width import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.policy.compared.change import Change, Detail, Side
    from exitgate.policy.compared.decision import Decided, Kind, Unseen

#: Characters of a text in a cell of a table.
LONG = 200


def diff_markdown(
    sides: tuple[Side, Side],
    changes: Sequence[Change],
    decided: Decided,
    unseen: Unseen,
    cases: Sequence[str],
    recorded: str = "",
) -> str:
    """Return a document: decisions first, then what is written differently; `recorded` is Markdown, too."""
    one, other = sides
    blocks = [f"## {prose(one.label)} → {prose(other.label)}", f"{verdict_on(decided).capitalize()}."]
    if decided.kinds:
        blocks.append("\n".join(_table(decided)))
        blocks += [_example(kind, number, sides, cases) for number, kind in enumerate(decided.kinds)]
    said = [*only_one_has(decided, sides), *unseen_told(unseen)]
    said += [quiet] if (quiet := quiet_told(decided)) else []
    if said:
        blocks.append("\n".join(f"- {text.replace('_', chr(92) + '_')}" for text in said))
    blocks += [recorded] if recorded else []
    for section in dict.fromkeys(change.section for change in changes):
        lines = [f"### {TITLES[section]}", ""]
        for change in changes:
            lines += _change(change) if change.section == section else ()
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


def _change(change: Change) -> Iterator[str]:
    where = where_text(change)
    yield f"- {code(GLYPHS[change.kind])} **{prose(change.name)}**" + (f" {prose(where)}" if where else "")
    for detail in change.details:
        yield f"  - {prose(detail.property)}: {_detail(detail, change.kind in (ADDED, REMOVED))}"


def _detail(detail: Detail, whole: bool) -> str:
    if detail.before is None or detail.after is None:
        said = code(cut((detail.before or detail.after or "").strip().replace("\n", " "), LONG))
        return said if whole else f"{'added' if detail.before is None else 'removed'} {said}"
    parts = []
    for kind, text in near(stretches(detail.before, detail.after)):
        shown = prose(text.strip().replace("\n", " "))
        if shown:
            parts.append({GONE: f"~~{shown}~~", COME: f"**{shown}**"}.get(kind, shown))
    return " ".join(parts)
