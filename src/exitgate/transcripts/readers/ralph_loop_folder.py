"""Where a loop keeps what: its logs, outputs and state files, in one folder or in `logs` below it."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.transcripts.place import Place
from exitgate.transcripts.readers.ralph_lines import parsed
from exitgate.transcripts.readers.ralph_log import LAUNCH, LOOP, TURN
from exitgate.transcripts.readers.ralph_outputs import LOG, PREFIX, is_output
from exitgate.transcripts.readers.ralph_plan import NAMES as PLANS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.readers.ralph_log import Marks

_LOGS, _MAIN, _ALIKE = "logs/", "ralph.log", "ralph"
#: Folders that have no name of their own.
_NAMELESS = (".ralph", "ralph", "logs")
#: State files without their leading dot, and what else such a loop leaves beside them.
STATES = (
    "status.json", "progress.json", "exit_signals", "response_analysis", "circuit_breaker_state",
    "circuit_breaker_history", "ralph_session", "ralph_session_history", "call_count", "token_count",
    "last_reset", "loop_start_sha", "last_output_length", "claude_session_id", "metrics.jsonl",
    "live.log", "PROMPT.md",
)  # fmt: skip
_PROMPTS = ("PROMPT.md", ".harness-prompt.md")
#: What the loop writes beside its outputs, too: what a process left on stderr, that its time was up.
_OTHERS = ("timeout-report-", "claude_stderr_")
#: Bytes of a log that its loop is known from.
_HEAD = 65_536


class Kept(Value):
    """
    The files of a loop.

    Args:
        name: Of the folder, without folders that have no name of their own.
        place: The folder.
        logs: Its logs, the oldest first.
        console: What its console showed, kept in a log beside them, or None.
        outputs: Folder of the outputs.
        output_names: Names of files there.
        plan: The plan's file, or None.
        prompt: The prompt's file, or None.
        states: Name without a leading dot -> state file.
        claimed: Names below the folder of all of these.
    """

    __slots__ = (
        "claimed",
        "console",
        "logs",
        "name",
        "output_names",
        "outputs",
        "place",
        "plan",
        "prompt",
        "states",
    )

    def __init__(
        self,
        name: str,
        place: Place,
        logs: tuple[Place, ...],
        outputs: Place,
        output_names: tuple[str, ...],
        plan: Place | None,
        prompt: Place | None,
        states: dict[str, Place],
        claimed: frozenset[str],
        console: Place | None = None,
    ) -> None:
        self.name = name
        self.console = console
        self.place = place
        self.logs = logs
        self.outputs = outputs
        self.output_names = output_names
        self.plan = plan
        self.prompt = prompt
        self.states = states
        self.claimed = claimed


def kept_in(look: Look) -> Kept | None:
    """Return the files of a loop in a folder, None where it keeps neither a log nor an output there."""
    place = look.place
    found = _inner(look)
    if found is None:
        return None
    inner, prefix = found
    where = place.at("logs", is_folder=True) if prefix else place
    logs = tuple(where.at(name) for name in _logs(inner))
    console = _MAIN if prefix and _MAIN in look.names else None
    shown = None if console is None else place.at(console)
    if not logs and shown is not None:
        logs, shown = (shown,), None
    outputs = tuple(name for name in inner if is_output(name))
    beside = (*look.names, *(prefix + name for name in inner if prefix))
    states = {bare: place.at(name) for name in reversed(beside) if (bare := _bare(name)) in STATES}
    plan, prompt = _first(PLANS, beside), _first(_PROMPTS, beside)
    claimed = {prefix + name for name in (*_logs(inner), *outputs)}
    claimed |= {console} if console is not None else set()
    claimed |= {name for name in beside if _bare(name) in STATES or name in (plan, prompt)}
    claimed |= {prefix + name for name in inner if name.startswith(_OTHERS)}
    return Kept(
        _name(place),
        place,
        logs,
        where,
        outputs,
        place.at(plan) if plan else None,
        place.at(prompt) if prompt else None,
        states,
        frozenset(claimed),
        shown,
    )


def _inner(look: Look) -> tuple[tuple[str, ...], str] | None:
    """
    Return the names where the loop keeps outputs and log, and the folder's name before them; else None.

    A log beside the folder of logs is what its console showed, and no other loop's, unless outputs lie there.
    """
    own = has_any(look.names)
    if _LOGS in look.names and not any(is_output(name) for name in look.names):
        try:
            inner = look.place.at("logs", is_folder=True).names()
        except OSError:
            inner = ()
        if has_any(inner):
            return inner, _LOGS
    return (look.names, "") if own else None


def _bare(name: str) -> str:
    """Return the name of a file without its folder and without a leading dot."""
    return name.rpartition("/")[2].removeprefix(".")


def _first(wanted: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for want in wanted for name in names if name.rpartition("/")[2] == want), None)


def has_any(names: Sequence[str]) -> bool:
    """Return whether a log of a loop or an output is among the names of a folder."""
    return _MAIN in names or any(is_output(name) for name in names)


def _logs(names: Sequence[str]) -> list[str]:
    """Return the names of the loop's own logs: rotated ones first, or else those named like it."""
    rotated = [n for n in names if n.startswith(f"{_MAIN}.") and n[len(_MAIN) + 1 :].isdigit()]
    if _MAIN in names:
        return [*sorted(rotated, key=lambda n: -int(n[len(_MAIN) + 1 :])), _MAIN]
    return [n for n in names if n.startswith(_ALIKE) and n.endswith(LOG) and not n.startswith(PREFIX)]


def _name(place: Place) -> str:
    while place.name in _NAMELESS and place.parent().name not in ("", ".", ".."):
        place = place.parent()
    return place.name


def speaks(text: str, marks: Marks) -> bool:
    """Return whether the lines of a log's beginning are those of the loop with these marks."""
    from exitgate.transcripts.readers.ralph_log import lead_of

    begins = [mark for mark, says, _ in marks if says in (LOOP, TURN)]
    starts = [mark for mark, says, _ in marks if says == LAUNCH]
    found = False
    for line in text.split("\n"):
        read = parsed(line.rstrip("\r"))
        if read is None:
            continue
        lead = lead_of(read.text)
        if lead.startswith(tuple(begins)):
            return True
        found = found or any(lead == mark or (mark[-1] == " " and lead.startswith(mark)) for mark in starts)
    return found


def head_of(place: Place) -> str:
    """Return the beginning of a file as text, empty where it cannot be read."""
    try:
        return place.head(_HEAD).decode("utf-8-sig", "replace")
    except OSError:
        return ""
