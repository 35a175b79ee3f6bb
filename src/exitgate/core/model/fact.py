"""Facts and the evidence for them."""

from __future__ import annotations

from exitgate.core.model.json_object import as_object
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.model.value import Type


EXCERPT_LIMIT = 200


class Evidence(Value):
    """
    The stretch of a source that a fact rests on.

    Args:
        source: Name of the source (`response`, `plan`, ...).
        line: 1-based line in the source.
        column: 1-based column in characters.
        start: 0-based offset in characters of the match in the source's text.
        end: Offset after the match.
        excerpt: The text around or of the match, at most `EXCERPT_LIMIT` characters, as it is.
        note: What was seen there, for people: ``phrase project-complete, weight 2``.
        guard: Name of the guard that kept the match from counting, or None where it counts.
    """

    __slots__ = ("column", "end", "excerpt", "guard", "line", "note", "source", "start")

    def __init__(
        self,
        source: str,
        line: int,
        column: int,
        start: int,
        end: int,
        excerpt: str,
        note: str = "",
        guard: str | None = None,
    ) -> None:
        self.source = source
        self.line = line
        self.column = column
        self.start = start
        self.end = end
        self.excerpt = excerpt[:EXCERPT_LIMIT]
        self.note = note
        self.guard = guard


class Fact(Value):
    """
    A named, typed value of one iteration, with its evidence, or unknown with the reason.

    Args:
        name: Full dotted name, for example ``tasks.done``.
        value: As `exitgate.core.model.value.Type` says for the fact's type, or `Unknown`.
        evidence: What the value rests on.
        rejected: Matches that did not count, each with the guard that refused it.
        note: A remark for people on how the value came about (``10, at most 45``).
    """

    __slots__ = ("evidence", "name", "note", "rejected", "value")

    def __init__(
        self,
        name: str,
        value: object,
        evidence: tuple[Evidence, ...] = (),
        rejected: tuple[Evidence, ...] = (),
        note: str = "",
    ) -> None:
        self.name = name
        self.value = value
        self.evidence = evidence
        self.rejected = rejected
        self.note = note


# What an extractor promises about a fact before any text is seen.


class FactSpec(Value):
    """
    Name, type, range and meaning of a fact.

    Args:
        name: In an extractor: the part behind the policy's prefix (``percent``; the empty text
            for the prefix itself). In a compiled policy: the full name (``tasks.percent``).
        type: Its type.
        doc: What it means, one sentence.
        unknown_when: When it is unknown, as a sentence part; the empty text for a detector that
            always knows on a readable source.
        low: Smallest value, or None.
        high: Largest value, or None.
        read: True for a fact read from what the agent said or did (response, output, plan, diff,
            ...); False for clocks, limits, breaker and run counters. Decides what "blind" means.
    """

    __slots__ = ("doc", "high", "low", "name", "read", "type", "unknown_when")

    def __init__(
        self,
        name: str,
        type: Type,
        doc: str,
        unknown_when: str = "",
        low: float | None = None,
        high: float | None = None,
        read: bool = True,
    ) -> None:
        self.name = name
        self.type = type
        self.doc = doc
        self.unknown_when = unknown_when
        self.low = low
        self.high = high
        self.read = read


# What `observe` hands to the extractors.


class Source(Value):
    """
    A named text or record that an iteration offers.

    A readable source has `text` or `record`; one that could not be had has neither and says why in
    `reason`. An empty text is readable.

    Args:
        name: `response`, `output`, `plan`, `task`, `git`, `circuit`, `clock`, `run`, ...
        text: Its text, line ends and bytes as they were decoded; None when missing.
        record: For structured sources: plain JSON values.
        path: Where it was read from, for people, or None.
        reason: Why it is missing, as a sentence part.
        warnings: Remarks on reading it (``3 bytes were not UTF-8``).
        absent: True where it was looked for and there is no such file, which is not the same as one
            that cannot be read.
        digest: Of what was read, where `text` was taken out of it; empty where they are the same.
        written: Stands for when the file was written; empty where that cannot be reported.
    """

    __slots__ = ("absent", "digest", "name", "path", "reason", "record", "text", "warnings", "written")

    def __init__(
        self,
        name: str,
        text: str | None = None,
        record: Mapping[str, object] | None = None,
        path: str | None = None,
        reason: str = "",
        warnings: tuple[str, ...] = (),
        absent: bool = False,
        digest: str = "",
        written: str = "",
    ) -> None:
        self.name = name
        self.text = text
        self.record = None if record is None else as_object(record)
        self.path = path
        self.reason = reason
        self.warnings = warnings
        self.absent = absent
        self.digest = digest
        self.written = written


class Iteration(Value):
    """
    One agent turn as far as it could be observed. Pure input of extraction.

    Args:
        number: 1-based number within the run.
        run: Id of the run, ``name#n``.
        time: Seconds since the epoch at the check.
        sources: By name. A source that is not in here was not offered at all.
        earlier: By source name, its texts in earlier iterations, oldest first, for extractors
            that declare they need them; None for an iteration whose text is not known.
    """

    __slots__ = ("earlier", "number", "run", "sources", "time")

    def __init__(
        self,
        number: int,
        run: str,
        time: float,
        sources: Mapping[str, Source],
        earlier: Mapping[str, tuple[str | None, ...]] | None = None,
    ) -> None:
        self.number = number
        self.run = run
        self.time = time
        self.sources = sources
        self.earlier = earlier or {}

    def source(self, name: str) -> Source:
        """Return the source, or one without text that says it was not given."""
        found = self.sources.get(name)
        return found if found is not None else Source(name, reason=f"no {name} was given")

    def calls(self) -> Sequence[object] | None:
        """Return the single calls of tools in the source `tool_calls`, None where it has none."""
        record = self.source("tool_calls").record
        return None if record is None or record.get("calls") is None else record.array("calls")
