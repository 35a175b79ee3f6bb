"""Whether and how much the agent used its tools."""

from __future__ import annotations

from exitgate.core.facts.records import count
from exitgate.core.facts.text.structure import is_commit
from exitgate.core.facts.turn.calls import LINE_LIMIT, whole_line
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact, FactSpec
from exitgate.core.model.json_object import JsonObject, object_of, objects_of
from exitgate.core.model.value import BOOL, COUNT, TEXT, Type, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.model.fact import Iteration


NAME = "tools"
#: Characters of a result in which git says that it made a commit.
RESULT_LIMIT = 16_000
SOURCE = "result"
OPTIONS: dict[str, object] = {
    "lexicon": {
        "description": "Name or path of a lexicon of the results of calls that begin or end "
        "background work. By default only calls count whose input asks for it (`run_in_background`).",
        "type": "string",
        "examples": ["background"],
    },
}

_MISSING = (
    "also if a call may be missing: a line could not be read, two calls have one id, a call has no readable "
    "input, sub-agents made calls"
)
_SPECS = (
    FactSpec(
        "turns", COUNT, "Turns of the agent in this iteration.", "if the response does not say it", low=0
    ),
    FactSpec(
        "calls",
        COUNT,
        "Tool calls of the agent itself, refused ones included, without those of its sub-agents.",
        "if the response does not show single calls: plain text, or a single result",
        low=0,
    ),
    FactSpec(
        "committed",
        BOOL,
        "A command made a commit, according to git's output.",
        "if no call is known to have made one: files may still have changed",
    ),
    FactSpec(
        "background",
        COUNT,
        "Commands and agents started in the background that are not known to have ended.",
        "if the response does not show single calls",
        low=0,
    ),
    FactSpec(
        "todos_open",
        COUNT,
        "Entries of the agent's own to-do list that its last call in this iteration leaves open.",
        "if no call is known to have written a list",
        low=0,
    ),
    FactSpec(
        "todos_waiting",
        COUNT,
        "Those of them that were not started.",
        "if no call is known to have written a list",
        low=0,
    ),
    FactSpec(
        "none",
        BOOL,
        "The agent called no tool. If single calls are not shown, it follows from the "
        "turns: each further turn answers a tool.",
        "if neither calls nor turns are known",
    ),
    FactSpec(
        "commands",
        Type("list", item=TEXT),
        "Command lines that the agent gave its tools, refused ones included, in order.",
        f"if the response does not show single calls, more than 500 of them ran a command, or one has more "
        f"than 4,000 characters; {_MISSING}",
    ),
    FactSpec(
        "written",
        Type("list", item=TEXT),
        "Files that the agent's own calls wrote, as the calls name them; commands may have changed others, "
        "which `git.paths` has.",
        f"if the response does not show single calls, or they wrote more than 500 files; {_MISSING}",
    ),
    FactSpec(
        "denied",
        Type("list", item=TEXT),
        "Calls that were refused, each as `Tool(input)`.",
        "if the response has no list of refusals (`denials` with a lexicon looks at results of calls), or "
        f"one has more than 4,000 characters; {_MISSING}",
    ),
)
_LISTED = _SPECS[-3:]
#: Facts that are kept only where a policy names them.
WHEN_ASKED = frozenset(spec.name for spec in _LISTED)
#: Items of a list, and their characters, at most: all of them or none, as a part would mislead.
LISTED_ITEMS, LISTED_CHARACTERS = 500, 32_000


