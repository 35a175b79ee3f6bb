"""Two texts word by word: what stays, what goes, what comes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    #: `SAME`, `GONE` or `COME`, and the characters.
    Stretch = tuple[str, str]

SAME, GONE, COME = "same", "gone", "come"
#: Characters that are words of their own.
APART = frozenset("()[]{},:\"'")
#: Words of one text that are compared with the other's, one by one; longer ones only by their ends.
LIMIT = 1500
#: So many same words are shown beside what differs, where only that is wanted.
NEAR = 5


def stretches(before: str, after: str) -> tuple[Stretch, ...]:
    """
    Return the two texts as one row of stretches.

    `SAME` and `GONE` together are the first text, `SAME` and `COME` the second.
    """
    old, new = list(words(before)), list(words(after))
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    found = [(SAME, old[:start]), *_middle(middle_old, middle_new), (SAME, old[len(old) - end :])]
    return tuple((kind, "".join(part)) for kind, part in found if part)


def near(row: tuple[Stretch, ...]) -> tuple[Stretch, ...]:
    """Return a row in which long stretches that stay are cut to the words beside what differs."""
    found: list[Stretch] = []
    for at, (kind, text) in enumerate(row):
        inked = list(words(text))
        first, last = at == 0, at == len(row) - 1
        room = 2 * NEAR * (1 if first or last else 2)
        if kind != SAME or len(inked) <= room:
            found.append((kind, text))
        elif first:
            found.append((SAME, "… " + "".join(inked[-2 * NEAR :]).lstrip()))
        elif last:
            found.append((SAME, "".join(inked[: 2 * NEAR]).rstrip() + " …"))
        else:
            middle = ("".join(inked[: 2 * NEAR]).rstrip(), "".join(inked[-2 * NEAR :]).lstrip())
            found.append((SAME, " … ".join(middle)))
    return tuple(found)


def kept(row: tuple[Stretch, ...]) -> float:
    """Return which share of the longer text stays, from 0 to 1; two empty texts are the same."""
    sizes = {kind: sum(len(text) for k, text in row if k == kind) for kind in (SAME, GONE, COME)}
    longest = sizes[SAME] + max(sizes[GONE], sizes[COME])
    return sizes[SAME] / longest if longest else 1.0


def words(text: str) -> Iterator[str]:
    """Yield the text in pieces: words, single brackets and quotes, and stretches of blanks."""
    piece = ""
    for character in text:
        blank, apart = character.isspace(), character in APART
        if piece and (apart or blank != piece[-1].isspace() or piece[-1] in APART):
            yield piece
            piece = ""
        piece += character
    if piece:
        yield piece


def _middle(old: list[str], new: list[str]) -> list[tuple[str, list[str]]]:
    if not old or not new or max(len(old), len(new)) > LIMIT:
        return [(GONE, old), (COME, new)]
    from difflib import SequenceMatcher

    found: list[tuple[str, list[str]]] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append((SAME, old[i:j]))
        else:
            found += [(GONE, old[i:j]), (COME, new[k:m])]
    return _joined(found)


def _joined(row: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Return the row without blanks that stay between two changes: one change reads better than two."""
    found: list[tuple[str, list[str]]] = []
    waiting: dict[str, list[str]] = {GONE: [], COME: []}
    for at, (kind, part) in enumerate(row):
        if kind != SAME:
            waiting[kind] += part
            continue
        if "".join(part).isspace() and 0 < at < len(row) - 1:
            waiting[GONE] += part
            waiting[COME] += part
            continue
        found += [(k, p) for k, p in waiting.items() if p] + [(SAME, part)]
        waiting = {GONE: [], COME: []}
    return found + [(k, p) for k, p in waiting.items() if p]


def _shared(old: list[str], new: list[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count
