"""The view of a run: what is shown of it, before anybody knows how wide or high the window is. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from exitgate.analysis.counterfactuals.distances import OF
from exitgate.core.engine.breaker import CLOSED
from exitgate.core.ledger.line import EXPIRED, RESET, facts_from_line
from exitgate.core.ledger.typed import NO_DECISION, LedgerLine, LineDecision, LineTotals, believable
from exitgate.core.model.decision import EXIT, Decision
from exitgate.core.model.display import duration, shown
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import COUNT, DURATION, Type, Unknown
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.page.cells import CONTINUE, SIGNS
from exitgate.report.breaker import ROLES
from exitgate.report.decision.changes import is_digest
from exitgate.report.decision.counterfactuals import USED, distance_rows
from exitgate.report.decision.summary import verdict_text
from exitgate.report.probes import came_out, probes_of, summary, told_of
from exitgate.report.terminal import columns, cut, pad, safe, verdict_role
from exitgate.report.wording import brief, retry_text, value_text, working_folder
from exitgate.surfaces.watch.assessment import Assessment, Budget
from exitgate.surfaces.watch.render import Row, Section, Strip, View
from exitgate.surfaces.watch.run_state import Cell, RunState, exit_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.probes.turn import UnderWay


#: Lines of the output of a probe that failed and names no failures.
_OUTPUT = 3
WARNED, TENTATIVE, BOTH = "!", "?", "‽"
#: Mark below a sign of the strip -> what it means.
MARKS = {WARNED: "with warnings", TENTATIVE: "tentative", BOTH: "tentative, with warnings"}


def view(
    sight: RunState,
    judged: Assessment,
    now: float,
    troubles: Sequence[str] = (),
    asked: UnderWay | None = None,
) -> View:
    """
    Return what to show.

    Args:
        sight: What is known of the run.
        judged: What the policy of its newest decision says of it.
        now: Seconds since the epoch.
        troubles: What could not be read, the newest last.
        asked: What a check asks at the moment.
    """
    line = sight.now
    decision = NO_DECISION if line is None else line.decided
    silent = silent_for(sight, now)
    found = [
        Section("trouble", tuple(Row(text, "trouble") for text in reversed(troubles)), whole=True),
        Section("says", _message(decision), whole=True),
        Section("more", _escalation(sight), whole=True),
        Section("probes", _probes(line)),
        Section("used", used_rows(sight, judged.budgets, silent), least=4),
        Section("breaker", _breaker(sight, now)),
        Section("warning", _warnings(decision), whole=True),
        Section("pending", _pending(decision, judged)),
        Section("moved", changed_rows(sight, judged.order, judged.policy)),
        Section("next", (Row(f"the same again: {judged.next}"),) if judged.next else (), whole=True),
        Section("distance", _distances(judged)),
        Section("advice", _advice(decision), whole=True),
        Section("others", _others(sight, now)),
    ]
    shown = tuple(section for section in found if section.rows)
    pulse = verifying(sight, asked, now) or activity(sight, now)
    return View(_title(sight), _verdict(line), pulse, _strip(sight.cells), shown)


def _title(sight: RunState) -> str:
    if sight.run is None:
        wanted = f" of `{sight.wanted}`" if sight.wanted is not None else ""
        return f"waiting for a run{wanted} to begin"
    newest = sight.now if sight.now is not None else sight.last
    named = "" if newest is None else _named(newest)
    number = max((line.number for line in (sight.last, sight.now) if line is not None), default=0)
    return " · ".join(one for one in (sight.run, named, f"iteration {number}") if one)


def _named(line: LedgerLine) -> str:
    found = (line.found("policy", key, absent=UNSET) for key in ("name", "version"))
    return " ".join(str(one) for one in found if one is not UNSET)


def _verdict(line: LedgerLine | None) -> Row:
    if line is None:
        return Row("no decision yet", "quiet")
    decision = line.decided
    firm = " · tentative" if decision.unchecked else ""
    blind = " · blind" if decision.blind else ""
    text = f"{verdict_text(decision.verdict, line.exit_class)} · {decision.outcome}{firm}{blind}"
    return Row(text, verdict_role(decision.verdict, line.exit_class))


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


def _message(decision: LineDecision) -> tuple[Row, ...]:
    return (Row(decision.message, "strong"),) if decision.message else ()


def _probes(line: LedgerLine | None) -> tuple[Row, ...]:
    """Return a row for each probe on which the newest decision rests, and below it what failed in it."""
    answers: dict[str, JsonObject] = {} if line is None else probes_of(line.plain)
    widest = min(20, max((columns(safe(name)) for name in answers), default=0))
    rows: list[Row] = []
    for name, answer in answers.items():
        word, role = came_out(answer)
        reused = "as before" if "reused" in answer else ""
        said = ", ".join(filter(None, (summary(answer), reused)))
        rows.append(Row(f"{pad(safe(name), widest)}  {pad(word, 9)}  {said}".rstrip(), role))
        rows += [Row(f"  {text}") for text in told_of(answer, _OUTPUT)]
    return tuple(rows)


def _escalation(sight: RunState) -> tuple[Row, ...]:
    if sight.now is None or not sight.now.decided.escalation:
        return ()
    return (Row("for more, see `exitgate explain`", "note"),)


def _breaker(sight: RunState, now: float) -> tuple[Row, ...]:
    plain = sight.breaker
    if plain is None:
        return ()
    state, reason = plain.state or "unknown", plain.reason
    opened = believable(plain.opened_at)
    since = f", for {duration(float(int(max(0.0, now - opened))))}" if opened is not None else ""
    text = state + (f" · {reason}" if reason else "") + since
    return (Row(text, "quiet" if state == CLOSED else ROLES.get(state, "unknown")),)


def _pending(decision: LineDecision, judged: Assessment) -> tuple[Row, ...]:
    """Return how far history forms have come: those on record, then those of rules that were not asked."""
    found: dict[str, tuple[float, Row]] = {}
    for step in decision.steps:
        for one in step.pending:
            have, need = _whole(one.have), _whole(one.need)
            if have is not None and need is not None:
                found.setdefault(one.form, _under_way(have, need, step.rule, one.form))
    for far in judged.distances:
        if far.wants == OF and isinstance(far.value, int) and isinstance(far.threshold, int):
            found.setdefault(far.text, _under_way(far.value, far.threshold, far.rules[0], far.text))
    return tuple(row for _, row in sorted(found.values(), key=lambda pair: pair[0]))


def _whole(number: float | None) -> int | None:
    found = believable(number)
    return int(found) if found is not None and found.is_integer() else None


def _under_way(have: int, need: int, rule: str, form: str) -> tuple[float, Row]:
    """Return the iterations that are left, to sort by, and the row."""
    return need - have, Row(f"{have} of {need}  {rule}: {form}", "unknown" if need - have == 1 else "")


def _distances(judged: Assessment) -> tuple[Row, ...]:
    rows: list[Row] = []
    if judged.policy is not None and judged.distances:
        near = [d.but(place=None) for d in judged.distances if d.gap is not None and d.wants != OF]
        pairs = distance_rows(near, judged.policy, all=True)
        widest = min(20, max((len(label) for label, _ in pairs[:6]), default=0))
        rows += [Row(f"{label.ljust(widest)}  {text}") for label, text in pairs]
    return (*rows, Row(f"left out: {judged.left_out}", "quiet")) if judged.left_out else tuple(rows)


def _advice(decision: LineDecision) -> tuple[Row, ...]:
    return (Row(decision.advice, "note"),) if decision.advice else ()


def _warnings(decision: LineDecision) -> tuple[Row, ...]:
    rows = []
    for one in decision.warnings:
        text = f"{one.rule}: {one.message}" if one.rule else one.message
        rows.append(Row(brief(text, working_folder()), "warning"))
    return tuple(rows)


def _others(sight: RunState, now: float) -> tuple[Row, ...]:
    rows = []
    for run, line in reversed(tuple(sight.others.items())):
        verdict = verdict_text(line.decided.verdict, line.exit_class)
        at = believable(line.time)
        ago = f", {duration(float(int(max(0.0, now - at))))} ago" if at is not None else ""
        told = verdict or (line.kind or "").replace("_", " ")
        number = line.number
        rows.append(Row(f"{run}  {f'iteration {number}, ' if number else ''}{told}{ago}", "quiet"))
    return tuple(rows)


# Facts that moved since the iteration before. Pure.

#: Columns of a value, before and now, so that both are seen.
SIDE = 22


def changed_facts(sight: RunState, order: Sequence[str]) -> tuple[tuple[str, object, object], ...]:
    """
    Return name, value before and value now of each fact that is another than in the iteration before.

    What rules read comes first, in the order `order` of their reading. Facts that count what the run uses
    up always move and are left out; so is what the iteration before did not record. A fact that is
    unknown in both did not move, no matter what the reasons.
    """
    if sight.now is None:
        return ()
    number = sight.now.number
    before = next((line for line in reversed(sight.earlier) if line.number < number), None)
    if before is None:
        return ()
    then, now = facts_from_line(before.plain), facts_from_line(sight.now.plain)
    names = [*(name for name in order if name in now), *(name for name in now if name not in set(order))]
    return tuple(
        (name, then[name], now[name])
        for name in names
        if name in then and not name.startswith(USED) and not _same(then[name], now[name])
    )


def changed_rows(sight: RunState, order: Sequence[str], policy: CompiledPolicy | None) -> tuple[Row, ...]:
    """Return a row for each fact that moved: ``tasks.done  4 → 5``."""
    found = changed_facts(sight, order)
    widest = min(24, max((len(name) for name, _, _ in found[:8]), default=0))
    rows = []
    for name, before, now in found:
        spec = policy.facts.get(name) if policy is not None else None
        kind = spec.type if spec is not None else None
        old, new = (cut(value_text(value, kind), SIDE) for value in (before, now))
        moved_to = "another" if is_digest(now) else f"{old} → {new}"
        rows.append(Row(f"{name.ljust(widest)}  {moved_to}"))
    return tuple(rows)


def _same(before: object, now: object) -> bool:
    if isinstance(before, Unknown) or isinstance(now, Unknown):
        return isinstance(before, Unknown) and before.like(now)
    return type(before) is type(now) and before == now


# What the loop does now, as far as a ledger can tell: at work, waiting, ended, or gone. Pure.

#: A loop seems to be gone when it was silent for this many of its longest pauses, and at least so long;
#: that is longer while it has made fewer decisions than `KNOWN`, as its pauses are not known then.
PAUSES, AT_LEAST, AT_FIRST, KNOWN = 3.0, 600.0, 3600.0, 3


def silent_for(sight: RunState, now: float) -> float:
    """Return the seconds since the run's last line; 0 where it has none, and where the clock went back."""
    at = believable(sight.last.time) if sight.last is not None else None
    return 0.0 if at is None else max(0.0, now - at)


