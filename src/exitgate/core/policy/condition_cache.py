"""
The user's cache of parsed conditions: the same text is not parsed again by a later process.

An edit of a policy changes a condition or two of a hundred, those that it extends included. What the parser
makes of a text depends on the text alone, so trees are kept by their texts, and Lark is imported only for a
text that is new in more than its numbers. Only texts without a problem are kept. Names, types and limits are
checked each time.

That a condition is not true without any response is kept with them, under the digest of all that the answer
depends on (`exitgate.core.language.silence`). Only that none is: what is wrong is found anew.
"""

from __future__ import annotations

from exitgate.core.language.literals import renumbered, shape_of
from exitgate.core.language.measure import LENGTH_LIMIT
from exitgate.core.language.silence import Known
from exitgate.core.language.tree import Node
from exitgate.core.policy.cache import keep_part, recall_part
from exitgate.core.system.digest import hex_digest
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


#: Texts and answers that are kept at most, and characters of all trees; those not used longest go first.
TEXTS, LENGTH = 1_000, 1_000_000
_ASKED = ("trees",)
_IN_TREES, _IN_QUIET = "trees", "quiet"


class Conditions(Known):
    """The parsed conditions of this process, and those of processes before."""

    def __init__(self) -> None:
        self._before: dict[str, object] | None = None
        self._alike: dict[str, str] | None = None
        self._used: dict[str, Node] = {}
        self._quiet_before: dict[str, None] = {}
        self._quiet: dict[str, None] = {}
        self._new = False

    def parse(self, text: str) -> Node:
        """
        Return the tree of a condition, as `exitgate.core.language.syntax.parse.parse`.

        Raises:
            LanguageError: As that one does.
        """
        known = self._used.get(text) or self._recalled(text)
        if known is None:
            from exitgate.core.language.syntax.parse import parse

            known, self._new = parse(text), True
        if len(self._used) >= TEXTS:
            self._used.clear()
        self._used[text] = known
        return known

    def keep(self) -> None:
        """Keep what was parsed since the last time for later processes, if there is a cache."""
        if self._new:
            quiet = list({**self._quiet, **self._quiet_before})[:TEXTS]
            plain = {_IN_TREES: dict(self._lasting()), _IN_QUIET: quiet}
            keep_part(_ASKED, dumps(plain).encode("ascii"))
            self._new = False

    def is_quiet(self, asked: str) -> bool:
        """Return whether it was found that a condition is not true without any response."""
        self._recall()
        digest = hex_digest(asked.encode("utf-8", "surrogatepass"))
        known = digest in self._quiet or digest in self._quiet_before
        if known:
            self._quiet[digest] = None
        return known

    def note_quiet(self, asked: str) -> None:
        """Take note of that."""
        if len(self._quiet) >= TEXTS:
            self._quiet.clear()
        self._quiet[hex_digest(asked.encode("utf-8", "surrogatepass"))] = None
        self._new = True

    def forget(self) -> None:
        """Know nothing any more, as a new process."""
        self.__init__()  # type: ignore[misc]

    def _recalled(self, text: str) -> Node | None:
        """Return the tree of an earlier process, None where there is none."""
        before = self._recall()
        try:
            plain = before.get(text) or self._renumbered(text)
            return Node.from_json(plain) if isinstance(plain, list) else None
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
            return None  # of another form: it is parsed

    def _recall(self) -> dict[str, object]:
        """Return the trees of earlier processes; what else they found out is set."""
        if self._before is None:
            plain = _read()
            trees, quiet = plain.get(_IN_TREES), plain.get(_IN_QUIET)
            self._before = trees if isinstance(trees, dict) else {}
            if isinstance(quiet, list):
                self._quiet_before = {one: None for one in quiet if isinstance(one, str)}
        return self._before

    def _renumbered(self, text: str) -> object:
        """Return the tree of a text of which another has the tree but for whole numbers; None for none."""
        if len(text) > LENGTH_LIMIT:
            return None
        before = self._before or {}
        if self._alike is None:
            self._alike = {shape_of(other): other for other in before}
        other = self._alike.get(shape_of(text))
        return None if other is None else renumbered(before[other], other, text)

    def _lasting(self) -> Iterator[tuple[str, object]]:
        length = 0
        now = {text: node.to_json() for text, node in self._used.items()}
        for place, (text, plain) in enumerate({**now, **(self._before or {})}.items()):
            length += len(dumps(plain))
            if place >= TEXTS or length > LENGTH:
                return
            yield text, plain


def _read() -> dict[str, object]:
    try:
        plain = loads(recall_part(_ASKED) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return plain if isinstance(plain, dict) else {}


#: Those of this process.
CONDITIONS = Conditions()
