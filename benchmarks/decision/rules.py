"""Many rules: cost for each when only the last one is true, and what compiling one costs."""

from __future__ import annotations

import time
from collections.abc import Sequence

from timing import Contender, race, ratio, shown

from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.chain import compile_chain
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import COUNT, Type

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