def seems_gone(sight: RunState, now: float) -> bool:
    """
    Return whether a run that continues has been silent for longer than its own pauses explain.

    That is three times its longest pause between two lines, and ten minutes at least, an hour in its first
    iterations; one that waits until an instant is given that long from there.
    """
    retry = _retry(sight)
    suspended = exit_of(sight.last) is not None and retry is None
    if sight.last is None or sight.over or suspended:
        return False
    silent = silent_for(sight, now) if retry is None else max(0.0, now - retry)
    least = AT_LEAST if len(sight.cells) >= KNOWN else AT_FIRST
    return silent > max(PAUSES * sight.pause, least)


def activity(sight: RunState, now: float) -> Row:
    """Return in a sentence part what the loop does."""
    if sight.last is None:
        return Row("no line yet", "quiet")
    silent = duration(float(int(silent_for(sight, now))))
    kind = sight.last.kind
    if kind in (RESET, EXPIRED):
        return Row(f"the run was reset {silent} ago" if kind == RESET else "the run expired", "exit")
    if sight.ended is not None:
        return Row(f"the run ended {silent} ago", "strong")
    if seems_gone(sight, now):
        return Row(f"silent for {silent}: the loop seems to have stopped", "trouble")
    retry = _retry(sight)
    if retry is not None:
        return Row(
            "continues " + retry_text(Decision(EXIT, "wait", "", None, "", retry_at=retry), now), "note"
        )
    if exit_of(sight.last) is not None:
        return Row(f"suspended {silent} ago; the next check continues", "exit")
    return Row(f"{silent} since the last line", "quiet")


