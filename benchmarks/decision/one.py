"""One decision of the BB3 chain: hand-written, exitgate, and every peer that is installed."""

from __future__ import annotations

from statistics import median

import ours
from cases import FLAT, WANTED, by_hand
from peers import PEERS, PYTHON, version
from timing import Contender, race, ratio, shown


def _peers() -> tuple[list[tuple[Contender, float | None]], list[str]]:
    """Return the peers that give right answers, and a line on each that does not run."""
    found, absent = [], []
    for distribution, (name, build, goal) in PEERS.items():
        try:
            contender = Contender(f"{name} ({distribution} {version(distribution)})", build(), FLAT)
        except ImportError as error:
            absent.append(f"not installed: {distribution}: {error}")
            continue
        answers = contender.answers()
        if answers == WANTED:
            found.append((contender, goal))
        else:
            absent.append(f"wrong answers, not timed: {distribution}: {answers}")
    return found, absent


def table(rounds: int) -> tuple[list[str], list[str], list[str]]:
    """Return the lines of the table, the goals that were missed, and who is absent."""
    hand = Contender("hand-written if chain, no unknowns, no result", by_hand, FLAT)
    assert hand.answers() == WANTED
    mine = ours.contenders()
    peers, absent = _peers()
    code = compile(PYTHON, "<chain>", "eval")
    bare = Contender("`eval` of one code object, no engine", lambda facts: eval(code, {}, facts), FLAT)
    assert bare.answers() == WANTED
    contenders = [hand, bare, *mine, *(contender for contender, _goal in peers)]
    times = dict(zip(contenders, race(contenders, rounds, 0.02), strict=True))
    base, best = times[hand], times[mine[0]]
    rows = []
    missed = []
    goals = dict(peers)
    for contender in contenders:
        by, over = ratio(times[contender], base), ratio(times[contender], best)
        rows.append((by, f"| {contender.name} | {shown(median(times[contender]))} | {by:.2f} | {over:.2f} |"))
        limit = ours.GOALS.get(contender.name)
        if limit is not None and by > limit:
            missed.append(f"{contender.name}: {by:.2f} x hand-written, goal {limit}")
        goal = goals.get(contender)
        if goal is not None and over < goal:
            missed.append(f"{contender.name}: {over:.2f} x exitgate, goal {goal}")
    lines = ["| one decision | median | x hand-written | x exitgate |", "|---|---:|---:|---:|"]
    return [*lines, *(line for _by, line in sorted(rows))], missed, absent
