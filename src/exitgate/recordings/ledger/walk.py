"""A ledger walked from its beginning or its end, each line with what a check saw before it was written."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from exitgate.core.gate.idempotency import response_of
from exitgate.core.ledger.file import RefusingNewer, parse, path_in
from exitgate.core.ledger.line import DECISION, EXPIRED, OF_VALUE, RUN_START
from exitgate.core.ledger.past import Past
from exitgate.core.ledger.read import Damage, raw_lines
from exitgate.core.ledger.runs import name_of
from exitgate.core.model.json_object import JsonObject

Chain = list[tuple[int, JsonObject]]


#: What history needs of a line; a long ledger is walked without keeping all of it.
_KEPT = ("sequence", "run", "kind", "iteration", "time", "facts", "totals", "reason", "retry_at")
_KEPT_OF_DECISION = ("verdict", "class", "stage", "blind", "retry_at")


#: Lines of one run that are kept at most; no condition reads further back.
REACH = 10_000


class Before:
    """
    The lines of a line's run as a check found them before that line was written.

    A line knows the one before it in its run by offset. Where that one is damaged, a check could
    read no further back either, so what lies before it is left out here too.
    """

    __slots__ = ("_chain", "response")

    def __init__(self, chain: Chain, response: str | None) -> None:
        self._chain = chain
        #: Digest of the response in the newest line of the name, of any run, if it had one.
        self.response = response

    @property
    def begun(self) -> bool:
        """Whether the run was there before the check: made by an earlier one, or by hand."""
        newest = self._chain[-1][1] if self._chain else None
        if newest is None:
            return False
        return len(self._chain) > 1 or newest.get("kind") != RUN_START or "reason" in newest

    def tail(self, run: str, limit: int) -> tuple[JsonObject, ...]:  # noqa: ARG002
        """Return the newest `limit` lines of the run, newest last; good until the walk continues."""
        return tuple(line for _, line in self._chain[-limit:]) if limit > 0 else ()


class BeforeByLinks(Before):
    """The same, read from the ledger by the offsets in the line where it is asked for."""

    __slots__ = ("_ledger", "_line", "_offset")

    def __init__(self, ledger: Past, offset: int, line: JsonObject) -> None:
        self._ledger = ledger
        self._offset = offset
        self._line = line
        chain = [(0, one) for one in islice(ledger.before(line, offset), 2)]
        earlier = ledger.name_before(line, offset)
        super().__init__(chain[::-1], next((response_of(one) for one in earlier if _answers(one)), None))

    def tail(self, run: str, limit: int) -> tuple[JsonObject, ...]:  # noqa: ARG002
        """Return the newest `limit` lines of the run, newest last."""
        found = islice(self._ledger.before(self._line, self._offset), max(limit, 0))
        return tuple(_slim(one) for one in found)[::-1]


def walk_back(
    directory: str, count: int, run: str | None = None, damages: list[Damage] | None = None
) -> Iterator[tuple[JsonObject, Before]]:
    """
    Yield the newest `count` decisions, of runs of a name where one is given, as `walk` would; oldest first.

    Reads these lines and those that come before them in their runs, not the rest of the ledger.

    Raises:
        ExitgateError: As `walk`.
    """
    with Past(directory) as ledger:
        decisions = (one for one in ledger.newest_first(run) if one[1].get("kind") == DECISION)
        newest = list(islice(decisions, count))
        if damages is not None:
            damages += ledger.damages()
        for offset, line in reversed(newest):
            yield line, BeforeByLinks(ledger, offset, line)


def walk(directory: str, damages: list[Damage] | None = None) -> Iterator[tuple[JsonObject, Before]]:
    """
    Yield each good line with what was there before it, oldest first.

    Memory: at most twice `REACH` lines of the current run of each name, without evidence and steps.

    Raises:
        ExitgateError: 74 when the ledger cannot be read or holds a line of a newer version.
    """
    chains: dict[str, Chain] = {}
    responses: dict[str, str | None] = {}
    for number, (offset, raw, whole) in enumerate(raw_lines(directory), 1):
        with RefusingNewer(path_in(directory)):
            line = parse(raw) if whole else None
        if line is None:
            if damages is not None:
                damages.append(Damage(number, offset, "it is damaged" if whole else "it is unfinished"))
            continue
        name = name_of(str(line["run"]))
        chain = chains[name] = _linked(chains.get(name, []), line)
        yield line, Before(chain, responses.get(name))
        if _answers(line):
            responses[name] = response_of(line)
        chain.append((offset, _slim(line)))
        if len(chain) > 2 * REACH:
            del chain[:-REACH]


def _answers(line: JsonObject) -> bool:
    """Return whether a line says what response there was, or that there was none."""
    return line.get("kind") not in (RUN_START, EXPIRED) or "sources" in line


def _linked(chain: Chain, line: JsonObject) -> Chain:
    """Return the lines of the line's run that can be reached from it."""
    place = line.get("run_prev")
    if chain and chain[-1][0] == place:
        return chain
    offsets = [offset for offset, _ in chain]
    return chain[: offsets.index(place) + 1] if place in offsets else []


def _slim(line: JsonObject) -> JsonObject:
    kept = JsonObject({key: line[key] for key in _KEPT if key in line})
    if decision := line.object("decision"):
        kept["decision"] = {key: decision[key] for key in _KEPT_OF_DECISION if key in decision}
    if facts := line.object("facts"):
        kept["facts"] = {name: _value_of(fact) for name, fact in facts.items()}
    return kept


def _value_of(fact: object) -> object:
    return {key: fact[key] for key in OF_VALUE if key in fact} if isinstance(fact, dict) else fact
