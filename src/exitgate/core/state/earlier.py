"""
Texts of earlier iterations, for extractors that compare this one with them.

They are kept in the state directory, shortened and with secrets hidden, only where the policy has such an
extractor, and until the run ends. One that is lost or damaged is unknown and reported; it never stops a
check. Facts are recorded, so a replay does without the texts.
"""

from __future__ import annotations

import os
from binascii import crc32

from exitgate.core.facts.registry import load
from exitgate.core.model.decision import EXIT
from exitgate.core.model.json_object import object_or_none, whole_of
from exitgate.core.model.value import Value
from exitgate.core.observe.sources import keeps
from exitgate.core.system import portable, safe_files
from exitgate.core.system.digest import hex_digest
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.core.model.decision import Decision
    from exitgate.core.model.fact import Iteration, Source
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.system.portable import Folder


class Recalled(Value):
    """Texts by source, oldest first, None where one is not known; and remarks on what was lost."""

    __slots__ = ("remarks", "texts")

    def __init__(self, texts: Mapping[str, tuple[str | None, ...]], remarks: tuple[str, ...] = ()) -> None:
        self.texts = texts
        self.remarks = remarks


def needs(policy: CompiledPolicy) -> dict[str, int]:
    """Return how many earlier texts of which sources the policy's extractors compare with; mostly none."""
    found: dict[str, int] = {}
    for entry in policy.extractions:
        asks = None if keeps(policy, entry) else getattr(load(entry.extractor), "earlier", None)
        for source, count in (asks(entry.source, entry.options) if asks is not None else {}).items():
            found[source] = max(count, found.get(source, 0))
    return found


def recall(
    directory: str, needed: Mapping[str, int], run: str, number: int, lines: Sequence[JsonObject]
) -> Recalled:
    """
    Return the kept texts of the iterations before iteration `number` of `run`.

    Args:
        directory: The state directory.
        needed: Source -> how many iterations back, as `needs` says.
        run: Id of the run.
        number: 1-based number of this iteration.
        lines: Lines of the run, for the iterations that are known to have been.
    """
    if not needed or number <= 1:
        return Recalled({})
    from exitgate.core.ledger.runs import decisions_of, iteration_of

    known = {at for line in decisions_of(lines) if 0 < (at := iteration_of(line)) < number}
    found: dict[int, Mapping[str, str]] = {}
    for at in range(max(1, number - max(needed.values())), number):
        try:
            one = read(directory, run, at)
        except (OSError, ValueError, RecursionError):
            known.add(at)  # it is there, but not to be read: reported below
            continue
        if one is not None:
            found[at] = one.texts
            known.update((at, *one.before))
    texts: dict[str, tuple[str | None, ...]] = {}
    lost: set[int] = set()
    for source, count in needed.items():
        window = [at for at in range(max(1, number - count), number) if at in known]
        texts[source] = tuple(found[at].get(source) if at in found else None for at in window)
        lost.update(at for at in window if at not in found)
    if not lost:
        return Recalled(texts)
    numbers = ", ".join(str(at) for at in sorted(lost))
    return Recalled(
        texts, (f"the response of iteration {numbers} of `{run}` is not kept, or cannot be read",)
    )


def texts(needed: Mapping[str, int], iteration: Iteration, policy: CompiledPolicy) -> dict[str, str]:
    """Return the texts of `iteration` that the next ones are compared with: shortened, secrets hidden."""
    if not needed or iteration.number < 1:
        return {}
    from exitgate.core.facts.extractors.similarity import KEPT, bounded

    covered = _covered(iteration.sources, needed, policy)
    return {name: bounded(text, KEPT) for name, text in covered.items()}


def keep(directory: str, needed: Mapping[str, int], iteration: Iteration, texts: Mapping[str, str]) -> None:
    """
    Keep `texts` of `iteration`, and drop those of earlier ones that are no longer needed.

    Raises:
        ExitgateError: 73 when they cannot be written.
    """
    if not needed or iteration.number < 1:
        return
    import os

    from exitgate.core.ledger.file import cannot_write

    try:
        write(directory, iteration.run, iteration.number, texts, max(needed.values()))
    except OSError as error:
        raise cannot_write(os.path.join(directory, FOLDER), error) from error


