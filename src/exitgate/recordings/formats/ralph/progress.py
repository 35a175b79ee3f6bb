"""
The plan of a loop at each of its iterations, from every source that mentions it.

What the agent wrote into the plan's file counts first, as its stream shows it; then what the loop itself
counted, items named by their numbers. Nothing shows which moment the file in the folder is: it stands
for an iteration only where the loop counted in it what it shows, and nothing is taken from later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from exitgate.recordings.formats.timestamps import instant as seconds

#: Names of the file that the plan of such a loop is in.
NAMES = ("@fix_plan.md", "fix_plan.md")
#: Beginnings of a line that is an open or a done item, as the loop itself counts them.
_OPEN, _DONE = "- [ ]", ("- [x]", "- [X]")
#: Why a list of tasks beside a log stands for none of its iterations.
NO_MOMENT = "the age of the list in the folder is not known, and it may be newer"
#: Items that are written out.
_MOST = 10_000
_WHY_NOT = f"there is no record of the plan in this iteration: {NO_MOMENT}"


def written(files: Mapping[str, str]) -> str | None:
    """Return the text of the plan's file as the agent's calls show it, None where they do not."""
    found = [text for path, text in files.items() if path.replace("\\", "/").rpartition("/")[2] in NAMES]
    return found[-1] if found else None


def counted(share: tuple[int, int] | None) -> str | None:
    """Return what the loop counted as a plan: `done` of `total` items, each named by its number."""
    if share is None:
        return None
    done, total = share
    if total > _MOST:
        return None
    boxes = [f"- [{'x' if number <= done else ' '}] {number}" for number in range(1, total + 1)]
    return "\n".join((f"# {done} of {total}, as the loop counted", *boxes, ""))


def boxes_of(text: str) -> tuple[int, int]:
    """Return how many boxes of a plan are ticked, and how many there are."""
    lines = [line.lstrip() for line in text.splitlines()]
    done = sum(line.startswith(_DONE) for line in lines)
    return done, done + sum(line.startswith(_OPEN) for line in lines)


def plan_at(
    files: Mapping[str, str],
    share: tuple[int, int] | None,
    last: str | None,
    before: tuple[int, int] | None,
) -> str | None:
    """
    Return the plan as it was when an iteration ended, None where nothing shows it.

    Args:
        files: Files that the agent's calls show.
        share: What the loop counted then: done and total.
        last: The file in the folder, for the last iteration; None for others.
        before: What the loop counted before the iteration: a file that still shows that has not moved.
    """
    found = written(files)
    if found is not None:
        return counted(share) if _is_other(found, share) else found
    known = before if share is None else share
    if last is not None and known is not None and boxes_of(last) == known:
        return last
    return counted(share)


def _is_other(text: str, share: tuple[int, int] | None) -> bool:
    """Return whether the loop counted as many items as a text has, and other ones of them as done."""
    done, total = boxes_of(text)
    return share is not None and share[1] == total and share[0] != done


def why_not(last: str | None, before: tuple[int, int] | None) -> str:
    """Return why it is not known how the plan was; arguments as for `plan_at`."""
    if last is None or before is None:
        return _WHY_NOT
    shown = boxes_of(last)
    return (
        f"the loop counted {before[0]} of {before[1]} before this iteration and nothing after it; "
        f"the file in the folder shows {shown[0]} of {shown[1]} and may be newer"
    )


# The sections of a `progress.txt`.

_HEADING = "## "
_LONGEST_HEADING = 400


class Section(Struct, frozen=True):
    """A section that an iteration added: its text, first and last line, and when its heading says it was."""

    text: str
    first: int
    last: int
    at: float | None


def sections(text: str) -> Iterator[Section]:
    """
    Yield the sections whose heading has a date or a number in it, in their order.

    What is before the first of them (title, patterns of the code base) goes with that one.
    """
    lines = text.splitlines(keepends=True)
    starts = [n for n, line in enumerate(lines) if _begins(line)]
    for nth, start in enumerate(starts):
        end = starts[nth + 1] if nth + 1 < len(starts) else len(lines)
        begin = 0 if nth == 0 else start
        yield Section("".join(lines[begin:end]), start + 1, end, instant(lines[start]))


def _begins(line: str) -> bool:
    return line.startswith(_HEADING) and any(c.isdigit() for c in line[:_LONGEST_HEADING])


def instant(heading: str) -> float | None:
    """
    Return the first date in a heading, with the time of day behind it, as seconds since the epoch; else None.

    A local time without an offset is taken as UTC.
    """
    words = [word.strip("[](),;:*_`") for word in heading[:_LONGEST_HEADING].split()]
    for nth, word in enumerate(words):
        if len(word) < 10 or word[4:5] != "-" or not word[:4].isdigit():
            continue
        behind = words[nth + 1] if nth + 1 < len(words) else ""
        timed = seconds(f"{word}T{behind}") if len(word) == 10 and ":" in behind else None
        at = timed if timed is not None else seconds(word)
        if at is not None:
            return at
    return None
