"""
The files with texts of earlier iterations: one an iteration, in a folder of the state directory.

Each is written whole or not at all, for its owner alone. What is in it is checked when it is read.
"""

from __future__ import annotations

import os
from binascii import crc32

from exitgate import opening, system
from exitgate.model.digest import hex_digest
from exitgate.model.quick_json import dumps, loads
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.system import Folder

FOLDER = "earlier"
#: Runs of so many names keep texts at most; those of the longest unused are dropped first.
NAMES = 32
#: A larger file was not written here, in bytes.
LARGEST = 32_000_000


class DamagedError(ValueError):
    """A file is not as it was written."""


class Kept(Value):
    """Texts of one iteration by source, and the numbers of the iterations that were kept before it."""

    __slots__ = ("before", "texts")

    def __init__(self, texts: Mapping[str, str], before: Sequence[int]) -> None:
        self.texts = texts
        self.before = before


def read(directory: str, run: str, number: int) -> Kept | None:
    """
    Return what was kept of an iteration, None where there is no file of this run.

    Raises:
        OSError: It cannot be read.
        ValueError: It is damaged.
    """
    try:
        raw = opening.content_in(os.path.join(directory, FOLDER), _name(run, number), LARGEST)
    except FileNotFoundError:
        return None
    plain = loads(raw)
    if not isinstance(plain, dict):
        raise DamagedError
    if plain.get("run") != run:
        return None
    texts, before = plain.get("texts"), plain.get("before")
    if not isinstance(texts, dict) or not isinstance(before, list) or plain.get("iteration") != number:
        raise DamagedError
    if not all(isinstance(text, str) for text in texts.values()) or plain.get("check") != _checksum(
        texts, before
    ):
        raise DamagedError
    return Kept(texts, [at for at in before if isinstance(at, int)])


def write(directory: str, run: str, number: int, texts: Mapping[str, str], back: int) -> None:
    """
    Write the texts of an iteration and drop the run's files of more than `back` iterations.

    Files of other runs of the same name go, too. Raises OSError.
    """
    place = os.path.join(directory, FOLDER)
    opening.make_folder(place)
    folder = opening.open_folder(place)
    try:
        present = opening.names_in(folder)
        stem, first = _stem(run), number - back + 1
        numbers = {name: _number(name, stem) for name in present if name.startswith(stem)}
        before = sorted(n for n in numbers.values() if first <= n < number)
        plain = {
            "run": run,
            "iteration": number,
            "before": before,
            "check": _checksum(texts, before),
            "texts": dict(texts),
        }
        opening.replace(_name(run, number), dumps(plain).encode("ascii"), folder=folder)
        _remove(folder, (name for name, n in numbers.items() if not first <= n <= number))
        _remove(folder, _unused(folder, present, stem))
    finally:
        system.close(folder)


def drop(directory: str, run: str) -> None:
    """Remove all files of runs of this run's name. Raises OSError."""
    try:
        folder = opening.open_folder(os.path.join(directory, FOLDER))
    except FileNotFoundError:
        return
    try:
        _remove(folder, (name for name in opening.names_in(folder) if name.startswith(_stem(run))))
    finally:
        system.close(folder)


def _unused(folder: Folder, present: Sequence[str], stem: str) -> list[str]:
    """Return the files of the run names that were not used for longest, beyond `NAMES`."""
    newest: dict[str, float] = {}
    for name in present:
        other = _stem_in(name)
        if other != stem:
            changed = system.status_at(name, folder).st_mtime
            newest[other] = max(changed, newest.get(other, changed))
    dropped = sorted(newest, key=newest.__getitem__, reverse=True)[NAMES - 1 :]
    return [name for name in present if _stem_in(name) in dropped]


def _remove(folder: Folder, names: Iterable[str]) -> None:
    for name in names:
        try:
            system.remove_at(name, folder)
        except FileNotFoundError:
            continue  # gone already, which is what is wanted


def _checksum(texts: Mapping[str, object], before: Sequence[int]) -> int:
    return crc32(dumps([sorted(texts.items()), list(before)]).encode("ascii"))


def _stem(run: str) -> str:
    """Return what the names of a run's files begin with: the same for all runs of one name."""
    name = run.rpartition("#")[0] or run
    return f"{hex_digest(name.encode('utf-8', 'surrogatepass'))[:16]}-"


def _stem_in(name: str) -> str:
    return name.partition("-")[0] + "-"


def _name(run: str, number: int) -> str:
    return f"{_stem(run)}{number}.json"


def _number(name: str, stem: str) -> int:
    """Return the number of the iteration that a file of this stem is of, -1 for any other file."""
    written = name[len(stem) :].removesuffix(".json")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 16 else -1
