"""Which headings of a plan are in sections that a policy names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.facts.checklist_values import Heading

    #: Level (0 for any), text to compare, whether any ending will do.
    _Name = tuple[int, str, bool]


def within(headings: Sequence[Heading], names: Sequence[str]) -> tuple[bool, ...]:
    """
    Return for each heading whether it is, or is below, a section that `names` means.

    A name is compared without regard to case and blanks. It means a heading that reads the same, or
    continues with something that is not a letter (``Task`` means "Task 3: parser", "Later" does not mean
    "Later on"); a ``*`` at its end lets it go on with anything. ``#`` marks in front of a name
    restrict it to that level. A section ends at the next heading of its level or above.
    """
    wanted = [_parse(name) for name in names]
    inside: list[bool] = []
    level = 0  # of the section we are in; 0 outside
    for heading in headings:
        if level and heading.level <= level:
            level = 0
        if not level and any(_means(name, heading) for name in wanted):
            level = heading.level
        inside.append(level > 0)
    return tuple(inside)


def _parse(name: str) -> _Name:
    text = name.strip()
    bare = text.lstrip("#")
    level = len(text) - len(bare)
    return level, _fold(bare.removesuffix("*")), bare.endswith("*")


def _means(name: _Name, heading: Heading) -> bool:
    level, text, open_end = name
    if not text or (level and heading.level != level):
        return False
    title = _fold(heading.text)
    if not title.startswith(text):
        return False
    rest = title[len(text) :]
    return open_end or not rest or _breaks(rest)


def _breaks(rest: str) -> bool:
    """Return whether what follows a name begins something new rather than a longer word."""
    if rest[0].isalnum() or (rest[0] in "-'_\u2019\u2010\u2011" and rest[1:2].isalnum()):
        return False
    following = rest.lstrip()
    return not following[0].isalpha()


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())
