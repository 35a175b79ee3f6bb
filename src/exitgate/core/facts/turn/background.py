"""Commands and agents that a call began in the background and that are not seen to have ended."""

from __future__ import annotations

from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons.lexicon import Lexicon
from exitgate.core.facts.turn.calls import shown
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence
from exitgate.core.model.json_object import object_of, objects_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.model.json_object import JsonObject


#: The source that evidence names.
SOURCE = "tool_calls"
#: Calls that are looked at, the last ones, and characters of a result in which its lines are looked at.
CALLS_LIMIT, RESULT_LIMIT = 500, 4_000
#: Lines of a result that may say that work has begun, and work under way that is kept in mind.
FIRST_LINES, KEPT = 3, 100
#: Tools of Claude Code that stop work in the background.
STOPS = ("KillBash", "KillShell", "TaskStop")
#: Roles of the lexicon's entries.
RUNNING, FINISHED = "running", "finished"


class Words(Value):
    """A lexicon, and the indices of the patterns that say that work runs, and that it has ended."""

    __slots__ = ("finished", "lexicon", "running")

    def __init__(self, lexicon: Lexicon, running: frozenset[int], finished: frozenset[int]) -> None:
        self.lexicon = lexicon
        self.running = running
        self.finished = finished

    def says(self, role: frozenset[int], line: str) -> bool:
        """Return whether a pattern of a role occurs in a line."""
        patterns = self.lexicon.patterns
        return patterns is not None and not role.isdisjoint(patterns.which(line))


def left_running(calls: Sequence[object], options: JsonObject) -> tuple[int, tuple[Evidence, ...]]:
    """
    Return how many of the calls began work in the background that is not seen to have ended, with evidence.

    A call begins it where its input asks for it, the program or its result says so. It has ended where the
    program reported its end, where a later call stopped it, or what a later call gave back says so: such a
    call names it by a word of the first's result.
    """
    words = _words(options)
    under_way: list[tuple[str, JsonObject]] = []
    for call in objects_of(calls[-CALLS_LIMIT:]):
        told = call.text("result", "")[:RESULT_LIMIT]
        if under_way and (named := _names(call.get("input"))):
            named = tuple(name for name in named if any(name in began for began, _ in under_way))
            stopped = call.text("tool") in STOPS and not call.flag("error")
            if named and (stopped or any(words.says(words.finished, line) for line in told.splitlines())):
                under_way = [one for one in under_way if not any(name in one[0] for name in named)]
        if _begins(call, told, words) and len(under_way) < KEPT:
            under_way.append((told, call))
    return len(under_way), tuple(_evidence(call) for _, call in under_way[:10])


def _begins(call: JsonObject, told: str, words: Words) -> bool:
    if call.flag("ended") or call.flag("error"):
        return False
    if call.flag("background") or call.object("input").flag("run_in_background"):
        return True
    return any(words.says(words.running, line) for line in told.split("\n", FIRST_LINES)[:FIRST_LINES])


def _names(input: object) -> tuple[str, ...]:
    """Return the short texts that a call was given, one of which may name work under way."""
    return tuple([one for one in object_of(input).own_texts() if 0 < len(one) <= 80 and " " not in one])


def _evidence(call: JsonObject) -> Evidence:
    said = f"{call.get('tool') or ''} {shown(call.get('input'))}".strip()
    return Evidence(SOURCE, 1, 1, 0, 0, said[:EXCERPT_LIMIT])


@lexicons.kept
def _words(options: JsonObject) -> Words:
    lexicon = lexicons.ready(options.object("lexicon"))
    roles = [entry.options.get("reports") for entry in lexicon.patterned()]
    running = frozenset(n for n, role in enumerate(roles) if role == RUNNING)
    finished = frozenset(n for n, role in enumerate(roles) if role == FINISHED)
    return Words(lexicon, running, finished)
