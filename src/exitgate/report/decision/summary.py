"""A decision as `check` prints it by default: the verdict, why, and what comes next, in three lines."""

from __future__ import annotations

from exitgate.core.model.value import Unknown, Value, is_whole
from exitgate.report.terminal import Style, columns, safe, safe_block, verdict_role, wrap
from exitgate.report.wording import LINE, brief, brief_line, listed, retry_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.decision import Alternative, Decision, Step
    from exitgate.core.model.fact import Fact
    from exitgate.core.policy.compiled import CompiledPolicy, Rule
    from exitgate.report.terminal import Style


BLIND = "nothing from the agent could be read"
MORE = "`exitgate explain` shows the rest"
#: How a response comes to where it is looked for.
WRITTEN = "(`AGENT > FILE`), or let `exitgate run -- AGENT` do it"
#: What a person does next, by the reason code of an EXIT that no rule made.
OF_NO_RULE = {
    "state_tracked": "find out what added it, then remove it: `git rm -r -f -q --cached -- .ralph/exitgate`",
}
#: Classes whose reason says where the task list was left.
UNFINISHED = ("stuck", "exhausted", "halted")
#: What a person does next, by class of EXIT.
TO_DO = {
    "complete": "review what changed, then commit or merge it",
    "idle": "if work is left, add it to the plan and start again",
    "blocked": "do what the agent waits for, then start again",
    "review": "read the agent's last response, then accept the work or say what is missing",
    "stuck": "split the task or say what to do differently, then start again",
    "halted": "fix the cause, then run `exitgate circuit reset`",
    "exhausted": "check what the run achieved, then start again",
    "failed": "run the agent once by hand and fix what it reports, then start again",
    "interrupted": "start again; the run continues where it was",
    "undetermined": f"write what the agent says where it is looked for {WRITTEN}",
}


class Setting(Value):
    """
    What the three lines need beside the decision.

    Args:
        policy: That decided.
        facts: By name.
        number: Of the iteration, 0 before the first.
        unread: Why the response could not be read, the empty text where it was.
        changed: Path of the file that changed last, or the empty text.
        coming: After how many more iterations like this one the run ends, and how, or None.
        left: Iterations that a limit still allows, or None.
        now: Seconds since the epoch.
        folder: The working folder.
        ticks: So many more open tasks must be done for the run to be complete; None where it would not be.
    """

    __slots__ = ("changed", "coming", "facts", "folder", "left", "now", "number", "policy", "ticks", "unread")

    def __init__(
        self,
        policy: CompiledPolicy,
        facts: Mapping[str, Fact],
        number: int = 0,
        unread: str = "",
        changed: str = "",
        coming: tuple[int, Decision] | None = None,
        left: int | None = None,
        now: float | None = None,
        folder: str = "",
        ticks: int | None = None,
    ) -> None:
        self.policy = policy
        self.facts = facts
        self.number = number
        self.unread = unread
        self.changed = changed
        self.coming = coming
        self.left = left
        self.now = now
        self.folder = folder
        self.ticks = ticks


def short_text(decision: Decision, setting: Setting, style: Style) -> str:
    """Return at most three lines and one that begins with ``warning:``, each with a line end."""
    lines = [headline(decision, style), brief_line(why(decision, setting), setting.folder)]
    lines.append(brief_line(f"Next: {coming_next(decision, setting)}", setting.folder))
    warnings = warnings_of(decision, setting)
    if warnings:
        more = f" (and {len(warnings) - 1} more: {MORE})" if len(warnings) > 1 else ""
        if columns(f"warning: {warnings[0]}{more}") > LINE:
            more = more.replace(" shows the rest", "")
        text = brief_line(warnings[0], setting.folder, LINE - columns("warning: ") - columns(more))
        lines.append(style.paint("warning", "warning:") + f" {text}{more}")
    return "\n".join(lines) + "\n"


def headline(decision: Decision, style: Style) -> str:
    """Return ``EXIT complete · high_completion``: verdict, class and reason code."""
    role = verdict_role(decision.verdict, decision.exit_class)
    verdict = style.paint(role, verdict_text(decision.verdict, decision.exit_class))
    return f"{verdict} · {style.paint('strong', safe(decision.outcome))}"


def why(decision: Decision, setting: Setting) -> str:
    """Return the reason in words of the work: the policy's message, and where the task list is."""
    text = " ".join(decision.message.split())
    if not text:
        ended = f"Rule `{decision.rule}` ends the run" if decision.is_exit else "Continuing: no rule fired"
        text = ended if decision.rule is None or decision.is_exit else f"Continuing: rule `{decision.rule}`"
    done, total = number_of(setting, "tasks.done"), number_of(setting, "tasks.total")
    wanted = decision.exit_class in (None, *UNFINISHED)
    if wanted and total and done is not None and f" of {total}" not in text:
        text += f"; {done} of {total} tasks done"
    if decision.exit_class in (None, "stuck", "halted") and setting.changed:
        text += f"; last changed: {setting.changed}"
    return text


