"""A decision as `check` prints it by default: the verdict, why, and what comes next, in three lines."""

from __future__ import annotations

from exitgate.model.value import Unknown, Value
from exitgate.report.brief import LINE, brief, brief_line, listed
from exitgate.report.retry import retry_text
from exitgate.report.safe import safe
from exitgate.report.style import verdict_role
from exitgate.report.summary import verdict_text
from exitgate.report.width import columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.decision import Decision
    from exitgate.model.evidence import Fact
    from exitgate.policy.compiled import CompiledPolicy, Rule
    from exitgate.report.style import Style

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
    lines = [headline(decision, style), _line(why(decision, setting), setting)]
    lines.append(_line(f"Next: {coming_next(decision, setting)}", setting))
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
    return value if isinstance(value, int) and not isinstance(value, bool) else None


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


def _line(text: str, setting: Setting) -> str:
    return brief_line(text, setting.folder)
