"""Facts and the evidence for them."""

from __future__ import annotations

from exitgate.model.value import Value

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
        value: As `exitgate.model.type.Type` says for the fact's type, or `Unknown`.
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
