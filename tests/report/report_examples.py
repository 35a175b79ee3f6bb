"""Hand-made decisions, facts and diagnostics that every form of report is shown on."""

from __future__ import annotations

from exitgate.analysis.results.counterfactual import Ahead, Change, Distance, Edit, Nearest, Outlook
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import Alternative, Decision, Pending, Step, Warned
from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.core.model.fact import Evidence, Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, PERCENT, SIGNATURE, Type, Unknown
from exitgate.core.policy.compiled import CompiledPolicy, Parameter, Rule
from exitgate.report.decision.explanation import Explanation, Rung, state_of

RESPONSE = """## Progress

I moved the parser to `src/parse.py` and ran the tests.
Once all tasks are done, I will write EXIT_SIGNAL: true.
I am confident the header code is right, though the footer might
\tstill fail on 空の行 with error: unexpected end.
"""
PLAN = "# Plan\n\n- [x] Read the header\n- [x] Read the body\n- [ ] Read the footer\n"
STATE = Type("enum", members=("CLOSED", "HALF_OPEN", "OPEN"))


def fact(name: str) -> Node:
    return Node("fact", (name,))


def at(
    source: str, text: str, found: str, note: str = "", guard: str | None = None, excerpt: str | None = None
) -> Evidence:
    start = text.index(found)
    line = text.count("\n", 0, start) + 1
    first = text.rfind("\n", 0, start) + 1
    return Evidence(source, line, start - first + 1, start, start + len(found), excerpt or found, note, guard)


RULES = (
    Rule("circuit_open", "exit", "halted", "circuit_open", fact("circuit.state"), "circuit.state is OPEN",
         locked=True),
    Rule("claims_done", "exit", "idle", "claims_done", fact("completion.signals"),
         "completion.signals >= 2 and not (tests.failing or else false)"),
    Rule("high_completion", "exit", "complete", "high_completion", fact("tasks.percent"),
         "tasks.percent >= $min_completion"),
    Rule("vague", "warn", None, "vague", fact("confidence"), "confidence < $min_confidence"),
    Rule("same_error", "exit", "stuck", "same_error", fact("errors.signature"),
         "errors.signature repeats 3 times"),
    Rule("stagnation", "exit", "stuck", "stagnation", fact("tasks.done"),
         "tasks.done unchanged for $stagnation_loops iterations"),
    Rule("trial", "exit", "review", "trial", fact("errors.count"), "errors.count >= 1", mode="shadow"),
)  # fmt: skip

FACTS = {
    f.name: f
    for f in (
        Fact("circuit.state", "CLOSED", note="no state file, taken as CLOSED"),
        Fact(
            "completion.signals",
            0,
            rejected=(
                at("response", RESPONSE, "all tasks are done", "phrase all-done, weight 2", "hypothetical"),
                at("response", RESPONSE, "EXIT_SIGNAL: true", "block field EXIT_SIGNAL", "template"),
            ),
        ),
        Fact("tests.failing", Unknown("no test summary in the tool results", "tests.failing")),
        Fact(
            "tasks.percent",
            66.66666666666667,
            evidence=(
                at("plan", PLAN, "- [x] Read the header", "done"),
                at("plan", PLAN, "- [x] Read the body", "done"),
                at("plan", PLAN, "- [ ] Read the footer", "open"),
            ),
            note="2 of 3",
        ),
        Fact(
            "confidence",
            80,
            evidence=(
                at("response", RESPONSE, "confident", "word, 90"),
                at("response", RESPONSE, "might", "word, -10"),
            ),
            note="90 - 10",
        ),
        Fact("errors.signature", Unknown("no output was given", "errors.signature")),
        Fact("tasks.done", 2),
        Fact("errors.count", 1, evidence=(at("response", RESPONSE, "error: unexpected end", "error line"),)),
    )
}

LEAF = Unknown("no output was given", "errors.signature")
STEPS = (
    Step("circuit_open", False),
    Step("claims_done", False),
    Step("high_completion", False),
    Step("vague", False),
    Step("same_error", LEAF, unknowns=(LEAF,)),
    Step("stagnation", False, pending=(Pending("tasks.done unchanged for 3 iterations", 2, 3),)),
    Step("trial", True),
)
WRITTEN = (
    "circuit.state (CLOSED) is OPEN",
    "completion.signals (0) >= 2 and not (tests.failing (unknown: no test summary in the tool results)"
    " or else false)",
    "tasks.percent (66.67%) >= $min_completion (80%)",
    "confidence (80%) < $min_confidence (70%)",
    "errors.signature (unknown: no output was given) repeats 3 times",
    "tasks.done (2) unchanged for $stagnation_loops (3) iterations",
    "errors.count (1) >= 1",
)

GOING_ON = Decision(
    "CONTINUE", None, "otherwise", None, "no rule is true",
    firm=False,
    alternatives=(Alternative("same_error", "EXIT", "stuck", "same_error"),),
    warnings=(Warned("3 bytes of the response were not UTF-8"), Warned("the response hedges", "vague")),
    shadows=("trial",),
    steps=STEPS,
)  # fmt: skip