def coming_next(decision: Decision, setting: Setting) -> str:
    """Return what would end a run that continues, or what to do about one that has ended."""
    if decision.is_exit:
        return _to_do(decision, setting)
    if setting.coming is not None:
        more, end = setting.coming
        count = "after one more iteration" if more == 1 else f"after {more} more iterations"
        reason = f" ({brief(' '.join(end.message.split()), setting.folder)})" if end.message else ""
        return f"{verdict_text(end.verdict, end.exit_class)} {count} like this one{reason}"
    parts = []
    open_ = number_of(setting, "tasks.open")
    if open_ and setting.ticks is not None:
        parts.append(f"complete when {_tasks(setting.ticks, open_)} done")
    if setting.left is not None and setting.left > 0:
        parts.append(
            "at most one more iteration" if setting.left == 1 else f"at most {setting.left} more iterations"
        )
    text = ", ".join(parts) or "no rule is close to ending the run"
    missing = "" if open_ is not None else _no_plan(setting)
    return f"{text}; {missing}" if missing else text


def warnings_of(decision: Decision, setting: Setting) -> list[str]:
    """Return the warnings, the one that matters most first."""
    found = []
    if setting.unread:
        wanted = _not_written(setting) and not _for_want_of_a_response(decision, setting)
        hint = f"; write it there {WRITTEN}" if wanted else ""
        found.append(f"{setting.unread.replace('no response at', 'no response found at')}{hint}")
    found += [w.message for w in decision.warnings if w.rule is None and not repeats(w.message, setting)]
    found += [] if setting.unread else could_be(decision)
    found += [w.message or f"rule `{w.rule}`" for w in decision.warnings if w.rule is not None]
    return [" ".join(text.split()) for text in found]


def repeats(message: str, setting: Setting) -> bool:
    """Return whether a warning says once more that nothing was read, or why the response was not."""
    return message.startswith((BLIND, "response: ") if setting.unread else BLIND)


def could_be(decision: Decision) -> list[str]:
    """
    Return ``this could be EXIT idle or EXIT stuck: cannot check `a`, `b`: CAUSE``, one for each cause.

    Rules that came out by what they take for unknown values were checked: they are not named here.
    """
    open_: dict[str, tuple[list[str], list[str]]] = {}
    causes = {
        step.rule: unknowns[0].reason
        for step in decision.steps
        if (unknowns := step.unknowns or ((step.truth,) if isinstance(step.truth, Unknown) else ()))
    }
    for other in (one for one in decision.alternatives if not one.assumed):
        results, rules = open_.setdefault(causes.get(other.rule, ""), ([], []))
        rules.append(other.rule)
        result = verdict_text(other.verdict, other.exit_class)
        results += [] if result in results else [result]
    return [
        f"this could be {_either(results)}: cannot check {listed(rules)}" + (f": {cause}" if cause else "")
        for cause, (results, rules) in open_.items()
    ]


def _either(results: list[str]) -> str:
    return results[0] if len(results) == 1 else f"{', '.join(results[:-1])} or {results[-1]}"


def number_of(setting: Setting, name: str) -> int | None:
    """Return the value of a fact that is a known whole number, or None."""
    fact = setting.facts.get(name)
    value = fact.value if fact is not None else None
    return value if is_whole(value) else None


def _to_do(decision: Decision, setting: Setting) -> str:
    if decision.exit_class == "wait":
        when = retry_text(decision, setting.now)
        return (
            f"start again {when}" if decision.retry_at is not None else "start again later; no time is known"
        )
    kind = "undetermined" if _for_want_of_a_response(decision, setting) else decision.exit_class or ""
    text = TO_DO.get(kind, MORE)
    if decision.rule is None:
        text = OF_NO_RULE.get(decision.outcome, text)
    if decision.exit_class == "exhausted":
        rule = next((rule for rule in setting.policy.rules if rule.id == decision.rule), None)
        limit = _limit(rule) if rule is not None else ""
        return f"{text}, or raise `{limit}`" if limit else text
    return text


def _not_written(setting: Setting) -> bool:
    """Return whether no response was written, not one that cannot be read."""
    return setting.unread.startswith("no response") or " has not been written " in setting.unread


def _for_want_of_a_response(decision: Decision, setting: Setting) -> bool:
    """Return whether a run ended without a result, and what its agent said could not be read."""
    stuck = decision.exit_class == "stuck" and setting.unread.startswith("no response at ")
    return stuck or decision.exit_class == "undetermined"


def _limit(rule: Rule) -> str:
    parameters = (str(node.args[0]) for node in rule.when.walk() if node.op == "parameter")
    return next(parameters, "")


def _completes_by_tasks(policy: CompiledPolicy) -> bool:
    """Return whether a rule that completes a run reads the task list."""
    for rule in policy.rules:
        if rule.exit_class == "complete" and rule.mode == "enforce":
            for part in rule.when.walk():
                name = str(part.args[0]) if part.args else ""
                named = policy.conditions.get(name) if part.op == "condition" else None
                inner = named.walk() if named is not None else (part,)
                if any(one.op == "fact" and str(one.args[0]).startswith("tasks.") for one in inner):
                    return True
    return False


