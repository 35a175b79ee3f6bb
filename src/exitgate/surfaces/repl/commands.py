"""The commands of the conversation: each takes what is behind its name and returns lines."""

from __future__ import annotations

from exitgate.analysis.second_opinion import ask_second_opinion
from exitgate.language.written import value_text
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.spelling import nearest
from exitgate.model.value import Unknown
from exitgate.model.verdict import BAD_POLICY, STAGES
from exitgate.report.safe import safe
from exitgate.report.text import decision_text
from exitgate.surfaces.repl.answer import answer, counts_of, painted, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from exitgate.policy.compiled import Rule
    from exitgate.report.style import Style
    from exitgate.surfaces.repl.session import Session

    Run = Callable[[str, Session, Style], list[str]]

HELP = """\
tests.failed = 3 _ 3 3      a fact in each iteration, the current one last; _ is unknown, falsex3 three times
tests.failed = 3            the same in every iteration; without a value it is taken back
tests.failed > 0 and ...    a condition or a formula: its value, its parts, what it rests on
stagnation                  a rule of the policy, by its id
:rules                      every rule, and how it comes out
:facts [PART]               facts that are known or were given; with PART all whose names contain it
:set [NAME VALUE]           set a parameter; without a name list them
:decide [STAGE]             what the policy decides after_iteration, before_iteration or after_failure
:reset                      forget facts and settings
:help, :quit                this list; leave (so does the end of the input)"""


def about_rule(id: str, session: Session, style: Style) -> list[str]:
    """Return lines on a rule: what it would do, how its condition comes out, what it rests on."""
    rule = next(rule for rule in session.policy.rules if rule.id == id)
    head = f"{style.paint('name', id)}  {_effect(rule)}, {rule.stage}"
    return [head, *answer(rule.when, session, style)]


def _effect(rule: Rule) -> str:
    effect = f"EXIT {rule.exit_class}" if rule.effect == "exit" else "CONTINUE"
    effect = "warns" if rule.effect == "warn" else effect
    return effect if rule.mode == "enforce" else f"{effect}, in mode {rule.mode}"


def _rules(rest: str, session: Session, style: Style) -> list[str]:
    _nothing_behind("rules", rest)
    rules = session.policy.rules
    width = max((len(rule.id) for rule in rules), default=0)
    lines = []
    for rule in rules:
        value = value_of(rule.when, session)
        word = painted(value, style) + " " * (7 - len(painted(value, type(style)())))
        counts = ", ".join(f"pending {one}" for one in counts_of(rule.when, session))
        behind = f"  {style.paint('quiet', counts)}" if counts and value is not True else ""
        lines.append(f"{word}  {rule.id:{width}}  {_effect(rule)}{behind}")
    return lines


def _facts(rest: str, session: Session, style: Style) -> list[str]:
    last, facts = session.records[-1], session.policy.facts
    names = [
        name
        for name in facts
        if (rest and rest in name)
        or (not rest and (name in session.given or not isinstance(last.get(name, _MISSING), Unknown)))
    ]
    if not names:
        return [f"no fact has `{safe(rest)}` in its name"] if rest else ["no fact is known"]
    width = max(map(len, names))
    return [
        f"{name:{width}}  {safe(session.track(name))}  {style.paint('quiet', str(facts[name].type))}"
        for name in names
    ]


_MISSING = Unknown("not given", "repl")


def _set(rest: str, session: Session, style: Style) -> list[str]:
    del style
    name, _, text = rest.replace("=", " ", 1).partition(" ")
    name = name.removeprefix("$")
    parameters = session.policy.parameters
    if not name:
        width = max(map(len, parameters), default=0)
        return [
            f"${one.name:{width}}  {safe(value_text(one.value, one.type))}" for one in parameters.values()
        ] or ["the policy has no parameters"]
    if name not in parameters:
        near = nearest(name, parameters)
        help = f"did you mean `{near}`?" if near else "`:set` lists the parameters"
        raise _wrong("EP493", f"the policy has no parameter `{name}`", help)
    if not text.strip():
        raise _wrong("EP552", f"`:set {name}` has no value", f"write `:set {name} VALUE`")
    session.set(name, text.strip())
    return []


def _decide(rest: str, session: Session, style: Style) -> list[str]:
    stage = rest or "after_iteration"
    if stage not in STAGES:
        raise _wrong("EP552", f"no stage `{stage}`", f"stages are {', '.join(STAGES)}")
    records = session.records
    ask_second_opinion(session.program, records, stage)
    decision = session.program.decide(records, stage, notes=session.observed[-1].notes)
    return decision_text(decision, style).splitlines()


def _reset(rest: str, session: Session, style: Style) -> list[str]:
    del style
    _nothing_behind("reset", rest)
    session.reset()
    return []


def _help(rest: str, session: Session, style: Style) -> list[str]:
    del rest, session, style
    return HELP.splitlines()


def _nothing_behind(name: str, rest: str) -> None:
    if rest:
        raise _wrong("EP552", f"`:{name}` takes nothing", f"write `:{name}`")


def _wrong(code: str, message: str, help: str) -> ExitgateError:
    return ExitgateError([Diagnostic(code, message, help=help)], BAD_POLICY)


#: Name -> what it does. `:quit` ends the conversation before it comes here.
COMMANDS: dict[str, Run] = {
    "decide": _decide,
    "facts": _facts,
    "help": _help,
    "reset": _reset,
    "rules": _rules,
    "set": _set,
}
#: Also ends the conversation.
QUIT = (":quit", ":q", ":exit")


def words(session: Session) -> Iterable[str]:
    """Yield everything that a word of a line may be: commands, names, keywords, functions."""
    from exitgate.language.functions import FUNCTIONS
    from exitgate.language.keywords import KEYWORDS

    policy = session.policy
    yield from (f":{name}" for name in (*COMMANDS, "quit"))
    yield from policy.facts
    yield from (f"${name}" for name in policy.parameters)
    yield from (f"@{name}" for name in policy.conditions)
    yield from (rule.id for rule in policy.rules)
    yield from KEYWORDS.values()
    yield from FUNCTIONS
