"""Rows of transcripts into a dataset, many transcripts to a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from exitgate.core.model.decision import CANNOT_WRITE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.fleet.dataset.rows import Row, Writing, rows_of
from exitgate.fleet.dataset.store import Dataset
from exitgate.recordings.replay.transcript import ReplayedTranscript

#: Rows that are written together: files of some megabytes, and little to hold.
MANY = 100_000


class Writer:
    """
    Takes what came of transcripts, and appends it in parts.

    What is appended is known by its content: the same runs under the same policies are there once. A run that
    has grown is there once more, and newer.

    Args:
        target: Of the dataset.
        writing: How rows are written.

    Raises:
        ExitgateError: 65 and 64 as `Dataset` does; 73 where it cannot be written.
    """

    def __init__(self, target: str, writing: Writing) -> None:
        self._target = target
        with self._written():
            self._data = Dataset(target)
        self._writing = writing
        self._tables: dict[str, list[Row]] = {}
        self._count = 0
        #: Runs under policies, and how many of them were there already.
        self.runs = self.known = 0

    def add(self, walked: ReplayedTranscript) -> None:
        """Take the next transcript. Raises `ExitgateError` (73)."""
        for table, rows in rows_of(walked, self._writing).items():
            self._tables.setdefault(table, []).extend(rows)
            self._count += len(rows)
        if self._count >= MANY:
            self.flush()

    def flush(self) -> None:
        """Append what was taken. Raises `ExitgateError` (73)."""
        if self._count:
            digest = hashlib.sha256(msgspec.json.encode(self._tables)).hexdigest()
            runs = len(self._tables["runs"])
            self.runs += runs
            with self._written():
                if not self._data.append(self._tables, key=digest):
                    self.known += runs
        self._tables, self._count = {}, 0

    @contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            message = f"cannot write the dataset `{self._target}`: {error.strerror or error}"
            problem = Diagnostic("EP880", message, help="check the folder or the store, and run it again")
            raise ExitgateError([problem], CANNOT_WRITE) from error