def verifying(sight: RunState, asked: UnderWay | None, now: float) -> Row | None:
    """Return which probe a check of the run asks, for how long by now, and its limit; None for none."""
    if asked is None or (asked.run and not sight.follows(LedgerLine(run=asked.run))):
        return None
    since, until = believable(asked.since), believable(asked.until)
    if since is None or until is None:
        return None
    spent, limit = (
        duration(float(int(max(0.0, now - since)))),
        duration(float(round(max(0.0, until - since)))),
    )
    return Row(f"verifying: {asked.probe} for {spent}, {limit} at most", "note")


def _retry(sight: RunState) -> float | None:
    """Return the instant until which the run waits, or None."""
    if sight.last is None or sight.last.exit_class != "wait":
        return None
    return believable(sight.last.decided.retry_at)


# What the run has used up: against its budgets as bars, the rest as plain numbers. Pure.

BAR = 20
FULL, EMPTY = "█", "░"
#: Shares of a budget from which its row is painted.
_WARNED, _USED_UP = 0.8, 1.0
#: Facts that go on growing while nothing is written.
_TIME = ("run.elapsed", "clock.elapsed")


def used_rows(sight: RunState, budgets: Sequence[Budget], silent: float) -> tuple[Row, ...]:
    """
    Return a row for each budget, then one for each total of the run that has none.

    Args:
        sight: Of the run.
        budgets: Its limits.
        silent: Seconds since its last line, which count as used where the run continues.
    """
    widest = max((len(one.fact) for one in budgets), default=0)
    rows = []
    for one in budgets:
        now = replace(one, value=one.value + silent) if one.fact in _TIME and not sight.over else one
        rows.append(_row(now, widest))
    told = {one.fact for one in budgets}
    plain = [
        f"{name} {shown(value, kind)}"
        for name, kind, found in _totals(sight)
        if f"run.{name}" not in told and (value := believable(found)) is not None
    ]
    return (*rows, Row(", ".join(plain), "quiet")) if plain else tuple(rows)


