"""The view of a run: what is shown of it, before anybody knows how wide or high the window is. Pure."""

from __future__ import annotations

from exitgate.analysis.distances import OF
from exitgate.dryrun.page.verdicts import CONTINUE, SIGNS
from exitgate.engine.breaker_state import CLOSED
from exitgate.engine.shown import duration
from exitgate.ledger.runs import iteration_of
from exitgate.report.brief import brief, here
from exitgate.report.circuit import ROLES
from exitgate.report.outlook import distance_rows
from exitgate.report.style import verdict_role
from exitgate.report.summary import is_unchecked, verdict_text
from exitgate.surfaces.watch.changed import moved_rows
from exitgate.surfaces.watch.parts import flag, instant, items, part, whole, word
from exitgate.surfaces.watch.pulse import pulse, silent_for
from exitgate.surfaces.watch.rows import Row, Section, Strip, View
from exitgate.surfaces.watch.sight import exit_of
from exitgate.surfaces.watch.spent import used_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.surfaces.watch.judged import Judged
    from exitgate.surfaces.watch.sight import Cell, Sight

    Line = Mapping[str, object]

WARNED, TENTATIVE, BOTH = "!", "?", "‽"
#: Mark below a sign of the strip -> what it means.
MARKS = {WARNED: "with warnings", TENTATIVE: "tentative", BOTH: "tentative, with warnings"}


def view(sight: Sight, judged: Judged, now: float, troubles: Sequence[str] = ()) -> View:
    """
    Return what to show.

    Args:
        sight: What is known of the run.
        judged: What the policy of its newest decision says of it.
        now: Seconds since the epoch.
        troubles: What could not be read, the newest last.
    """
    line = sight.now
    decision = part(line, "decision")
    silent = silent_for(sight, now)
    found = [
        Section("trouble", tuple(Row(text, "trouble") for text in reversed(troubles)), whole=True),
        Section("says", _message(decision), whole=True),
        Section("more", _escalation(sight), whole=True),
        Section("used", used_rows(sight, judged.budgets, silent), least=4),
        Section("breaker", _breaker(sight, now)),
        Section("warning", _warnings(decision), whole=True),
        Section("pending", _pending(decision, judged)),
        Section("moved", moved_rows(sight, judged.order, judged.policy)),
        Section("next", (Row(f"the same again: {judged.next}"),) if judged.next else (), whole=True),
        Section("distance", _distances(judged)),
        Section("advice", _advice(decision), whole=True),
        Section("others", _others(sight, now)),
    ]
    shown = tuple(section for section in found if section.rows)
    return View(_title(sight), _verdict(line), pulse(sight, now), _strip(sight.cells), shown)


def _title(sight: Sight) -> str:
    if sight.run is None:
        wanted = f" of `{sight.wanted}`" if sight.wanted is not None else ""
        return f"waiting for a run{wanted} to begin"
    policy = part(sight.now if sight.now is not None else sight.last, "policy")
    named = " ".join(str(policy[key]) for key in ("name", "version") if key in policy)
    number = max((iteration_of(line) for line in (sight.last, sight.now) if line is not None), default=0)
    return " · ".join(one for one in (sight.run, named, f"iteration {number}") if one)


def _verdict(line: Line | None) -> Row:
    if line is None:
        return Row("no decision yet", "quiet")
    decision = part(line, "decision")
    verdict, exit_class = word(decision, "verdict"), exit_of(line)
    firm = " · tentative" if is_unchecked(decision) else ""
    blind = " · blind" if flag(decision, "blind", otherwise=False) else ""
    text = f"{verdict_text(verdict, exit_class)} · {word(decision, 'outcome')}{firm}{blind}"
    return Row(text, verdict_role(verdict, exit_class))


