"""
The transcript of a run that `exitgate run` keeps: JSON lines, appended, each written with one call.

    {"exitgate_run": 1, "kind": "begin", ...}       a loop takes the run up, for the first time or again
    {"exitgate_run": 1, "kind": "start", ...}       an agent is about to begin; without a `pid`: it could not
    {"exitgate_run": 1, "kind": "iteration", ...}   it ended: all that it said, and how
    {"exitgate_run": 1, "kind": "decided", ...}     what was decided on it, and what else was looked at
    {"exitgate_run": 1, "kind": "end", ...}         the loop let the run go

It is for people, `dry-run` and `report`. What decides, and which iteration is next, the ledger alone says;
but what an agent said must be kept before it is decided on: a loop that was killed in between decides then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from exitgate.core.facts.registry import own_files
from exitgate.core.gate.decision import CheckResult
from exitgate.core.system import portable, safe_files
from exitgate.core.system.digest import hex_digest
from exitgate.core.system.quick_json import dumps_finite, loads
from exitgate.hosts.loop import paths
from exitgate.hosts.loop.codes import cannot_keep, cannot_recall

#: Bytes of the largest transcript, and of its longest line, that are read again.
LARGEST, LONGEST_LINE = 4_000_000_000, 256_000_000

MARK, FORMAT = "exitgate_run", 1
BEGIN, START, ITERATION, DECIDED, END = "begin", "start", "iteration", "decided", "end"


class Transcript:
    """
    The file of run id `run`, made with the first line (0600).

    A text that is the same as the one before in the same place is written as its digest only.
    """

    def __init__(self, directory: str, run: str) -> None:
        self.run = run
        self.path = paths.transcript_path(directory, run)
        self._last: dict[str, str] = {}

    def append(self, kind: str, line: Mapping[str, object]) -> None:
        """
        Write one line; when this returns, it is on the disk.

        Raises:
            ExitgateError: 73 where it cannot be written whole; then nothing of it stays.
        """
        raw = dumps_finite({MARK: FORMAT, "kind": kind, "run": self.run, **line}).encode("ascii") + b"\n"
        try:
            descriptor = safe_files.writing(self.path, append=True, read=True)
            try:
                _write(descriptor, raw)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise cannot_keep(self.path, error) from error

    def text(self, place: str, text: str | None) -> dict[str, object] | None:
        """Return how a text is written: its digest, and itself where the last one in `place` was another."""
        if text is None:
            return None
        digest = hex_digest(text.encode("utf-8", "surrogatepass"))
        known = self._last.get(place) == digest
        self._last[place] = digest
        return {"digest": digest} if known else {"digest": digest, "text": text}


def lines(directory: str, run: str) -> Iterator[dict[str, object]]:
    """
    Yield the whole lines of a run's transcript, oldest first; none where there is no transcript.

    What is damaged or torn is passed over. Raises `ExitgateError` (74) where it cannot be read.
    """
    path = paths.transcript_path(directory, run)
    try:
        with safe_files.stream(path, limit=LARGEST) as file:
            while raw := file.readline(LONGEST_LINE):
                line = parse(raw)
                if line is not None:
                    yield line
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_recall(path, error) from error


def parse(raw: bytes) -> dict[str, object] | None:
    """Return the line that `raw` holds, None for one that is torn, damaged or of another kind of file."""
    try:
        found = loads(raw) if raw.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get(MARK) == FORMAT else None


def _write(descriptor: int, raw: bytes) -> None:
    """Write a line behind the last whole one. Raises OSError; then the file is as it was."""
    end = os.fstat(descriptor).st_size
    torn = end > 0 and portable.pread(descriptor, 1, end - 1) != b"\n"
    whole = b"\n" + raw if torn else raw  # what a killed loop left unfinished stays, on a line of its own
    try:
        left = memoryview(whole)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, end)
        raise


# What a check looked at beside what the agent said, as the transcript keeps it.

#: Field of git's record that grows with the working tree and that no fact is read from.
_DIGESTS = "dirty"


def observed_in(checked: CheckResult, into: Transcript) -> dict[str, object]:
    """
    Return the plan, the files that facts name, what git and an external breaker say, and answers of probes.

    What was not looked at, or was missing, is left out.
    """
    sources = checked.iteration.sources
    seen: dict[str, object] = {}
    plan = sources.get("plan")
    if plan is not None and plan.text is not None:
        seen["plan"] = into.text("plan", plan.text)
    for name in ("git", "circuit"):
        source = sources.get(name)
        if source is not None and source.record is not None:
            seen[name] = {key: value for key, value in source.record.items() if key != _DIGESTS}
    files: dict[str, object] = {}
    for entry in checked.policy.extractions:
        path, source = entry.options.get("file"), sources.get(entry.source)
        if own_files(entry.extractor) and isinstance(path, str) and source is not None:
            text = into.text(f"file {path}", source.text)
            files |= {} if text is None else {path: text}
    some = {"files": files, "probes": dict(checked.probes)}
    return {**seen, **{name: found for name, found in some.items() if found}}
