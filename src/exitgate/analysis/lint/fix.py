"""Fixing what can be fixed without a person: edits of findings, pass by pass, each pass checked."""

from __future__ import annotations

from msgspec import Struct

from exitgate.analysis.edits import apply, compatible
from exitgate.analysis.lint.finding import LEXICON, POLICY
from exitgate.analysis.lint.run import lint
from exitgate.core.facts.lexicons.lexicon import WORKED_OUT
from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import Location
from exitgate.core.model.json_object import unpacked
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from exitgate.analysis.edits import Edit
    from exitgate.analysis.lint.finding import Lint, Placed
    from exitgate.analysis.lint.loader import Opened
    from exitgate.analysis.lint.subject import Subject

    #: Opens the file anew with another text.
    Reopen = Callable[[str], Opened]
    from collections.abc import Mapping


#: Passes over one file at most; each may uncover what the one before hid.
PASSES = 10


class Fixed(Struct, frozen=True):
    """
    A file after fixing.

    Args:
        text: What it holds then; as before when nothing could be fixed.
        fixed: How many findings were fixed.
        refused: Findings whose edit would have changed what the file means, or left one that cannot be read.
    """

    text: str
    fixed: int
    refused: tuple[Placed, ...]


def fix(opened: Opened, lints: Iterable[Lint], reopen: Reopen) -> Fixed:
    """
    Return a file with the edits of its findings made; suppressed findings are left.

    The file is read again with the edits: it must mean what it meant, and have no error that it had not.
    Where it does not, edits are made one by one, and those after which it does not are shown in `refused`.

    Args:
        opened: The file as it is.
        lints: Those to run.
        reopen: Reads it with another text.
    """
    assert opened.subject is not None
    trial = _Trial(opened, reopen)
    wanted = tuple(lints)
    text, count = opened.subject.document.lines.text, 0
    subject: Subject | None = opened.subject
    refused: dict[tuple[str, str], Placed] = {}
    for _ in range(PASSES):
        assert subject is not None
        found = [p for p in lint(subject, wanted) if p.finding.edits and p.suppression is None]
        chosen = _compatible([p for p in found if (p.lint, p.finding.message) not in refused])
        made = _edits(chosen)
        if made and not trial.passes(apply(text, made)):
            kept: list[Placed] = []
            for placed in chosen:
                if trial.passes(apply(text, _edits([*kept, placed]))):
                    kept.append(placed)
                else:
                    refused[placed.lint, placed.finding.message] = placed
            chosen, made = kept, _edits(kept)
        if not made:
            break
        text, count = apply(text, made), count + len(chosen)
        subject = reopen(text).subject
    return Fixed(text, count, tuple(refused.values()))


class _Trial:
    """Whether a file still means the same with another text."""

    def __init__(self, opened: Opened, reopen: Reopen) -> None:
        self._meaning = _meaning(opened)
        self._problems = len(opened.problems)
        self._reopen = reopen

    def passes(self, text: str) -> bool:
        after = self._reopen(text)
        return _meaning(after) == self._meaning and len(after.problems) <= self._problems


def _compatible(found: Iterable[Placed]) -> list[Placed]:
    """Return the findings, in order, whose edits do not touch those of an earlier one."""
    kept: list[Placed] = []
    for placed in found:
        if compatible(_edits(kept), placed.finding.edits):
            kept.append(placed)
    return kept


def _edits(found: Iterable[Placed]) -> list[Edit]:
    return [edit for placed in found for edit in placed.finding.edits]


def _meaning(opened: Opened) -> object:
    """Return what a file comes to: the compiled policy, the resolved lexicon, or its plain value."""
    subject: Subject | None = opened.subject
    if subject is None:
        return None
    if subject.kind == POLICY and subject.compiled is not None:
        return meaning(subject.compiled)
    if subject.kind == LEXICON and subject.lexicon is not None:
        return meaning(subject.lexicon)
    return meaning(subject.root.plain())


# What a policy or lexicon means, as a plain value that can be compared: without places and spellings.

#: Slots that tell how and where something is written: its digest and warnings, a rule's text.
_WRITTEN = frozenset(("digest", "warnings", "place", "text", "doc", "title"))
#: Keys of entries whose texts mean the same when one of them is there twice.
_SETS = frozenset(("words", "phrases"))


def meaning(value: object) -> object:
    """Return plain nested tuples, equal for two values that decide alike on every input."""
    value = unpacked(value)
    if isinstance(value, Location):
        return None
    if isinstance(value, Node):
        return (value.op, *(meaning(arg) for arg in value.args))
    if isinstance(value, Value):
        slots = (name for name in value.__slots__ if name not in _WRITTEN)
        return (type(value).__name__, *((name, meaning(getattr(value, name))) for name in slots))
    if isinstance(value, dict):
        return _mapping(value)
    if isinstance(value, (list, tuple)):
        return tuple(meaning(item) for item in value)
    return value


def _mapping(value: Mapping[object, object]) -> object:
    found: list[tuple[object, object]] = []
    for key, inner in value.items():
        if key in WORKED_OUT:
            continue
        if key in _SETS and isinstance(inner, (list, tuple)):
            found.append((key, tuple(dict.fromkeys(_folded(item) for item in inner))))
        else:
            found.append((key, meaning(inner)))
    return tuple(found)


def _folded(item: object) -> str:
    return item.casefold() if isinstance(item, str) else str(item)
