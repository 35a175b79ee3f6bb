"""Records that observers make of files and folders, checked before facts rest on them."""

from __future__ import annotations

from exitgate.model.evidence import EXCERPT_LIMIT, Evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.model.iteration import Source

#: Names of one kind that are kept.
LIMIT = 1_000
#: Names that are shown as evidence.
SHOWN = 20


def record_of(source: Source) -> Mapping[str, object] | None:
    """Return the record of a source, or the JSON object that its text is; None for anything else."""
    if source.record is not None:
        return source.record
    return parsed(source.text)


def parsed(text: str | None) -> Mapping[str, object] | None:
    """Return the JSON object in `text`, or None."""
    if text is None:
        return None
    from exitgate.facts.json_path import parse

    found = parse(text).value
    return found if isinstance(found, dict) else None


def names(value: object) -> tuple[str, ...]:
    """Return the texts of a list, sorted, each once, at most `LIMIT`."""
    listed = value if isinstance(value, list | tuple) else ()
    return tuple(sorted({v for v in listed if isinstance(v, str) and v}))[:LIMIT]


def last(path: str) -> str:
    """Return the last part of a path."""
    return path.rsplit("/", 1)[-1]


def shown(source: str, paths: Iterable[str], note: str) -> tuple[Evidence, ...]:
    """Return evidence that names files; it stands for an entry of the record, not for a place in a text."""
    first = [path for _, path in zip(range(SHOWN), paths, strict=False)]
    return tuple(
        Evidence(source, number, 1, 0, len(path), path[:EXCERPT_LIMIT], note)
        for number, path in enumerate(first, 1)
    )


def fits(name: str, pattern: str) -> bool:
    """
    Return whether the whole `name` fits: ``*`` is any characters, ``?`` one.

    Takes at most the product of the two lengths, no matter what they hold.
    """
    if name.startswith(".") and not pattern.startswith("."):
        return False
    at = place = 0
    star, resume = -1, 0
    while at < len(name):
        if place < len(pattern) and pattern[place] == "*":
            star, resume = place, at
            place += 1
        elif place < len(pattern) and pattern[place] in ("?", name[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            resume += 1
            at, place = resume, star + 1
        else:
            return False
    return not pattern[place:].strip("*")
