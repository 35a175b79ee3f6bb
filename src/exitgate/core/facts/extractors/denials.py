"""
Tools that the agent wanted to use and was not allowed to, by the runner's own list: never from prose.

A denial blocks unless the patterns under `allow` cover what was asked for: then the runner refused it
only because it was written as a compound command, and the agent can ask again in another way.
"""

from __future__ import annotations

from exitgate.core.facts.turn.calls import covers, is_compound, split_patterns
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact, FactSpec
from exitgate.core.model.json_object import object_of
from exitgate.core.model.value import BOOL, COUNT, TEXT, Type, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "denials"
SOURCE = "result"
OPTIONS: dict[str, object] = {
    "allow": {
        "description": "Patterns of allowed tools: `Write`, `Bash(mvn *)`, `Bash(git log:*)`; a list, or "
        "one text with commas between them. A denial that they cover is counted but does not block.",
        "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}],
    },
    "compound_only": {
        "description": "Whether `allow` covers only command lines of several commands or with redirections. "
        "A plain command that it allows was then refused for another reason, and blocks.",
        "type": "boolean",
        "default": False,
        "examples": [True],
    },
    "lexicon": {
        "description": "Name or path of a lexicon of the messages returned instead of a tool's result if "
        "the tool was not allowed: for responses that show single calls but have no list of denials.",
        "type": "string",
        "examples": ["refusals"],
    },
    "filters": {
        "description": "Programs that need no pattern of their own next to other "
        "commands on a line: those that only show or pass on their input, and `cd`.",
        "type": "array",
        "items": {"type": "string"},
        "default": [
            "cat",
            "cd",
            "cut",
            "grep",
            "head",
            "nl",
            "pwd",
            "sort",
            "tail",
            "tr",
            "true",
            "uniq",
            "wc",
        ],
    },
}
#: The programs where the policy names none.
_FILTERS = object_of(OPTIONS["filters"]).texts("default")

_MISSING = "without a response"
_SPECS = (
    FactSpec("count", COUNT, "Denials in this iteration, covered ones included.", _MISSING, low=0),
    FactSpec("blocking", BOOL, "At least one denial is not covered by `allow`.", _MISSING),
    FactSpec("denied", Type("list", item=TEXT), "Each denial as `Tool(input)`.", _MISSING),
)
#: A denial as a text is cut off at this many characters.
_SHOWN = 200
#: Fields of a record that holds how the agent ended and nothing of what it did.
_STATUS_ALONE = frozenset(("agent_exit", "utc_offset"))
_COVERED = "covered"


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """
    Return the denials in the source's record, a list of ``{tool, input}``.

    A response of a format without such a list has none: known, as for every detector.
    """
    given = iteration.source(source)
    if given.record is None:
        return tuple(
            Fact(f"{prefix}.{spec.name}", Unknown(given.reason, f"{prefix}.{spec.name}")) for spec in _SPECS
        )
    response = iteration.source("response")
    if response.text is None and not given.record.keys() - _STATUS_ALONE:
        # an exit status alone shows no work in which anything could have been refused
        return tuple(
            Fact(f"{prefix}.{spec.name}", Unknown(response.reason, f"{prefix}.{spec.name}"))
            for spec in _SPECS
        )
    allow = split_patterns(options.get("allow"))
    filters = options.texts("filters") if "filters" in options else _FILTERS
    any_form = not options.flag("compound_only")
    denied, blocking, covered = [], [], []
    for tool, input in _denials(given.record) or _returned(given.record, options, iteration):
        shown = f"{tool}({input})"[:_SHOWN]
        denied.append(shown)
        if (any_form or is_compound(input)) and covers(allow, tool, input, filters):
            covered.append(_evidence(source, shown, "covered by `allow`", _COVERED))
        else:
            blocking.append(_evidence(source, shown, "denied"))
    return _facts(prefix, denied, blocking, covered)


def _facts(
    prefix: str, denied: Sequence[str], blocking: Sequence[Evidence], covered: Sequence[Evidence]
) -> tuple[Fact, ...]:
    note = f"{len(covered)} covered by `allow`" if covered else ""
    return (
        Fact(f"{prefix}.count", len(denied), (*blocking, *covered), note=note),
        Fact(f"{prefix}.blocking", bool(blocking), tuple(blocking), tuple(covered)),
        Fact(f"{prefix}.denied", tuple(denied), (*blocking, *covered)),
    )


def _denials(record: JsonObject) -> list[tuple[str, str]]:
    given = record.objects("denials")
    return [(tool, one.text("input", "")) for one in given if (tool := one.text("tool"))]


def _returned(record: JsonObject, options: JsonObject, iteration: Iteration) -> list[tuple[str, str]]:
    """Return the calls that were refused by what came back, where the record has no list."""
    told = iteration.calls()
    if "lexicon" not in options or record.get("denials") is not None or told is None:
        return []
    from exitgate.core.facts.turn.calls import of_calls

    return list(of_calls(told, options))


def _evidence(source: str, shown: str, note: str, guard: str | None = None) -> Evidence:
    return Evidence(source, 1, 1, 0, 0, shown[:EXCERPT_LIMIT], note, guard)
