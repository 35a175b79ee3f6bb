"""One line of the conversation: a command, a series for a fact, a rule, or a condition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from exitgate.analysis.second_opinion import ask_second_opinion, word
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.evaluation.pending import pending
from exitgate.core.language.evaluation.unknowns import unknowns
from exitgate.core.language.functions import FUNCTIONS, HISTORY
from exitgate.core.language.literals import KEYWORDS
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import value_text, written
from exitgate.core.model.decision import BAD_POLICY, INTERNAL, STAGES, Pending
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.model.spelling import nearest
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import Rule
from exitgate.report.decision.explanation import names_of
from exitgate.report.decision.verbose import decision_text
from exitgate.report.terminal import Style, safe
from exitgate.testing.cases.series import SeriesError
from exitgate.testing.cases.values import MisfitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.repl.session import Session

    Run = Callable[[str, Session, Style], list[str]]
    from exitgate.surfaces.repl.session import Session

    Records = Sequence[dict[str, object]]


#: Codes of this package, one line each; `docs` reads them.
CODES = {"EP552": "an unknown or incomplete command of the repl"}
#: The file that places name.
FILE = "<repl>"
#: Signs before an `=` that make it a comparison.
_COMPARING = "=<>!"


def answer_line(line: str, number: int, session: Session, style: Style) -> list[str]:
    """
    Return what is to be shown on a line; nothing for an empty one and for a comment.

    Args:
        line: As typed.
        number: Its number, from 1, for the place of a problem.
        session: What was said so far; a series, a setting or a reset changes it.
        style: Of what is shown.

    Raises:
        ExitgateError: With everything that is wrong in the line, at its place (65).
    """
    text = line.strip()
    if not text or text.startswith("#"):
        return []
    try:
        if text.startswith(":"):
            return _command(text, session, style)
        name, sign, given = _series(text)
        if sign:
            return _given(name, given, text, session)
        if text in {rule.id for rule in session.policy.rules} and text not in session.policy.facts:
            return about_rule(text, session, style)
        return answer(session.read(text), session, style)
    except LanguageError as error:
        found = [(p.code, p.message, p.start, p.end, p.help) for p in error.problems]
        raise _placed(found, line, number) from None
    except _WrongError as error:
        raise _placed([error.found], line, number) from None


class _WrongError(Exception):
    """One problem of a line: code, message, offsets behind its leading blanks, help."""

    def __init__(self, code: str, message: str, start: int, end: int, help: str) -> None:
        self.found = (code, message, start, end, help)
        super().__init__(message)


def _placed(found: Iterable[tuple[str, str, int, int, str]], line: str, number: int) -> ExitgateError:
    indent = len(line) - len(line.lstrip())
    shown = line.rstrip("\r\n")
    problems = []
    for code, message, start, end, help in found:
        place = Location(FILE, number, indent + start + 1, number, indent + max(end, start + 1) + 1)
        problems.append(Diagnostic(code, message, place, help, source=shown))
    return ExitgateError(problems, BAD_POLICY)


def _command(text: str, session: Session, style: Style) -> list[str]:
    name, _, rest = text[1:].partition(" ")
    if name not in COMMANDS:
        near = nearest(name, COMMANDS)
        help = f"did you mean `:{near}`?" if near else "`:help` lists the commands"
        raise _WrongError("EP552", f"no command `:{name}`", 0, len(name) + 1, help)
    return COMMANDS[name](rest.strip(), session, style)


def _series(text: str) -> tuple[str, str, str]:
    """Return name, sign and series of `name = series`; the sign is empty for any other line."""
    at = text.find("=")
    name = text[:at].rstrip() if at > 0 else ""
    plain = name and all(c.isalnum() or c in "._" for c in name)
    if not plain or text[at + 1 : at + 2] in ("=",) or text[at - 1] in _COMPARING:
        return "", "", ""
    return name, "=", text[at + 1 :]


def _given(name: str, given: str, text: str, session: Session) -> list[str]:
    spec = session.policy.facts.get(name)
    if spec is None:
        near = nearest(name, session.policy.facts)
        help = f"did you mean `{near}`?" if near else "`:facts` lists the facts of the policy"
        raise _WrongError("EP490", f"the policy has no fact `{name}`", 0, len(name), help)
    start = len(text) - len(given.lstrip())
    try:
        session.give(spec, name, given.strip())
    except SeriesError as error:
        at = start + error.offset
        message = f"the series of `{name}`: {error}"
        raise _WrongError("EP492", message, at, at + 1, "for example `1 2 2x3 _ 4`") from None
    except MisfitError as error:
        raise _WrongError("EP491", f"`{name}`: {error}", start, len(text), f"it is a {spec.type}") from None
    return []


# The commands of the conversation: each takes what is behind its name and returns lines.

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
    decision = session.observed[-1].decide((stage,))
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
    policy = session.policy
    yield from (f":{name}" for name in (*COMMANDS, "quit"))
    yield from policy.facts
    yield from (f"${name}" for name in policy.parameters)
    yield from (f"@{name}" for name in policy.conditions)
    yield from (rule.id for rule in policy.rules)
    yield from KEYWORDS.values()
    yield from FUNCTIONS


# How a condition came out, part by part, and what it rests on: facts, unknowns, history under way.

#: Operations whose parts are listed one by one.
_JOINING = ("and", "or", "not")
_COLUMN = 7


def answer(node: Node, session: Session, style: Style) -> list[str]:
    """Return lines on a condition or formula. Raises `ExitgateError` (70) where the evaluators disagree."""
    value = value_of(node, session)
    if node.type is not None and node.type.kind != "bool":
        bare = isinstance(value, Unknown) and value.least is None
        head = "unknown" if bare else safe(value_text(value, node.type))
        lines = [style.paint("unknown" if isinstance(value, Unknown) else "strong", head)]
        lines.append("  " + safe(_written(node, session)))
    else:
        lines = [painted(value, style)]
        lines += (
            "  " + _part(value, depth, text, counts, style)
            for depth, value, text, counts in _parts(node, session, 0)
        )
    return [*lines, *_rests_on(node, session, style), *_unknowns(node, session, style)]


def painted(value: object, style: Style) -> str:
    """Return a truth as a word in its colour."""
    role = "true" if value is True else "unknown" if isinstance(value, Unknown) else "false"
    return style.paint(role, word(value))


def value_of(node: Node, session: Session) -> object:
    """Return the value of a tree now, both evaluators asked. Raises `ExitgateError` (70, EP700)."""
    from exitgate.analysis.reference_evaluator import evaluator

    policy, records = session.policy, session.records
    unread = unread_facts(policy)
    first = compile_node(node, policy.values(), policy.conditions, unread)(records)
    second = evaluator.evaluate(node, records, policy.values(), policy.conditions, unread)
    if word(first) != word(second):
        message = f"the compiled evaluator finds {word(first)}, the reference evaluator {word(second)}"
        help = "this is a bug in exitgate: report it with the policy and the facts"
        raise ExitgateError([Diagnostic("EP700", message, help=help)], INTERNAL)
    return first


def counts_of(node: Node, session: Session) -> tuple[Pending, ...]:
    """Return how far the history forms of a tree have come."""
    return pending(node, session.records, session.policy.values(), session.policy.conditions)


def _parts(node: Node, session: Session, depth: int) -> Iterator[tuple[int, object, str, str]]:
    """Yield each part with its depth, its truth, its text with values, and how far its history has come."""
    value = value_of(node, session)
    below = [session.policy.conditions[str(node.args[0])]] if node.op == "condition" else []
    below += node.children() if node.op in _JOINING else []
    if node.op in HISTORY:
        below += (child for child in node.children() if _is_condition(child))
    counts = "" if below and node.op not in HISTORY else _counts(node, session)
    yield depth, value, _written(node, session), counts
    for child in below:
        yield from _parts(child, session, depth + 1)


def _is_condition(node: Node) -> bool:
    return node.type is not None and node.type.kind == "bool" and node.op not in ("bool", "fact")


def _counts(node: Node, session: Session) -> str:
    return ", ".join(f"pending {one}" for one in counts_of(node, session))


def _written(node: Node, session: Session) -> str:
    return written(node, session.records, session.policy.values(), session.policy.conditions)


def _part(value: object, depth: int, text: str, counts: str, style: Style) -> str:
    blank = " " * (_COLUMN - len(word(value)))
    behind = style.paint("quiet", f"  {counts}") if counts else ""
    return f"{painted(value, style)}{blank} {'  ' * depth}{safe(text)}{behind}"


def _rests_on(node: Node, session: Session, style: Style) -> list[str]:
    names = names_of(node, session.policy)
    width = max(map(len, names), default=0)
    said = [f"  {name:{width}}  {safe(session.track(name))}{_origin(name, session)}" for name in names]
    return [style.paint("quiet", "rests on"), *said] if said else []


def _origin(name: str, session: Session) -> str:
    if name in session.given:
        return ""
    policy = session.policy
    own = policy.breaker is not None and name.startswith("circuit.")
    return "  (computed)" if own or any(fact.name == name for fact in policy.derived) else "  (not given)"


def _unknowns(node: Node, session: Session, style: Style) -> list[str]:
    found = unknowns(node, session.records, session.policy.values(), session.policy.conditions)
    said = [
        f"  {safe(one.origin)}: {safe(one.reason)}" if one.origin else f"  {safe(one.reason)}"
        for one in found
    ]
    return [style.paint("quiet", "unknown because"), *said] if said else []