def forget(directory: str, needed: Mapping[str, int], run: str, decision: Decision) -> tuple[str, ...]:
    """Drop the texts of a run that `decision` ends; return warnings on what could not be dropped."""
    from exitgate.core.ledger.runs import SUSPENDING

    if not needed or decision.verdict != EXIT or decision.exit_class in SUSPENDING:
        return ()
    from exitgate.core.ledger.file import why

    try:
        drop(directory, run)
    except OSError as error:
        return (f"the texts kept of `{run}` cannot be dropped: {why(error)}",)
    return ()


def comparable(iteration: Iteration, needed: Mapping[str, int], policy: CompiledPolicy) -> Iteration:
    """Return the iteration with secrets hidden in what is compared: earlier texts have theirs hidden, too."""
    from exitgate.core.model.fact import Iteration, Source

    sources = dict(iteration.sources)
    for name, text in _covered(sources, needed, policy).items():
        one = sources[name]
        sources[name] = Source(name, text, one.record, one.path, one.reason, one.warnings, one.absent)
    return Iteration(iteration.number, iteration.run, iteration.time, sources, iteration.earlier)


def _covered(
    sources: Mapping[str, Source], names: Mapping[str, int], policy: CompiledPolicy
) -> dict[str, str]:
    from exitgate.core.observe.masking import covered

    return covered({name: sources[name] for name in names if name in sources}, policy)


# The files with texts of earlier iterations: one an iteration, in a folder of the state directory.
#
# Each is written whole or not at all, for its owner alone. What is in it is checked when it is read.

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
        raw = safe_files.content_in(os.path.join(directory, FOLDER), _name(run, number), LARGEST)
    except FileNotFoundError:
        return None
    plain = object_or_none(loads(raw))
    if plain is None:
        raise DamagedError
    if plain.get("run") != run:
        return None
    texts = {name: text for name, text in plain.object("texts").items() if isinstance(text, str)}
    before = [at for at in map(whole_of, plain.array("before")) if at is not None]
    if plain.get("iteration") != number or plain.get("check") != _checksum(texts, before):
        raise DamagedError
    return Kept(texts, before)


def write(directory: str, run: str, number: int, texts: Mapping[str, str], back: int) -> None:
    """
    Write the texts of an iteration and drop the run's files of more than `back` iterations.

    Files of other runs of the same name go, too. Raises OSError.
    """
    place = os.path.join(directory, FOLDER)
    safe_files.make_folder(place)
    folder = safe_files.open_folder(place)
    try:
        present = safe_files.names_in(folder)
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
        safe_files.replace(_name(run, number), dumps(plain).encode("ascii"), folder=folder)
        _remove(folder, (name for name, n in numbers.items() if not first <= n <= number))
        _remove(folder, _unused(folder, present, stem))
    finally:
        portable.close(folder)


def drop(directory: str, run: str) -> None:
    """Remove all files of runs of this run's name. Raises OSError."""
    try:
        folder = safe_files.open_folder(os.path.join(directory, FOLDER))
    except FileNotFoundError:
        return
    try:
        _remove(folder, (name for name in safe_files.names_in(folder) if name.startswith(_stem(run))))
    finally:
        portable.close(folder)


def _unused(folder: Folder, present: Sequence[str], stem: str) -> list[str]:
    """Return the files of the run names that were not used for longest, beyond `NAMES`."""
    newest: dict[str, float] = {}
    for name in present:
        other = _stem_in(name)
        if other != stem:
            changed = portable.status_at(name, folder).st_mtime
            newest[other] = max(changed, newest.get(other, changed))
    dropped = sorted(newest, key=newest.__getitem__, reverse=True)[NAMES - 1 :]
    return [name for name in present if _stem_in(name) in dropped]


def _remove(folder: Folder, names: Iterable[str]) -> None:
    for name in names:
        try:
            portable.remove_at(name, folder)
        except FileNotFoundError:
            continue  # gone already, which is what is wanted


def _checksum(texts: Mapping[str, str], before: Sequence[int]) -> int:
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
