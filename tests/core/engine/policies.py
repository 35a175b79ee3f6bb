"""Compiled policies built by hand, so that the engine is tested without YAML and without a parser."""

from __future__ import annotations

from exitgate.core.language.tree import Node
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, PERCENT, TEXT, Type, Unknown
from exitgate.core.policy.compiled import CompiledPolicy, Derived, Parameter, PointsRow, Rule

STATE = Type("enum", members=("CLOSED", "HALF_OPEN", "OPEN"))
NUMBER = Type("number")

FACTS = {
    "circuit.state": FactSpec("circuit.state", STATE, "state of the breaker", read=False),
    "circuit.reason": FactSpec("circuit.reason", TEXT, "why it is open", read=False),
    "run.iterations": FactSpec("run.iterations", COUNT, "iterations so far", read=False),
    "tasks.percent": FactSpec("tasks.percent", PERCENT, "share of ticked tasks", low=0, high=100),
    "tasks.total": FactSpec("tasks.total", COUNT, "tasks", low=0),
    "tasks.done": FactSpec("tasks.done", COUNT, "ticked tasks", low=0),
    "confidence": FactSpec("confidence", PERCENT, "how sure the words sound", low=0, high=100),
    "errors.count": FactSpec("errors.count", COUNT, "error lines", low=0),
    "flag": FactSpec("flag", BOOL, "a flag"),
    "words": FactSpec("words", TEXT, "some words"),
}

ARITHMETIC = ("add", "sub", "mul", "div", "neg", "call")
UNKNOWN = Unknown("not said", "test")


def fact(name: str) -> Node:
    return Node("fact", (name,), type=FACTS[name].type if name in FACTS else NUMBER)


def node(value: object) -> Node:
    """A literal, `$parameter`, `@condition`, or a fact's name; nodes stay as they are."""
    if isinstance(value, Node):
        return value
    if isinstance(value, bool):
        return Node("bool", (value,), type=BOOL)
    if isinstance(value, int | float):
        return Node("number", (value,), type=NUMBER)
    assert isinstance(value, str)
    if value.startswith("$"):
        return Node("parameter", (value[1:],), type=NUMBER)
    if value.startswith("@"):
        return Node("condition", (value[1:],), type=BOOL)
    if value.isupper():
        return Node("enum", (value,), type=STATE)
    return fact(value)


def op(name: str, *args: object) -> Node:
    return Node(name, tuple(node(a) for a in args), type=BOOL)


def compare(left: object, sign: str, right: object) -> Node:
    return Node("compare", (sign, node(left), node(right)), type=BOOL)


def rule(id: str, when: Node, effect: str = "complete", **more: object) -> Rule:
    """`effect` is a class of exit, `continue` or `warn`."""
    kind = effect if effect in ("continue", "warn") else "exit"
    exit_class = effect if kind == "exit" else None
    more.setdefault("because", (f"{id} holds",))
    return Rule(id, kind, exit_class, str(more.pop("outcome", id)), when, id, **more)  # type: ignore[arg-type]


def parameter(name: str, value: object, type: Type = NUMBER, low=None, high=None) -> Parameter:
    return Parameter(name, type, value, value, low, high, "", None)


def points(
    name: str, rows: list[tuple[Node, float] | tuple[Node, float, str]], low=None, high=None
) -> Derived:
    made = tuple(PointsRow(when, add, because[0] if because else "") for when, add, *because in rows)
    return Derived(name, NUMBER, made, None, low, high)


def formula(name: str, tree: Node, low=None, high=None) -> Derived:
    return Derived(name, NUMBER, (), _numeric(tree), low, high)


def _numeric(tree: Node) -> Node:
    """The tree with the type of a number wherever something is calculated, as the checker gives it."""
    args = tuple(_numeric(arg) if isinstance(arg, Node) else arg for arg in tree.args)
    return Node(tree.op, args, type=NUMBER if tree.op in ARITHMETIC else tree.type)


def policy(*rules: Rule, **more: object) -> CompiledPolicy:
    parameters = more.pop("parameters", ())
    derived = more.pop("derived", ())
    specs = {d.name: FactSpec(d.name, d.type, "derived") for d in derived}
    return CompiledPolicy(
        name="hand",
        format=1,
        version="1.0.0",
        title="Built by hand",
        digest="00",
        path="hand.yaml",
        parameters={p.name: p for p in parameters},
        extractions=more.pop("extractions", ()),
        derived=tuple(derived),
        facts={**FACTS, **specs, **more.pop("facts", {})},
        conditions=more.pop("conditions", {}),
        rules=tuple(rules),
        otherwise_message=more.pop("otherwise_message", ("no rule is true",)),
        exit_after_blind=more.pop("exit_after_blind", None),
        unreadable=more.pop("unreadable", {}),
        invariants=(),
        lookback=more.pop("lookback", 5),
        **more,
    )


def bb3(**more: object) -> CompiledPolicy:
    """The six deciding rules of the BB3 scheme."""
    return policy(
        rule("circuit_open", op("is", "circuit.state", "OPEN"), "halted",
             because=("Circuit breaker is OPEN: ", ("circuit.reason",))),
        rule("high_completion", compare("tasks.percent", ">=", "$min_completion"),
             because=(("tasks.done",), " of ", ("tasks.total",), " tasks done (", ("tasks.percent",),
                      "); ", ("$min_completion",), " is enough")),
        rule("low_confidence", compare("confidence", "<", "$min_confidence"), "review"),
        rule("too_many_errors", compare("errors.count", ">", "$max_errors"), "failed"),
        rule("all_tasks_done", op("and", compare("tasks.total", ">", 0),
                                  compare("tasks.done", "==", "tasks.total"))),
        rule("stagnation", op("unchanged", "tasks.done", "$stagnation_loops"), "stuck",
             because=("No task finished in ", ("$stagnation_loops",), " iterations"),
             advice=("Pick another task than the ", ("tasks.done",), " done",)),
        parameters=(parameter("min_completion", 80, PERCENT), parameter("min_confidence", 70, PERCENT),
                    parameter("max_errors", 5, COUNT), parameter("stagnation_loops", 3, COUNT)),
        **more,
    )  # fmt: skip


def bb3_record(**changes: object) -> dict[str, object]:
    """A quiet iteration: no rule of `bb3` is true. Keys write the dot as two underscores."""
    quiet = {"circuit.state": "CLOSED", "circuit.reason": "", "tasks.total": 10, "tasks.done": 1,
             "tasks.percent": 10, "confidence": 90, "errors.count": 0}  # fmt: skip
    return {**quiet, **{name.replace("__", "."): value for name, value in changes.items()}}