def _strip(cells: Sequence[Cell]) -> Strip:
    shown = []
    signs: dict[str, str] = {}
    marks: dict[str, None] = {}
    for cell in cells:
        tone = cell.exit_class or CONTINUE
        mark = (" ", WARNED, TENTATIVE, BOTH)[cell.warned + 2 * (not cell.firm)]
        verdict = "EXIT" if cell.exit_class else "CONTINUE"
        shown.append((SIGNS[tone], mark, verdict_role(verdict, cell.exit_class)))
        signs[SIGNS[tone]] = tone
        marks[mark] = None
    legend = [*signs.items(), *((mark, MARKS[mark]) for mark in MARKS if mark in marks)]
    return Strip(tuple(shown), tuple(legend))


def _message(decision: Line) -> tuple[Row, ...]:
    text = word(decision, "message")
    return (Row(text, "strong"),) if text else ()


def _escalation(sight: Sight) -> tuple[Row, ...]:
    if not word(part(sight.now, "decision"), "escalation"):
        return ()
    return (Row("for more, see `exitgate explain`", "note"),)


def _breaker(sight: Sight, now: float) -> tuple[Row, ...]:
    plain = sight.breaker
    if plain is None:
        return ()
    state, reason = word(plain, "state") or "unknown", word(plain, "reason")
    opened = instant(plain, "opened_at")
    since = f", for {duration(float(int(max(0.0, now - opened))))}" if opened is not None else ""
    text = state + (f" · {reason}" if reason else "") + since
    return (Row(text, "quiet" if state == CLOSED else ROLES.get(state, "unknown")),)


def _pending(decision: Line, judged: Judged) -> tuple[Row, ...]:
    """Return how far history forms have come: those on record, then those of rules that were not asked."""
    found: dict[str, tuple[float, Row]] = {}
    for step in items(decision, "steps"):
        for form in items(step, "pending"):
            have, need = whole(form, "have"), whole(form, "need")
            if have is not None and need is not None:
                found.setdefault(
                    word(form, "form"), _under_way(have, need, word(step, "rule"), word(form, "form"))
                )
    for one in judged.distances:
        if one.wants == OF and isinstance(one.value, int) and isinstance(one.threshold, int):
            found.setdefault(one.text, _under_way(one.value, one.threshold, one.rules[0], one.text))
    return tuple(row for _, row in sorted(found.values(), key=lambda pair: pair[0]))


def _under_way(have: int, need: int, rule: str, form: str) -> tuple[float, Row]:
    """Return the iterations that are left, to sort by, and the row."""
    return need - have, Row(f"{have} of {need}  {rule}: {form}", "unknown" if need - have == 1 else "")


def _distances(judged: Judged) -> tuple[Row, ...]:
    rows: list[Row] = []
    if judged.policy is not None and judged.distances:
        near = [d.but(place=None) for d in judged.distances if d.gap is not None and d.wants != OF]
        pairs = distance_rows(near, judged.policy, all=True)
        widest = min(20, max((len(label) for label, _ in pairs[:6]), default=0))
        rows += [Row(f"{label.ljust(widest)}  {text}") for label, text in pairs]
    return (*rows, Row(f"left out: {judged.left_out}", "quiet")) if judged.left_out else tuple(rows)


def _advice(decision: Line) -> tuple[Row, ...]:
    text = word(decision, "advice")
    return (Row(text, "note"),) if text else ()


def _warnings(decision: Line) -> tuple[Row, ...]:
    rows = []
    for one in items(decision, "warnings"):
        rule, message = word(one, "rule"), word(one, "message")
        rows.append(Row(brief(f"{rule}: {message}" if rule else message, here()), "warning"))
    return tuple(rows)


def _others(sight: Sight, now: float) -> tuple[Row, ...]:
    rows = []
    for run, line in reversed(tuple(sight.others.items())):
        decision = part(line, "decision")
        verdict = verdict_text(word(decision, "verdict"), exit_of(line))
        at = instant(line, "time")
        ago = f", {duration(float(int(max(0.0, now - at))))} ago" if at is not None else ""
        told = verdict or word(line, "kind").replace("_", " ")
        number = iteration_of(line)
        rows.append(Row(f"{run}  {f'iteration {number}, ' if number else ''}{told}{ago}", "quiet"))
    return tuple(rows)