def bar(share: float) -> str:
    """Return a bar of `BAR` cells; a share above 0 fills at least one, and only a whole one fills all."""
    filled = BAR if share >= 1 else min(BAR - 1, max(int(share * BAR), 1 if share > 0 else 0))
    return FULL * filled + EMPTY * (BAR - filled)


def _row(one: Budget, widest: int) -> Row:
    whole = one.type is not None and one.type.kind == "duration"
    value = float(int(one.value)) if whole else one.value
    setter = f" ({one.setter})" if one.setter else ""
    amount = f"{shown(value, one.type)} of {shown(one.limit, one.type)}"
    text = f"{one.fact.ljust(widest)}  {bar(one.share)}  {amount}"
    role = "trouble" if one.share >= _USED_UP else "warning" if one.share >= _WARNED else ""
    return Row(text + setter, role)


def _totals(sight: RunState) -> tuple[tuple[str, Type, float | None], ...]:
    """Return the totals of a run that are reported, each with its type and its value, or None."""
    totals = LineTotals() if sight.now is None else sight.now.totals
    return (
        ("iterations", COUNT, totals.iterations),
        ("elapsed", DURATION, totals.elapsed),
        ("cost", Type("money", currency="USD"), totals.cost),
        ("tokens", COUNT, totals.tokens),
    )
