"""
Many rules: cost for each when only the last one is true, what compiling one costs, and decisions on policies
of many rules of which few hold.

A decision of the second table names every rule that holds: all of them warn but the last, which decides. Rust
CEL evaluates each rule for that. exitgate has an index of thresholds and of values that are asked for, which
it makes after a few decisions; "each rule asked" is the same without it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from timing import Contender, race, ratio, shown

from exitgate.core.engine import chain
from exitgate.core.engine.program import Program
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.chain import compile_chain
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import COUNT, Type
from exitgate.core.policy.compiled import CompiledPolicy, Rule

SIZES = (100, 1_000, 10_000)
FACTS = 50
PHASE = Type("enum", members=("BUILD", "TEST", "SHIP"))
SCOPE = Scope(
    {**{f"m{i}": FactSpec(f"m{i}", COUNT, "") for i in range(FACTS)}, "phase": FactSpec("phase", PHASE, "")},
    {},
    {},
)
RECORD: dict[str, object] = {**{f"m{i}": i for i in range(FACTS)}, "phase": "BUILD"}
#: Cost of a rule at 10,000 over that at 100; Rust CEL's time over ours; compiling a rule of 10,000 over
#: one of 1,000.
FLAT_GOAL, CEL_GOAL, LINEAR_GOAL = 1.3, 8.0, 1.5


def texts(size: int) -> list[tuple[str, str]]:
    """Return conditions in three shapes, in our language and in CEL; only the last is true."""
    found = []
    for i in range(size):
        fact, limit = f"m{i % FACTS}", 1_000 + i
        shapes = (
            (f"{fact} > {limit}", f"{fact} > {limit}"),
            (f"phase is TEST and {fact} >= {i % 40}", f'phase == "TEST" && {fact} >= {i % 40}'),
            (f"{fact} > {limit} or phase is SHIP", f'{fact} > {limit} || phase == "SHIP"'),
        )
        found.append(shapes[i % 3])
    return [*found[:-1], ("m7 >= 7", "m7 >= 7")]


def _compiled(size: int) -> tuple[list[Node], Contender, float, float]:
    """Return the trees, the chain as a contender, and microseconds a rule to read and to compile."""
    conditions = [ours for ours, _cel in texts(size)]
    start = time.process_time()
    trees = [check(parse(text), SCOPE) for text in conditions]
    read = time.process_time()
    chain = compile_chain(trees, {}, {})
    end = time.process_time()
    contender = Contender(f"exitgate, {size} rules", chain, [(RECORD,)])
    assert contender.answers() == (size - 1,)
    return trees, contender, (read - start) / size * 1e6, (end - read) / size * 1e6


#: Sizes of the policies of which `HOLD` rules hold.
HELD_SIZES, HOLD = (10, 100, 1_000, 10_000), 10
#: Rust CEL's time over ours at 10,000 rules; ours at 10,000 over that at 1,000 (a chain: 10).
INDEX_GOAL, SUBLINEAR_GOAL = 100.0, 2.0


def held_texts(size: int) -> list[tuple[str, str]]:
    """Return conditions like `texts`, of which `HOLD` are true of `RECORD`, spread over all."""
    found = texts(size)
    for number in range(HOLD):
        at = (number + 1) * size // HOLD - 1
        fact = f"m{20 + number}"
        found[at] = (f"{fact} >= {number}", f"{fact} >= {number}")
    return found


def _policy(size: int) -> CompiledPolicy:
    rules = []
    for number, (text, _cel) in enumerate(held_texts(size)):
        effect = "exit" if number == size - 1 else "warn"
        exit_class = "stuck" if effect == "exit" else None
        when = check(parse(text), SCOPE)
        rules.append(Rule(f"r{number}", effect, exit_class, f"r{number}", when, text, because=(text,)))
    return CompiledPolicy(
        name="many", format=1, version="1.0.0", title="", digest="00", path="many.yaml", parameters={},
        extractions=(), derived=(), facts=SCOPE.facts, conditions={}, rules=tuple(rules),
        otherwise_message=(), exit_after_blind=None, unreadable={}, invariants=(), lookback=0,
    )  # fmt: skip


def _decided(size: int, policy: CompiledPolicy, indexed: bool, written: bool = False) -> Contender:
    before, chain.INDEX_FROM = chain.INDEX_FROM, chain.INDEX_FROM if indexed else size + 1
    program = Program(policy)

    def held(record: object) -> int:
        decision = program.decide([record])
        if written:
            assert len(decision.steps) == size
            assert decision.message
            assert decision.firm
        return len(decision.warnings) + (decision.rule is not None)

    words = "index" if indexed else "each rule asked"
    more = ", steps, message and firmness read" if written else ""
    contender = Contender(f"exitgate, {size} rules, {words}{more}", held, [RECORD])
    for _ in range(chain.INDEX_AFTER + 2):
        assert contender.answers() == (HOLD,)
    chain.INDEX_FROM = before
    return contender


def _cel_held(size: int) -> Contender | None:
    try:
        import cel
    except ImportError:
        return None
    programs = [cel.compile(text) for _ours, text in held_texts(size)]

    def held(facts: object) -> int:
        context = cel.Context(facts)
        return sum(program.execute(context) for program in programs)

    contender = Contender(f"Rust CEL, {size} rules, shared context", held, [RECORD])
    assert contender.answers() == (HOLD,)
    return contender


def held_table(rounds: int) -> tuple[list[str], list[str]]:
    """Return the lines on decisions of which few rules hold, and the goals that were missed."""
    groups: list[list[Contender]] = []
    for size in HELD_SIZES:
        policy = _policy(size)
        cel = _cel_held(size)
        ours = (
            _decided(size, policy, True), _decided(size, policy, False), _decided(size, policy, True, True)
        )  # fmt: skip
        groups.append([*ours, *([cel] if cel else [])])
    contenders = [one for group in groups for one in group]
    times = dict(zip(contenders, race(contenders, rounds, 0.02), strict=True))
    lines = [
        "| rules, 10 of which hold | index | each rule asked | index, all read | Rust CEL | CEL / index |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    faster = 0.0
    for size, group in zip(HELD_SIZES, groups, strict=True):
        shown_times = [shown(sorted(times[one])[rounds // 2]) for one in group]
        faster = ratio(times[group[-1]], times[group[0]]) if len(group) > 3 else 0.0
        more = [f"{faster:.0f}"] if faster else ["", ""]
        lines.append(f"| {size} | {' | '.join([*shown_times, *more])} |")
    missed = []
    if faster and faster < INDEX_GOAL:
        missed.append(
            f"Rust CEL with {size} rules of which {HOLD} hold: {faster:.0f} x ours, goal {INDEX_GOAL:.0f}"
        )
    grown = ratio(times[groups[-1][0]], times[groups[-2][0]])
    if grown > SUBLINEAR_GOAL:
        missed.append(f"ten times the rules: {grown:.1f} x the time, goal {SUBLINEAR_GOAL:.0f}")
    lines += [
        "",
        f"Ten times the rules, from 1,000 to 10,000: {grown:.1f} x the time (goal {SUBLINEAR_GOAL:.0f}).",
    ]
    return lines, missed


def _rust_cel(size: int) -> Contender | None:
    try:
        import cel
    except ImportError:
        return None
    programs = [cel.compile(text) for _ours, text in texts(size)]

    def first(facts: object) -> int:
        context = cel.Context(facts)
        for index, program in enumerate(programs):
            if program.execute(context):
                return index
        return -1

    contender = Contender(f"Rust CEL, {size} rules, shared context", first, [RECORD])
    assert contender.answers() == (size - 1,)
    return contender


def table(rounds: int) -> tuple[list[str], list[str]]:
    """Return the lines of the table and the goals that were missed."""
    parse("a > 1")  # the parser is made once in a process
    made = [_compiled(size) for size in SIZES]
    cel = _rust_cel(SIZES[-1])
    contenders: Sequence[Contender] = [one[1] for one in made] + ([cel] if cel else [])
    times = race(contenders, rounds, 0.05)
    lines = [
        "| rules, the last one true | time | per rule | x that at 100 | parse, check a rule | compile it |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    missed = []
    for i, (size, (_trees, contender, read, build)) in enumerate(zip(SIZES, made, strict=True)):
        middle = sorted(times[i])[len(times[i]) // 2]
        grown = ratio(times[i], times[0]) * SIZES[0] / size
        lines.append(
            f"| {contender.name} | {shown(middle)} | {shown(middle / size)} | {grown:.2f} "
            f"| {read:.0f} µs | {build:.0f} µs |"
        )
        if grown > FLAT_GOAL:
            missed.append(f"{size} rules: {grown:.2f} x the cost per rule at 100, goal {FLAT_GOAL}")
    slower = (made[-1][2] + made[-1][3]) / (made[1][2] + made[1][3])
    if slower > LINEAR_GOAL:
        missed.append(f"compiling: {slower:.2f} x the time per rule at 1000, goal {LINEAR_GOAL}")
    if cel:
        middle = sorted(times[-1])[len(times[-1]) // 2]
        faster = ratio(times[-1], times[-2])
        lines.append(
            f"| {cel.name}: {faster:.1f} x ours | {shown(middle)} | {shown(middle / SIZES[-1])} | | | |"
        )
        if faster < CEL_GOAL:
            missed.append(f"Rust CEL with {SIZES[-1]} rules: {faster:.1f} x ours, goal {CEL_GOAL}")
    return lines, missed
