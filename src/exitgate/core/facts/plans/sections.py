"""Which headings of a plan are in sections that a policy names."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.facts.plans.marks import Heading

    #: Level (0 for any), text to compare, whether any ending will do.
    _Name = tuple[int, str, bool]


#: Characters behind a name that say whether it ends there.
BEHIND = 3


class Sections(Value):
    """
    The sections that `names` mean.

    A name is compared without regard to case and blanks. It means a heading that reads the same, or
    continues with something that is not a letter (``Task`` means "Task 3: parser", "Later" does not mean
    "Later on"); a ``*`` at its end lets it go on with anything. ``#`` marks in front of a name
    restrict it to that level. A section ends at the next heading of its level or above.
    """

    __slots__ = ("_far", "_names", "_starts", "named")

    def __init__(self, names: Sequence[str]) -> None:
        #: Whether there is a name at all.
        self.named = bool(names)
        self._names = [name for name in map(_parse, names) if name[1]]
        self._starts = tuple([text for _, text, _ in self._names])
        self._far = max(map(len, self._starts), default=0) + BEHIND

    def within(self, headings: Sequence[Heading]) -> tuple[bool, ...]:
        """Return for each heading whether it is, or is below, one of these sections."""
        if not self._starts or not headings:
            return (False,) * len(headings)
        inside: list[bool] = []
        level = 0  # of the section we are in; 0 outside
        for heading in headings:
            if level and heading.level <= level:
                level = 0
            if not level and self._means(heading):
                level = heading.level
            inside.append(level > 0)
        return tuple(inside)

    def _means(self, heading: Heading) -> bool:
        title = fold(heading.text, self._far)
        return title.startswith(self._starts) and any(
            level in (0, heading.level)
            and title.startswith(text)
            and (open_end or len(title) == len(text) or _breaks(title[len(text) :]))
            for level, text, open_end in self._names
        )


def _parse(name: str) -> _Name:
    text = name.strip()
    bare = text.lstrip("#")
    level = len(text) - len(bare)
    return level, fold(bare.removesuffix("*")), bare.endswith("*")


def _breaks(rest: str) -> bool:
    """Return whether what follows a name begins something new rather than a longer word."""
    if rest[0].isalnum() or (rest[0] in "-'_\u2019\u2010\u2011" and rest[1:2].isalnum()):
        return False
    following = rest.lstrip()
    return not following[0].isalpha()


def fold(text: str, most: int = 0) -> str:
    """
    Return `text` without regard to case, with one blank between words.

    Where no more than the first `most` characters of that are wanted, a long text is not read to its end:
    what comes back begins with them, and is longer than `most` where the whole is.
    """
    if most and len(text) > 4 * most:
        text = " ".join([word[: most + 1] for word in text.split(None, most)[:most]])
    return " ".join(text.casefold().split())
