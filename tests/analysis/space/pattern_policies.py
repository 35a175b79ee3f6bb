"""
Policies whose rules test texts, and what the walk and z3 say of them, compared with the engine.

`contradictions` asks about each rule and returns what the engine denies. The texts that are tried against a
proof are not those of the analysis: letters at random, ways through the patterns, the texts that the policy
names, all of these cut, joined and changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from hypothesis import strategies as st
from random_patterns import patterns

from exitgate.analysis.results.answer import PROVED, REFUTED, Answer
from exitgate.analysis.solver import queries as solver
from exitgate.analysis.space.texts.partition import samples
from exitgate.analysis.walk import queries as walk
from exitgate.analysis.walk.gates import FALSE, TRUE
from exitgate.analysis.walk.questions import Condition, Question, Winner
from exitgate.analysis.walk.search import Limits
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.measure import lookback
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, TEXT, Type
from exitgate.core.policy.compiled import CompiledPolicy, Parameter, Rule

FACTS = {
    "s.a": TEXT, "s.b": TEXT, "flag.a": BOOL, "l.a": Type("list", item=TEXT),
}  # fmt: skip
_REAL = (
    "^ok$", "^okay$", "[0-9]+ tests? failed", r"(?i)\ball (tests )?pass(ed)?\b",
    r"^\W*(none|nothing|n/?a)\W*$",
    "error: .*", r"(?m)^FAIL", r"v\d+\.\d+(\.\d+)?$", "^$", r"\S",
    "^(fix|feat)(\\(.+\\))?!?: ", r"\p{Lu}{2,}",
)  # fmt: skip
_WORDS = ('"ok"', '"Ok"', '"fail"', "$t")
_LETTERS = (*"abkKsS01 _-.\n:!F", "é", "ß", "\u03a3", "İ", "\u017f", "中", "\udc80")
RUNS, LIMITS = 150, Limits(2.0, 20_000)


@dataclass
class Tally:
    """What was asked, and how it came out."""

    policies: int = 0
    questions: int = 0
    runs: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)

    def count(self, who: str, answer: Answer) -> None:
        """Count an answer."""
        self.questions += 1
        told = f"{who} {answer.status}"
        self.outcomes[told] = self.outcomes.get(told, 0) + 1


@st.composite
def pattern_policies(draw: st.DrawFn) -> CompiledPolicy:
    """Return a policy of two to four rules that test texts, most of them with patterns."""
    texts = [draw(_conditions(2)) for _ in range(draw(st.integers(2, 4)))]
    return policy_of(texts, draw(st.sampled_from(("ok", "b", ""))))


def policy_of(texts: list[str], value: str) -> CompiledPolicy:
    """Return a policy with a rule for each condition; `value` is that of its parameter `$t`."""
    facts = {name: FactSpec(name, kind, "") for name, kind in FACTS.items()}
    parameter = Parameter("t", TEXT, value, "ok", None, None, "", None)
    scope = Scope(facts, {"t": TEXT}, {})
    nodes = [check(parse(text), scope, BOOL) for text in texts]
    rules = [
        Rule(f"r{number}", "exit", "complete", f"r{number}", node, unparse(node), mode="enforce")
        for number, node in enumerate(nodes)
    ]
    return CompiledPolicy(
        name="texts", format=1, version="1.0.0", title="Texts", digest="00", path="texts.yaml",
        parameters={"t": parameter}, extractions=(), derived=(), facts=facts, conditions={},
        rules=tuple(rules), otherwise_message=(), exit_after_blind=None, unreadable={}, invariants=(),
        lookback=max(lookback(node, {"t": value}, {}) for node in nodes),
    )  # fmt: skip


@st.composite
def _conditions(draw: st.DrawFn, depth: int) -> str:
    if depth == 0 or draw(st.booleans()):
        return draw(_texts())
    one, other = draw(_conditions(depth - 1)), draw(_conditions(depth - 1))
    shapes = ("({}) and ({})", "({}) or ({})", "({}) and not ({})", "({}) and not ({})", "not ({})",
              "({}) for 2 consecutive iterations", "any of last 2 where ({})")  # fmt: skip
    return draw(st.sampled_from(shapes)).format(one, other)


@st.composite
def _texts(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(("s.a", "s.a", "s.a", "s.b")))
    kind = draw(st.integers(0, 11))
    if kind < 6:
        pattern = draw(st.one_of(patterns(), st.sampled_from(_REAL)))
        subject = draw(
            st.sampled_from(
                (name, name, name, f"lower({name})", f'({name} or else "ok")', f"previous({name})")
            )
        )
        return f"{subject} matches {quoted(pattern)}"

    def one(*choices: str) -> str:
        return draw(st.sampled_from(choices))

    forms = (
        f"{name} contains {one(*_WORDS)}",
        f"length({name}) {one('<', '<=', '>', '>=', '==', '!=')} {one('0', '1', '2', '5', '40')}",
        f"{name} {one('is', 'is not')} {one(*_WORDS)}",
        f'lower({name}) in ["ok", "done"]',
        one("s.a is s.b", f"{name} unchanged for 1 iteration", "s.a is not s.b"),
        one(f"{name} is known", "flag.a", 'l.a contains "ok"', "length(l.a) >= 4", 'l.a is ["ok", "b"]'),
    )
    return forms[kind - 6]


def quoted(pattern: str) -> str:
    """Return a pattern as conditions write it."""
    return '"' + pattern.replace('"', "'").replace("\n", r"\n") + '"'


def contradictions(policy: CompiledPolicy, seed: int, tally: Tally, with_z3: bool) -> list[str]:
    """Return, as lines, what is said of a policy and is not so on the engine."""
    draw = Random(seed)
    tally.policies += 1
    found: list[str] = []
    for rule in policy.rules:
        asked: list[tuple[str, tuple[object, ...], Question]] = [
            ("can_decide", (rule.id,), Winner(policy, rule.id)),
            ("can_be", (rule.when, True), Condition(policy, [(rule.when, TRUE)])),
            ("can_be", (rule.when, False), Condition(policy, [(rule.when, FALSE)])),
        ]
        name, about, question = draw.choice(asked)
        answers = {"walk": getattr(walk, name)(policy, *about, limits=LIMITS)}
        if with_z3:
            answers["z3"] = getattr(solver, name)(policy, *about, limits=LIMITS)
        proved = {who: one for who, one in answers.items() if one.status == PROVED}
        for who, answer in answers.items():
            tally.count(who, answer)
            if answer.status == REFUTED and not question.holds(answer.run or ()):
                found.append(f"{name} {rule.id}: {who} finds {answer.run}, for the engine it is none")
            if answer.status == REFUTED and proved:
                found.append(
                    f"{name} {rule.id}: {who} finds {answer.run}, {list(proved)} prove that there is none"
                )
        for run in _runs(policy, draw) if proved else ():
            tally.runs += 1
            if question.holds(run):
                found.append(f"{name} {rule.id}: {list(proved)} prove that there is none, but {run} is one")
                break
    return found


def _runs(policy: CompiledPolicy, draw: Random):  # type: ignore[no-untyped-def]
    parts = [part for rule in policy.rules for part in rule.when.walk()]
    texts = ["ok", "OK", "a", "", "done", "fail"]
    for part in parts:
        if part.op == "matches":
            texts += samples(str(part.args[1]))

    def text() -> str:
        one = draw.choice(texts)
        way = draw.randrange(6)
        if way == 0:
            return "".join(draw.choice(_LETTERS) for _ in range(draw.randrange(7)))
        if way == 1:
            return one[: draw.randrange(len(one) + 1)]
        if way == 2:
            return one + draw.choice(("", " ", "\n")) + draw.choice(texts)
        if way == 3:
            return draw.choice((one.upper(), one.lower(), one.title()))
        place = draw.randrange(len(one) + 1)
        return one if way == 4 else one[:place] + draw.choice(_LETTERS) + one[place + draw.randrange(2) :]

    for _ in range(RUNS):
        run = []
        for _ in range(policy.lookback + 1):
            values: dict[str, object] = {"s.a": text(), "flag.a": draw.random() < 0.5}
            values["s.b"] = values["s.a"] if draw.random() < 0.3 else text()
            values["l.a"] = tuple(draw.choice(("ok", "b", "c")) for _ in range(draw.randrange(6)))
            run.append({name: value for name, value in values.items() if draw.random() < 0.9})
        yield tuple(run)
