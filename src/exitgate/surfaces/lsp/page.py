"""One text on the desk: its kind, its tree, and what is known of the policy it is about."""

from __future__ import annotations

import os

from exitgate.policy.document import read_document
from exitgate.policy.findings import Findings
from exitgate.surfaces.lsp.known import Known, known_of, reference
from exitgate.surfaces.lsp.roles import POLICY, SETTINGS, TESTS, kind_of
from exitgate.surfaces.lsp.sheet import Sheet
from exitgate.surfaces.lsp.sketch import sketch
from exitgate.surfaces.lsp.twig import Twig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.surfaces.lsp.desk import Desk

#: Lines with faults of syntax that are left out of a text, one after the other, to know its names.
_MENDED_LINES = 4
#: So many texts are kept apart by what is known of them.
_KEPT = 64


class Page:
    """
    A text that somebody works on. Trees and names are made when they are asked for.

    Args:
        path: Its file, absolute.
        text: What the editor shows.
        desk: What else is open.
        memory: What was known of policies before, shared by all pages.
    """

    def __init__(self, path: str, text: str, desk: Desk, memory: Memory) -> None:
        self.path = path
        self.sheet = Sheet(text)
        self.desk = desk.showing(path, text)
        self._memory = memory
        self._root: Twig | None = None

    @property
    def text(self) -> str:
        """The text."""
        return self.sheet.text

    @property
    def root(self) -> Twig:
        """The tree of the text."""
        if self._root is None:
            self._root = sketch(self.text)
        return self._root

    @property
    def kind(self) -> str:
        """What kind of file it is, empty for one that is not ours."""
        return kind_of(self.path, self.text, self.root.keys())

    @property
    def folder(self) -> str:
        """The folder that paths in the file start from."""
        return os.path.dirname(self.path)

    def policy_path(self) -> str | None:
        """Return the file of the policy that the text is, tests, or sets; None where it names none."""
        if self.kind == POLICY:
            return self.path
        if self.kind == TESTS:
            return reference(self.word(("policy",)) or "./policy.yaml", self.folder)
        if self.kind == SETTINGS:
            from exitgate.gate.discover import DEFAULT_POLICY

            return reference(self.word(("exit_decision", "policy")) or DEFAULT_POLICY, self.folder)
        return None

    def known(self, cursor: int | None = None) -> Known | None:
        """
        Return what is known of the policy that the text is about, None when nothing is.

        A text that is not YAML while it is typed is read without the line of the cursor, or as it was
        known last.
        """
        path = self.policy_path()
        if path is None:
            return None
        if path != self.path:
            return self._memory.known(path, self.desk)
        return self._memory.own(path, self._readings(cursor), self.desk)

    def _readings(self, cursor: int | None) -> Iterator[str]:
        """Yield the text, and then what of it may be right when it is not, the largest part first."""
        yield self.text
        rest = self.text
        if cursor is not None:
            line = self.sheet.line_of(cursor)
            start, end = self.sheet.start_of(line), self.sheet.end_of(line)
            rest = self.text[:start] + self.text[end:]
            yield rest
        for _ in range(_MENDED_LINES):
            found = Findings()
            if read_document(rest, self.path, found) is not None:
                return
            sheet = Sheet(rest)
            places = [one.place for one in found.sorted() if one.place is not None]
            if not places:
                return
            number = min(places[0].line - 1, sheet.lines - 1)
            while number and not rest[sheet.start_of(number) : sheet.end_of(number)].strip():
                number -= 1
            rest = rest[: sheet.start_of(number)] + rest[sheet.end_of(number) :]
            yield rest

    def word(self, path: tuple[str, ...]) -> str:
        """Return the scalar at a path without quotes, empty for none."""
        twig = self.root.at(path)
        return self.text[twig.start : twig.end].strip("'\"") if twig is not None else ""

    def beside(self, path: str) -> Page | None:
        """Return the page of another file as it is on the desk; None for one that cannot be read."""
        if path == self.path:
            return self
        text = self.desk.text(path)
        return Page(path, text, self.desk, self._memory) if text is not None else None


class Memory:
    """What was known of policies: by path, text and the state of all other files they rest on."""

    def __init__(self) -> None:
        self._last: dict[str, Known] = {}
        self._kept: dict[tuple[object, ...], tuple[Known | None, object]] = {}

    def known(self, path: str, desk: Desk) -> Known | None:
        """Return what is known of the policy at `path`."""
        key = (path, frozenset(desk.texts.items()))
        kept = self._kept.get(key)
        if kept is not None and kept[1] == _stamps(path, kept[0]):
            return kept[0]
        found = desk.reading(lambda: known_of(path))
        if len(self._kept) >= _KEPT:
            self._kept.clear()
        self._kept[key] = (found, _stamps(path, found))
        if found is not None:
            self._last[path] = found
        return found

    def own(self, path: str, readings: Iterable[str], desk: Desk) -> Known | None:
        """Return what is known of a policy by the first of several readings of its text that is YAML."""
        for text in readings:
            found = self.known(path, desk.showing(path, text))
            if found is not None:
                return found
        return self._last.get(path)


def _stamps(path: str, known: Known | None) -> tuple[object, ...]:
    """Return time and size of the files that a policy was read from, so that a change is seen."""
    stamps: list[object] = []
    for file in known.chain if known is not None else (path,):
        try:
            status = os.stat(file)
            stamps.append((status.st_mtime_ns, status.st_size))
        except (OSError, ValueError):  # a name that no file can have
            stamps.append(None)
    return tuple(stamps)
