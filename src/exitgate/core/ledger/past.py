"""
What a ledger holds, found from its end or by a line's number, without reading the rest.

Lines point back to the line before in their run, and runs to the run before of their name. Sequences only
rise, so the line with a number is found by halving. Damaged lines are passed over, and kept in `holes`.
"""

from __future__ import annotations

import os
from heapq import merge
from operator import itemgetter

from exitgate.core.ledger.file import RefusingNewer, open_reading, path_in, raw_at, start_of_last, whole_size
from exitgate.core.ledger.read import Damage, backwards, earlier_at, last_of, place_before
from exitgate.core.ledger.runs import name_of
from exitgate.core.system import portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from exitgate.core.model.json_object import JsonObject

    #: Offset of a line, and the line.
    Placed = tuple[int, JsonObject]


_CHUNK = 1 << 20


class Past:
    """
    The ledger of a state directory as it is now, open for reading; one that does not exist holds nothing.

    Raises:
        ExitgateError: 74 when the ledger cannot be read, or a line that is read is of a newer version.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._file: int | None = None
        self._end = 0
        #: Offsets of the damaged lines that were passed over.
        self._holes: set[int] = set()

    def __enter__(self) -> Past:
        self._file = open_reading(self._directory)
        self._end = 0 if self._file is None else whole_size(self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            os.close(self._file)

    def newest_first(self, run: str | None = None) -> Iterator[Placed]:
        """
        Yield the lines of one run or of all runs of a name, newest first, each with its offset.

        Args:
            run: Id or name; None for every line.

        What is read are these lines, those of later runs of the same name, and, where a damaged line is in
        the way, those between it and the next good one.
        """
        with RefusingNewer(path_in(self._directory)):
            if run is None:
                yield from self._before(self._end)
                return
            found = [self._called(name) for name in {run, name_of(run)}]
            for offset, line in merge(*found, key=itemgetter(0), reverse=True):
                if run in (line["run"], name_of(str(line["run"]))):
                    yield offset, line

    def numbered(self, sequence: int) -> Placed | None:
        """Return the line with this sequence number and its offset, or None; reads a few lines."""
        low, high = 0, self._end
        with RefusingNewer(path_in(self._directory)):
            while low < high:
                behind = self._behind((low + high) // 2)
                found = next(self._before(behind), None)
                if found is not None and found[0] >= low:
                    number = int(str(found[1]["sequence"]))
                    if number == sequence:
                        return found
                    if number > sequence:
                        high = found[0]
                        continue
                low = behind
        return None

    def before(self, line: JsonObject, offset: int) -> Iterator[JsonObject]:
        """
        Yield the earlier lines of a line's run, newest first, as far as a check could have read.

        A damaged line ends them: a check reads no further back either.
        """
        with RefusingNewer(path_in(self._directory)):
            current: JsonObject | None = line
            while current is not None and self._file is not None:
                current = earlier_at(self._file, current, current.get("run_prev"), offset)
                if current is not None:
                    yield current

    def name_before(self, line: JsonObject, offset: int) -> Iterator[JsonObject]:
        """Yield the earlier lines of all runs of a line's name, newest first, damaged ones passed over."""
        with RefusingNewer(path_in(self._directory)):
            yield from (earlier for _, earlier in self._back_from(offset, line))

    @property
    def holes(self) -> bool:
        """Whether a damaged line was passed over so far."""
        return bool(self._holes)

    def damages(self) -> list[Damage]:
        """Return the damaged lines that were passed over, and an unfinished last one, oldest first."""
        if self._file is None:
            return []
        torn = os.fstat(self._file).st_size > self._end
        holes = [(offset, "it is damaged") for offset in sorted(self._holes)]
        found = [*holes, *([(self._end, "it is unfinished")] if torn else [])]
        numbers = self._numbers([offset for offset, _ in found])
        return [Damage(number, *one) for number, one in zip(numbers, found, strict=True)]

    def _before(self, end: int) -> Iterator[Placed]:
        """Yield the good lines before offset `end`, newest first."""
        if self._file is None:
            return
        for offset, _, line in backwards(self._file, end):
            if line is None:
                self._holes.add(offset)
            else:
                yield offset, line

    def _behind(self, offset: int) -> int:
        """Return where the line ends that holds the byte at `offset`, its line end included."""
        assert self._file is not None
        start = start_of_last(self._file, offset + 1)
        raw = raw_at(self._file, start)
        return self._end if raw is None else start + len(raw) + 1

    def _called(self, name: str) -> Iterator[Placed]:
        """Yield the lines of all runs of a name, newest first."""
        if self._file is None:
            return
        next(self._before(self._end), None)  # a damaged newest line may have been one of them
        last = last_of(self._directory, self._file, self._end, name)
        if last is not None:
            yield last
            yield from self._back_from(*last)

    def _back_from(self, offset: int, line: JsonObject) -> Iterator[Placed]:
        while self._file is not None and (place := place_before(line)) is not None:
            earlier = earlier_at(self._file, line, place, offset)
            if earlier is not None and isinstance(place, int):
                offset, line = place, earlier
            else:
                name = name_of(str(line["run"]))
                between = (one for one in self._before(offset) if name_of(str(one[1]["run"])) == name)
                found = next(between, None)
                if found is None:
                    return
                offset, line = found
            yield offset, line

    def _numbers(self, offsets: list[int]) -> list[int]:
        """Return the 1-based numbers of the lines at some offsets; reads the file up to the last."""
        numbers, at, number = [], 0, 1
        for offset in offsets:
            while at < offset:
                assert self._file is not None
                piece = portable.pread(self._file, min(_CHUNK, offset - at), at)
                if not piece:
                    break
                number += piece.count(b"\n")
                at += len(piece)
            numbers.append(number)
        return numbers
