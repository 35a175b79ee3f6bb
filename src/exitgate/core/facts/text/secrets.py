"""
Secrets hidden by their shape.

Which shapes are secrets is in a lexicon (`policies/lexicons/secrets.yaml`); here is only how they
are found. A pattern is tried where one of its markers is, so that a text without markers costs a
search for a few words, and nothing of RE2 is loaded for it.
"""

from __future__ import annotations

from exitgate.core.facts.text.structure import ESCAPE, INVISIBLE
from exitgate.core.facts.text.words import encodable
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Span = tuple[int, int, str]


#: Is between the parts of a marker that must follow one another.
GAP = "..."
#: A text shorter than this holds no secret that could be known from a word.
SHORTEST = 8
#: A longer text is looked at in windows of this many characters, each begun `OVERLAP` before the
#: end of the last: a secret of up to `OVERLAP` characters is whole in one of them.
WINDOW, OVERLAP = 16_000, 4_000


class Secret(Value):
    """
    One shape.

    Args:
        id: Its name; it replaces what is hidden.
        markers: One of these must be in a text, as written; parts of one are divided by `GAP`.
        pattern: RE2 pattern that ignores case unless it says so. Its first group that takes part in a
            match is the secret; without one, the whole match is.
    """

    __slots__ = ("_parts", "id", "markers", "pattern")

    def __init__(self, id: str, markers: Sequence[str], pattern: str) -> None:
        self.id = id
        self.markers = tuple(markers)
        self.pattern = pattern
        self._parts = tuple(tuple(marker.split(GAP)) for marker in self.markers)

    def may_be_in(self, text: str) -> bool:
        """Return whether a marker is in `text`."""
        return any(parts[0] in text and (len(parts) == 1 or _in_order(parts, text)) for parts in self._parts)


class Mask:
    """
    Hides secrets in texts. Patterns are compiled when they are first needed.

    Args:
        plain: Entries as a compiled policy has them: `id`, `markers`, `pattern`.
    """

    __slots__ = ("_patterns", "secrets")

    def __init__(self, plain: Iterable[Mapping[str, Any]]) -> None:
        self.secrets = tuple(Secret(str(p["id"]), p["markers"], str(p["pattern"])) for p in plain)
        self._patterns: dict[str, Any] = {}

    def suspects(self, text: str, among: Sequence[Secret] | None = None) -> tuple[Secret, ...]:
        """Return the shapes of which `text` holds a marker; costs one search of it a marker."""
        candidates = self.secrets if among is None else among
        if len(text) < SHORTEST or not candidates:
            return ()
        searched = f"\n{text}"  # some markers say what is before them
        return tuple(one for one in candidates if one.may_be_in(searched))

    def mask(self, text: str) -> str:
        """Return `text` with ``[masked: NAME]`` instead of each secret."""
        return replaced(text, self.spans(text))

    def cover(self, text: str) -> str:
        """Return `text` with secrets hidden and every other character where it was."""
        hidden = self.spans(text)
        pieces, at = [], 0
        for start, end, name in hidden:
            pieces += [text[at:start], _filling(text[start:end], name)]
            at = end
        return "".join((*pieces, text[at:])) if hidden else text

    def part(self, text: str, start: int, end: int, among: Sequence[Secret]) -> str:
        """
        Return ``text[start:end]`` masked, seeing secrets that reach over its edges.

        `among` are the suspects of the whole. Only the lines that the part is on and their
        neighbours are looked at, at most `OVERLAP` characters to either side.
        """
        left, right = extent(text, start, end)
        around = text[left:right]
        spans = self.spans(around, among)
        inside = [(max(a + left, start) - start, min(b + left, end) - start, name) for a, b, name in spans]
        return replaced(text[start:end], [span for span in inside if span[0] < span[1]])

    def spans(self, text: str, among: Sequence[Secret] | None = None) -> list[Span]:
        """
        Return start, end and name of every secret in `text`, in order; those that overlap are one.

        A secret that escape sequences, invisible characters or the end of a line divide is one, too.
        """
        found = self._spans(text, among)
        if len(text) >= SHORTEST and (found or self.suspects(text, among) or _is_divided(text)):
            from exitgate.core.facts.text.secrets_folded import folded

            whole = folded(text)
            if whole is not None:
                of_whole = self._spans(whole.text, among)
                found += [(*whole.span(start, end), name) for start, end, name in of_whole]
        return _joined(found)

    def _spans(self, text: str, among: Sequence[Secret] | None) -> list[Span]:
        suspects = self.suspects(text, among)
        if not suspects:
            return []
        found: list[Span] = []
        for offset in range(0, max(1, len(text) - OVERLAP), WINDOW - OVERLAP):
            window = text[offset : offset + WINDOW]
            for secret in self.suspects(window, suspects):
                found += [(a + offset, b + offset, secret.id) for a, b in self._matches(secret, window)]
        return found

    def _matches(self, secret: Secret, window: str) -> Iterable[tuple[int, int]]:
        pattern = self._patterns.get(secret.pattern)
        if pattern is None:
            pattern = self._patterns[secret.pattern] = compiled(secret.pattern)
        # A lone surrogate becomes one question mark: offsets in characters stay as they are.
        for match in pattern.finditer(encodable(window)):
            group = match.lastindex or 0
            start, end = match.span(group)
            if end > start:
                yield start, end


def _is_divided(text: str) -> bool:
    """Return whether there is something in a text that could divide a secret and its marker."""
    return ESCAPE in text or (not text.isascii() and any(sign in text for sign in INVISIBLE))


def extent(text: str, start: int, end: int) -> tuple[int, int]:
    """
    Return where the lines begin and end that ``text[start:end]`` is on, and one more on each side.

    A secret may go on there. No more than `OVERLAP` characters on each side.
    """
    left = max(0, start - OVERLAP)
    own = text.rfind("\n", left, start)
    left = max(left, text.rfind("\n", left, max(left, own)) + 1)
    right = min(len(text), end + OVERLAP)
    own = text.find("\n", end, right)
    further = text.find("\n", own + 1, right) if own >= 0 else -1
    return left, right if further < 0 else further


def compiled(pattern: str) -> Any:
    """Return an RE2 pattern that ignores case. Raises `re2.error` for one that RE2 refuses."""
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return re2.compile(pattern, options)


def replaced(text: str, spans: Iterable[Span]) -> str:
    """Return `text` with ``[masked: NAME]`` instead of each span; they are in order and apart."""
    pieces, at = [], 0
    for start, end, name in spans:
        pieces += [text[at:start], f"[masked: {name}]"]
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end, name in sorted(spans):
        if joined and start < joined[-1][1]:
            first, last, longer = joined[-1]
            joined[-1] = (first, max(last, end), longer)
        else:
            joined.append((start, end, name))
    return joined


def _filling(hidden: str, name: str) -> str:
    """Return as many characters as `hidden` has, its line ends kept, with the name where it fits."""
    label = f"[masked: {name}]"
    lines = hidden.split("\n")
    filled = ["*" * len(line) for line in lines]
    if len(label) <= len(lines[0]):
        filled[0] = label.ljust(len(lines[0]), "*")
    return "\n".join(filled)


def _in_order(parts: Sequence[str], text: str) -> bool:
    at = 0
    for part in parts:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True