COMPLETE = Decision(
    "EXIT", "complete", "high_completion", "high_completion",
    "2 of 3 tasks done (66.67%); 60% is enough",
    steps=(*STEPS[:2], Step("high_completion", True), *(Step(s.rule, None) for s in STEPS[3:])),
    advice="Close the branch.",
)  # fmt: skip


DONE = Decision("EXIT", "complete", "high_completion", "high_completion", "enough")
STUCK = Decision("EXIT", "stuck", "stagnation", "stagnation", "nothing")
LIMIT = Location(".bb3/config.yaml", 4, 3)
TURNS = (
    Nearest(("EXIT", "complete"), "found", (Change("tasks.done", 2, 3, DONE),)),
    Nearest(("EXIT", "stuck"), "found", (
        Change("errors.signature", LEAF, "a", STUCK, (Edit("tests.failing", LEAF, True),), new=True),
        Change("confidence", 80, 20, STUCK, (Edit("errors.count", 1, 7),)),
    ), 2),
    Nearest(("EXIT", "halted"), "far", (), 4),
    Nearest(("EXIT", "idle"), "none", (), 2),
    Nearest(("EXIT", "review"), "open", (), 3, "not decided within 2000 tests"),
)  # fmt: skip
OUTLOOK = Outlook(
    TURNS,
    (Change("$min_completion", 80, 66.66, DONE),),
    (
        Distance(("high_completion",), "tasks.percent", 66.66666666666667, 80, PERCENT, ">=",
                 "min_completion", LIMIT, 13.33333333333333, 1 / 6),
        Distance(("stagnation", "trial"), "tasks.done unchanged for 3 iterations", 2, 3, None, "of",
                 gap=1, share=1 / 3),
        Distance(("costs",), "run.cost", 3.1, 10, Type("money", currency="USD"), ">=", gap=6.9, share=0.69),
        Distance(("low",), "confidence", 80, 50, PERCENT, "<", gap=30, share=0.375),
        Distance(("at",), "confidence", 80, 80, PERCENT, "<", gap=0, share=0.0),
        Distance(("errors",), "errors.count", 1, 5, COUNT, ">", gap=5, share=5 / 6),
        Distance(("unread",), "errors.lines", LEAF, 5, COUNT, ">"),
    ),
    Ahead(GOING_ON, 2, STUCK, TURNS[:3]),
)  # fmt: skip


def policy() -> CompiledPolicy:
    specs = {
        "circuit.state": STATE, "completion.signals": COUNT, "tests.failing": BOOL, "tasks.percent": PERCENT,
        "confidence": PERCENT, "errors.signature": SIGNATURE, "tasks.done": COUNT, "errors.count": COUNT,
    }  # fmt: skip
    facts = {name: FactSpec(name, type, f"The {name}.") for name, type in specs.items()}
    knob = Parameter("min_completion", PERCENT, 80, 80, 1, 100, "Share that ends the run.", None)
    return CompiledPolicy(
        "bb3", 1, "1.0.0", "Seven rules", "ab" * 16, "shipped:bb3",
        {"min_completion": knob}, (), (), facts, {},
        RULES, (), None, {}, (), 3,
    )  # fmt: skip


def explained(decision: Decision, *, texts: bool = True, all: bool = False) -> Explanation:
    ladder = []
    for rule, step, written in zip(RULES, decision.steps, WRITTEN, strict=True):
        names = (
            ("completion.signals", "tests.failing") if rule.id == "claims_done" else (str(rule.when.args[0]),)
        )
        ladder.append(Rung(rule, step, state_of(rule, step, decision), written, names))
    sources = {"response": RESPONSE, "plan": PLAN} if texts else {}
    seen = OUTLOOK if decision.verdict == "CONTINUE" else OUTLOOK.but(ahead=None)
    return Explanation(policy(), decision, tuple(ladder), FACTS, "ralph#1", 4, sources, seen, all)


LINE = "  - {id: done, when: tasks.percnt >= $min_completion}"
DIAGNOSTICS = (
    Diagnostic("EP402", "percent is compared with duration", Location("b/policy.yaml", 30, 5, 30, 21),
               source="\twhen: 空tasks.percent > 2h", help="write a percent, for example `80%`"),
    Diagnostic("EP403", "unknown fact `tasks.percnt`", Location("a/policy.yaml", 21, 22, 21, 34), source=LINE,
               help="did you mean `tasks.percent`?",
               related=(("`tasks` is declared here", Location("a/policy.yaml", 4, 3)),)),
    Diagnostic("EP501", "rule `late` can never decide", Location("a/policy.yaml", 9, 3), severity="warning"),
    Diagnostic("EP801", "cannot read `x\x1b[2Jy`", help="give a file that exists"),
)  # fmt: skip