#: Why a list may not be whole.
_ODD = "one has no input that can be read"
#: Why a fact is unknown if the response itself can be read.
_REASONS = {
    "turns": "the response does not say how many turns there were",
    "calls": "the response does not show single calls",
    "committed": "no call is known to have made a commit",
    "background": "the response does not show single calls",
    "todos_open": "no call is known to have written a to-do list",
    "todos_waiting": "no call is known to have written a to-do list",
    "none": "the response shows neither calls nor turns",
    "commands": "the response does not show single calls, or too many of them to list",
    "written": "the response does not show single calls, or they wrote too many files to list",
    "denied": "the response has no list of refusals",
}


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str,
    source: str,
    options: JsonObject,
    iteration: Iteration,
) -> tuple[Fact, ...]:
    """Return turns and calls in the source's record: `turns`, `tool_calls` and the list `denials`."""
    given = iteration.source(source)
    record = given.record if given.record is not None else JsonObject()
    turns, calls = count(record.get("turns")), count(record.get("tool_calls"))
    made = iteration.calls()
    told = None if made is None else [object_of(one) for one in made]
    left: int | None = None
    shown: tuple[Evidence, ...] = ()
    if told is not None:
        from exitgate.core.facts.turn.background import left_running

        left, shown = left_running(told, options)
    listed = iteration.source("tool_calls").record or JsonObject()
    lost, todos = str(listed.get("lost") or ""), listed.object("todos")
    values: dict[str, object] = {
        "turns": turns,
        "calls": calls,
        "committed": _committed(told or ()),
        "background": left,
        "todos_open": count(todos.get("open")),
        "todos_waiting": count(todos.get("waiting")),
        "none": _none(turns, calls, record),
        "commands": _commands(told, lost),
        "written": _written(listed.get("written"), told, lost),
        "denied": _denied(record.get("denials"), lost),
    }
    entries = tuple(
        Evidence("tool_calls", 1, 1, 0, 0, str(text)[:EXCERPT_LIMIT]) for text in todos.array("items")
    )
    seen = {"background": shown, "todos_open": entries, "todos_waiting": entries}
    return tuple(
        Fact(
            name,
            _named(value, name) if value is not None else Unknown(given.reason or _REASONS[short], name),
            seen.get(short, ()),
        )
        for short, value in values.items()
        for name in (f"{prefix}.{short}",)
    )


def _named(value: object, name: str) -> object:
    return Unknown(value.reason, name) if isinstance(value, Unknown) else value


def _commands(calls: Sequence[JsonObject] | None, lost: str) -> object:
    """Return all command lines, or why they are not known; None where no single calls are shown."""
    if calls is None:
        return None
    found = [whole_line(one.get("input")) for one in calls]
    lines = [line.strip() for line in found if line is not None and line.strip()]
    return _whole(lines, lost or (_ODD if None in found else ""), "a command line")


def _written(paths: object, calls: Sequence[JsonObject] | None, lost: str) -> object:
    if not isinstance(paths, list | tuple):
        return None
    odd = any(one.get("input") is None for one in calls or ())
    return _whole([str(path) for path in paths], lost or (_ODD if odd else ""))


def _denied(denials: object, lost: str) -> object:
    if not isinstance(denials, list | tuple):
        return None
    calls = [one for one in objects_of(denials) if one.text("tool") is not None]
    refused = [f"{one['tool']}({one.get('input') or ''})" for one in calls]
    return _whole(refused, lost or (_ODD if len(calls) < len(denials) else ""), "a refused call")


def _whole(items: list[str], lost: str, what: str = "") -> object:
    """Return all of the items, or why that is not known: a part would mislead."""
    if lost:
        return Unknown(f"calls may be missing: {lost}")
    if what and any(len(item) > LINE_LIMIT for item in items):
        return Unknown(f"{what} has more than {LINE_LIMIT} characters")
    few = len(items) <= LISTED_ITEMS and sum(map(len, items)) <= LISTED_CHARACTERS
    return tuple(items) if few else None


def _committed(calls: Sequence[JsonObject]) -> bool | None:
    return any(_commits_something(one) for one in calls) or None


def _commits_something(call: JsonObject) -> bool:
    """Return whether a call ran a command line with a commit in it, and git says that it made one."""
    result = call.text("result", "")
    if not result or "commit" not in str(call.object("input").get("command")):
        return False
    return any(is_commit(line) for line in result[:RESULT_LIMIT].splitlines())


def _none(turns: int | None, calls: int | None, record: JsonObject) -> bool | None:
    if calls is not None:
        return calls == 0 and (turns is None or turns <= 1)
    if record.get("denials"):
        return False
    return None if turns is None else turns <= 1
