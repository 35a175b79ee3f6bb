"""Keys of a document that keeps its comments: put in, taken out, given another name."""

from __future__ import annotations

from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def renamed(document: Any, old: str, new: str, value: object = None) -> None:
    """Give the key `old` another name, in its place and with its comments; with `value`, another value."""
    if old not in document:
        return
    place = list(document).index(old)
    comment = document.ca.items.pop(old, None)
    kept = document.pop(old)
    document.insert(place, new, kept if value is None else value)
    if comment is not None:
        document.ca.items[new] = comment


def inserted(document: Any, after: str, key: str, value: object) -> None:
    """
    Put a key behind another one, or first where that is not there.

    Comments on lines of their own behind the other key belong to what follows, and go behind the new one.
    """
    place = list(document).index(after) + 1 if after in document else 0
    document.insert(place, key, value)
    if place == 0:
        return
    comment = document.ca.items.get(after)
    token = comment[2] if comment is not None and len(comment) > 2 else None
    if token is None or isinstance(document[after], dict | list):
        return
    line, end, rest = token.value.partition("\n")
    if rest:
        from ruamel.yaml.tokens import CommentToken

        token.value = line + end
        document.ca.items[key] = [None, None, CommentToken("\n" + rest, token.start_mark, None), None]
        if not line.strip():
            document.ca.items.pop(after)


def taken(document: Any, key: str, otherwise: object = None) -> Any:
    """Take a key out and return its value. Its comments go to the key before it, or the document's head."""
    if key not in document:
        return otherwise
    keys = list(document)
    place = keys.index(key)
    comment = document.ca.items.pop(key, None)
    value = document.pop(key)
    text = comment[2].value if comment is not None and len(comment) > 2 and comment[2] is not None else ""
    if text and place:
        _behind(document, keys[place - 1], text, comment[2])
    return value


def block(pairs: Iterable[tuple[str, object]], flow: bool = False) -> Any:
    """Return a new mapping of a document, its keys in order; a `flow` one stands in braces."""
    from ruamel.yaml.comments import CommentedMap

    made: Any = CommentedMap(pairs)
    if flow:
        made.fa.set_flow_style()
    return made


def listed(items: Iterable[object]) -> Any:
    """Return a new sequence of a document, in brackets."""
    from ruamel.yaml.comments import CommentedSeq

    made: Any = CommentedSeq(items)
    made.fa.set_flow_style()
    return made


def _behind(document: Any, key: str, text: str, token: Any) -> None:
    """Put comment lines behind those that a key has."""
    from ruamel.yaml.tokens import CommentToken

    lines = "".join(line if line.startswith("#") else "" for line in text.splitlines(keepends=True))
    before = document.ca.items.get(key)
    if before is not None and len(before) > 2 and before[2] is not None:
        before[2].value = before[2].value.rstrip("\n") + "\n" + lines
    elif lines:
        made = CommentToken("\n" + lines, token.start_mark, None)
        document.ca.items[key] = [None, None, made, None]