def _no_plan(setting: Setting) -> str:
    """Return where a task list was looked for in vain, if one could complete the run; else the empty text."""
    fact = setting.facts.get("tasks.total")
    value = fact.value if fact is not None else None
    reason = value.reason if isinstance(value, Unknown) else ""
    if not reason.startswith("no plan at ") or not _completes_by_tasks(setting.policy):
        return ""
    return brief(reason.replace("no plan at", "no plan found at", 1), setting.folder)


def _tasks(count: int, open_: int) -> str:
    if count == open_:
        return "the last open task is" if count == 1 else f"the {count} open tasks are"
    return f"{count} of the {open_} open tasks {'is' if count == 1 else 'are'}"


# The short parts that the answer of a check and its explanation share: headline, remarks, alternatives.

LABEL = 14
#: Undetermined rules and pending forms listed; the rest is counted.
LISTED = 5


def head_lines(decision: Decision, style: Style) -> list[str]:
    """Return the headline ``EXIT complete · high_completion`` and the message under it, wrapped."""
    said = wrap(safe(decision.message), style.width) if decision.message else []
    return [headline(decision, style), *said]


def verdict_text(verdict: str, exit_class: str | None) -> str:
    """Return ``EXIT complete`` or ``CONTINUE``."""
    return f"{verdict} {exit_class}" if exit_class else verdict


def tail_rows(decision: Decision, style: Style, now: float | None = None) -> list[str]:
    """
    Return labelled rows: retry time, what could change the decision, warnings, shadows, advice.

    `now` is when the reader reads it, seconds since the epoch; without it no time to wait is reported.
    """
    rows: list[str] = []
    retry = retry_text(decision, now)
    if retry:
        rows += row("retry", retry, style, "note")
    for other in decision.alternatives:
        rows += row("tentative", alternative_text(other), style, "unknown")
    for other in decision.if_readable:
        rows += row("if readable", if_readable_text(other), style, "note")
    for warned in decision.warnings:
        text = f"{warned.rule}: {warned.message}" if warned.rule else warned.message
        rows += row("warning", text, style, "warning")
    for name in decision.shadows:
        rows += row("shadow", f"{name} would have decided", style, "note")
    if decision.advice:
        rows += row("advice", decision.advice, style, "note")
    return rows


def escalation_lines(decision: Decision) -> list[str]:
    """Return the escalation behind an empty line, as its Markdown is, or no lines."""
    if not decision.escalation:
        return []
    return ["", *safe_block(decision.escalation).strip("\n").split("\n")]


def open_rows(decision: Decision, style: Style) -> list[str]:
    """Return labelled rows for history forms under way and for rules that could not be determined."""
    rows: list[str] = []
    pending = [(step.rule, form) for step in decision.steps for form in step.pending]
    for rule, form in pending[:LISTED]:
        rows += row("pending", f"{rule} {form}: {form.form}", style, "unknown")
    rows += _more(len(pending), "pending", style)
    undetermined = decision.undetermined
    for step in undetermined[:LISTED]:
        rows += row("undetermined", undetermined_text(step), style, "unknown")
    return rows + _more(len(undetermined), "undetermined", style)


def undetermined_text(step: Step) -> str:
    """Return ``rule: fact, reason``, each reason once."""
    leaves = step.unknowns or ((step.truth,) if isinstance(step.truth, Unknown) else ())
    reasons = [f"{leaf.origin}, {leaf.reason}" if leaf.origin else leaf.reason for leaf in leaves]
    return f"{step.rule}: {'; '.join(dict.fromkeys(reasons)) or 'unknown'}"


def is_unchecked(decision: Mapping[str, object]) -> bool:
    """Return whether a rule that could not be checked would have changed a recorded decision."""
    found = decision.get("alternatives")
    if decision.get("firm") is not False or not isinstance(found, list):
        return decision.get("firm") is False
    return any(isinstance(one, dict) and one.get("assumed") is not True for one in found)


def alternative_text(other: Alternative) -> str:
    """Return what the decision could be as well, and by which rule."""
    how = "did not rest on unknown values" if other.assumed else "came out true"
    return f"{verdict_text(other.verdict, other.exit_class)} · {other.outcome} if {other.rule} {how}"


def if_readable_text(other: Alternative) -> str:
    """Return what the decision could be if facts were readable, and which."""
    result = verdict_text(other.verdict, other.exit_class)
    names = listed([*other.unreadable])
    return f"{result} · {other.outcome} if {names} could be read and had another value"


def row(label: str, text: str, style: Style, role: str = "quiet") -> list[str]:
    """Return a row ``label   text`` with the text wrapped behind the label."""
    lines = wrap(safe(text), style.width, f"{label}".ljust(LABEL))
    lines[0] = style.paint(role, label) + lines[0][len(label) :]
    return lines


def _more(count: int, label: str, style: Style) -> list[str]:
    return row(label, f"and {count - LISTED} more", style, "quiet") if count > LISTED else []
