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
    if value is not None:
        behind(document, new, comments_in(kept))


def inserted(document: Any, after: str, key: str, value: object) -> None:
    """
    Put a key behind another one, or first where that does not exist.

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
    """Take a key out and return its value; the comments behind it go to the key before it."""
    if key not in document:
        return otherwise
    keys = list(document)
    place = keys.index(key)
    comment = document.ca.items.pop(key, None)
    value = document.pop(key)
    if place:
        behind(document, keys[place - 1], [*texts(comment), *comments_in(value)])
    return value


def block(pairs: Iterable[tuple[str, object]], flow: bool = False) -> Any:
    """Return a new mapping of a document, its keys in order; a `flow` one is in braces."""
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


def behind(document: Any, key: str, comments: Iterable[str]) -> None:
    """Put comments on lines of their own behind a key and the comments that it has."""
    lines = "".join(f"{text}\n" for text in comments)
    if not lines:
        return
    from ruamel.yaml.error import CommentMark
    from ruamel.yaml.tokens import CommentToken

    before = document.ca.items.get(key)
    token = before[2] if before is not None and len(before) > 2 else None
    if token is not None:
        token.value = token.value.rstrip("\n") + "\n" + lines
    else:
        document.ca.items[key] = [None, None, CommentToken("\n" + lines, CommentMark(0), None), None]


def at_head(document: Any, comments: Iterable[str]) -> None:
    """Put comments on lines of their own above the first key, behind those that are there."""
    from ruamel.yaml.error import CommentMark
    from ruamel.yaml.tokens import CommentToken

    made = [CommentToken(f"{text}\n", CommentMark(0), None) for text in comments]
    if made and document.ca.comment is None:
        document.ca.comment = [None, made]
    elif made:
        document.ca.comment[1] = [*(document.ca.comment[1] or ()), *made]


def comments_in(value: Any) -> list[str]:
    """Return the texts of all comments inside of a value, in order."""
    if not hasattr(value, "ca"):
        return []
    found = texts(value.ca.comment)
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        found += comments_in(one)
        found += texts(value.ca.items.get(key))
    return found


def texts(comment: Any) -> list[str]:
    """Return the lines of a key's comments, or of those before the first key of a mapping."""
    found: list[str] = []
    for token in comment or ():
        tokens = token if isinstance(token, list) else [token] if token is not None else []
        found += [line.strip() for one in tokens for line in one.value.splitlines() if line.strip()]
    return found
