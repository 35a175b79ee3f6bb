"""What `observe` hands to the extractors."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
        self.record = record
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
        found = record.get("calls") if record else None
        return found if isinstance(found, list | tuple) else None
