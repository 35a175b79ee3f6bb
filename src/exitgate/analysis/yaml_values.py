"""
Values set, added and removed in a file of YAML: comments, order, layout and line ends of all else stay.

Every function gives the whole new text, reads it again, and refuses where it does not say what it should.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exitgate.analysis.edits import (
    Edit,
    apply,
    end_of,
    ending,
    entry_removed,
    is_plain,
    item_removed,
    next_line,
    offset,
    span,
)
from exitgate.core.model.diagnostic import Location
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.yaml.document import Document, read_document
from exitgate.core.policy.yaml.lines import Lines
from exitgate.core.policy.yaml.node import YamlNode

#: Steps from the root: keys, and places in lists.
Path = tuple[str | int, ...]
#: Blanks by which what is below a key is indented.
INDENT = 2


class NotEditableError(ValueError):
    """The file cannot be changed without a risk to what else it says; the message says why."""


def set_value(text: str, path: Path, value: object) -> str:
    """
    Return the text with a value at a path; keys that are missing are added behind their neighbours.

    Args:
        text: Of a file that holds a mapping; an empty one, or one of comments alone, becomes one.
        path: Its last step is a key.
        value: Plain data.

    Raises:
        NotEditableError: A step of the path leads to something else than a mapping, comments would be lost,
            or the text cannot be read.
    """
    if not has_content(text):
        return _proven(text, _begun(text, path, value), lambda _: _put({}, path, value))
    document = _read(text)
    part, depth = document.root, 0
    while depth < len(path) and (found := _below(part, path[depth])) is not None:
        part, depth = found, depth + 1
    if depth == len(path):
        edit = _replaced(document, part, value)
    else:
        rest = path[depth:]
        if any(isinstance(step, int) for step in rest):
            raise NotEditableError(f"there is no item {rest[0]}")
        edit = _inserted(document, part, [str(step) for step in rest], value)
    return _proven(text, apply(text, [edit]), lambda data: _put(data, path, value))


def add_item(text: str, path: Path, entry: dict[str, object]) -> str:
    """
    Return the text with a mapping behind the last item of the list at a path, written as that one is.

    Raises `NotEditableError` as `set_value`, and where items are not one below the other.
    """

    def expected(data: object) -> object:
        return _put(data, path, [*_listed(data, path), entry])

    document = _read(text) if has_content(text) else None
    part = None if document is None else _at(document.root, path)
    if document is None or part is None:
        return _proven(text, set_value(text, path, [entry]), expected)
    if not part.items:
        return _proven(text, apply(text, [_first_item(document, part, entry)]), expected)
    lines, last = document.lines, part.items[-1]
    dash = lines.text[offset(lines, last.place.line, 1) : span(lines, last)[0]]
    if lines.text[span(lines, part)[0]] == "[":
        end = span(lines, last)[1]
        return _proven(text, apply(text, [Edit(end, end, f", {flow(entry)}")]), expected)
    if dash.strip() != "-":
        raise NotEditableError("its items are not one below the other")
    line_end = ending(lines)
    before = [dash, *[" " * len(dash)] * (len(entry) - 1)]
    written = [
        f"{start}{flow(key)}: {flow(value)}"
        for start, (key, value) in zip(before, entry.items(), strict=True)
    ]
    end = end_of(lines, last)
    made = line_end.join(written) + line_end
    if end and not text[:end].endswith("\n"):
        made = line_end + made
    return _proven(text, apply(text, [Edit(end, end, made)]), expected)


def remove(text: str, path: Path) -> str:
    """Return the text without what is at a path. Raises `NotEditableError`; also where nothing is there."""
    document = _read(text)
    part, above = _at(document.root, path), _at(document.root, path[:-1])
    if part is None or above is None:
        raise NotEditableError("there is nothing of this name")
    alone = len(above.fields) + len(above.items) == 1
    try:
        if alone and isinstance(path[-1], int):
            edit = _replaced(document, above, [])
        elif isinstance(path[-1], int):
            edit = item_removed(document.lines, part)
        else:
            edit = entry_removed(document.lines, part)
    except ValueError as error:
        raise NotEditableError(str(error)) from error
    return _proven(text, apply(text, [edit]), lambda data: _without(data, path))


def _read(text: str) -> Document:
    findings = Findings()
    document = read_document(text, "file", findings)
    found = findings.sorted()
    # What other tools use beyond strict YAML stays; a key that is there twice has no one value.
    twice = [one for one in found if one.code == "EP105"]
    if document is None or twice:
        raise NotEditableError((twice or found)[0].message)
    return document


def has_content(text: str) -> bool:
    """Return whether a text has more than blank lines and comments."""
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())


def _below(part: YamlNode, step: str | int) -> YamlNode | None:
    if isinstance(step, int):
        return part.items[step] if 0 <= step < len(part.items) else None
    return part.get(step)


def _at(part: YamlNode, path: Path) -> YamlNode | None:
    found: YamlNode | None = part
    for step in path:
        found = None if found is None else _below(found, step)
    return found


def _begun(text: str, path: Path, value: object) -> str:
    line_end = "\r\n" if "\r\n" in text else "\n"
    before = text + line_end if text and not text.endswith("\n") else text
    return before + line_end.join(_block([str(step) for step in path], value, 0)) + line_end


def _item(entry: dict[str, object], dash: str) -> list[str]:
    """Return the lines of an item of a list, a key on each."""
    before = [dash, *[" " * len(dash)] * (len(entry) - 1)]
    pairs = [f"{flow(key)}: {flow(value)}" for key, value in entry.items()]
    return [start + pair for start, pair in zip(before, pairs, strict=True)]


def _first_item(document: Document, part: YamlNode, entry: dict[str, object]) -> Edit:
    """Return the edit that puts an item into an empty list."""
    if not part.is_sequence or part.key is None:
        raise NotEditableError("there is something else than a list")
    start, end = span(document.lines, part)
    line_end = ending(document.lines)
    dash = " " * (part.key.column - 1 + INDENT) + "- "
    before = len(document.lines.text[:start].rstrip(" "))
    return Edit(before, end, line_end + line_end.join(_item(entry, dash)))


def _block(keys: Sequence[str], value: object, indent: int) -> list[str]:
    """Return the lines of a value below keys, one for each; mappings of a list have lines of their own."""
    lines = [f"{' ' * (indent + INDENT * at)}{flow(key)}:" for at, key in enumerate(keys)]
    if isinstance(value, list) and value and all(isinstance(one, dict) and one for one in value):
        dash = " " * (indent + INDENT * len(keys)) + "- "
        return [*lines, *(line for one in value for line in _item(one, dash))]
    return [*lines[:-1], f"{lines[-1]} {flow(value)}"]


def _replaced(document: Document, part: YamlNode, value: object) -> Edit:
    lines = document.lines
    start, end = span(lines, part)
    if part.written is not None:
        start, end = part.written.start, part.written.end
        if part.written.style in "|>":
            end = len(lines.text[:end].rstrip())
    elif not lines.text[start:end].lstrip().startswith(("[", "{")):
        end = max(filter(None, (_end_written(lines, one) for one in part.walk())), default=end)
    if _has_comment(lines, part, start, end):
        raise NotEditableError("there is a comment in it that would be lost")
    written = flow(value)
    if start == end:
        written = f" {written}"
    elif part.key is not None and part.place.line > part.key.line and part.place.column <= part.key.column:
        written = " " * INDENT + written
    return Edit(start, end, written)


def _has_comment(lines: Lines, part: YamlNode, start: int, end: int) -> bool:
    """Return whether there is a comment between two offsets; a sign in a text or a key begins none."""
    texts: list[tuple[int, int]] = []
    for one in part.walk():
        if one.key is not None and one is not part:
            texts.append((offset(lines, one.key.line, one.key.column), _key_end(lines, one.key)))
        if one.written is not None:
            # Behind the sign of a block there may be a comment.
            is_block = one.written.style in "|>"
            first = next_line(lines.text, one.written.start) if is_block else one.written.start
            texts.append((first, one.written.end))
    for first, last in sorted(texts):
        if "#" in lines.text[start:first]:
            return True
        start = max(start, last)
    return "#" in lines.text[start:end]


def _key_end(lines: Lines, key: Location) -> int:
    return offset(lines, key.end_line, key.end_column)


def _end_written(lines: Lines, part: YamlNode) -> int:
    """Return the offset behind a scalar, or something in brackets; 0 for a block."""
    if part.written is not None:
        end = part.written.end
        return len(lines.text[:end].rstrip()) if part.written.style in "|>" else end
    start, end = span(lines, part)
    return end if lines.text[start : start + 1] in ("[", "{") else 0


def _inserted(document: Document, part: YamlNode, keys: list[str], value: object) -> Edit:
    """Return the edit that adds what is missing below a part."""
    lines = document.lines
    line_end = ending(lines)
    if part.value is None and part.key is not None:
        return _filled(document, part, keys, value)
    if not part.is_mapping:
        raise NotEditableError(f"`{keys[0]}` cannot be added: there is something else than keys and values")
    start, _ = span(lines, part)
    if lines.text[start : start + 1] == "{":
        inner: object = value
        for key in reversed(keys[1:]):
            inner = {key: inner}
        added = f"{flow(keys[0])}: {flow(inner)}"
        last = max((span(lines, one)[1] for one in part.fields.values()), default=start + 1)
        return Edit(last, last, f", {added}" if part.fields else added)
    at = end_of(lines, part)
    column = min(one.label.column for one in part.fields.values())
    made = line_end.join(_block(keys, value, column - 1)) + line_end
    if at and not lines.text[:at].endswith("\n"):
        made = line_end + made
    return Edit(at, at, made)


def _filled(document: Document, part: YamlNode, keys: list[str], value: object) -> Edit:
    """Return the edit that gives a key without a value what is to be below it."""
    lines = document.lines
    assert part.key is not None
    if part.written is not None and part.written.start < part.written.end:
        raise NotEditableError("it is written as empty: remove the `~` or `null`")
    at = next_line(lines.text, offset(lines, part.key.line, part.key.end_column))
    line_end = ending(lines)
    made = line_end.join(_block(keys, value, part.key.column - 1 + INDENT)) + line_end
    if at and not lines.text[:at].endswith("\n"):
        made = line_end + made
    return Edit(at, at, made)


def _proven(old: str, new: str, expected: Callable[[object], object]) -> str:
    """Return the new text if it is read as what is expected of the old one's data."""
    before = _read(old).data if has_content(old) else {}
    if not _same(_read(new).data, expected(before)):
        raise NotEditableError("its layout does not allow it")
    return new


def _same(one: object, other: object) -> bool:
    """Return whether data are equal, 1, true and 1.0 being different; the order of keys does not matter."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other


def _put(data: object, path: Path, value: object) -> object:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        assert isinstance(data, list)
        return [_put(one, rest, value) if at == step else one for at, one in enumerate(data)]
    below = data if isinstance(data, dict) else {}
    return {**below, step: _put(below.get(step), rest, value)}


def _without(data: object, path: Path) -> object:
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        assert isinstance(data, list)
        if not rest:
            return data[:step] + data[step + 1 :]
        return [_without(one, rest) if at == step else one for at, one in enumerate(data)]
    assert isinstance(data, dict)
    if not rest:
        return {key: value for key, value in data.items() if key != step}
    return {**data, step: _without(data[step], rest)}


def _listed(data: object, path: Path) -> list[object]:
    for step in path:
        if isinstance(step, int):
            data = data[step] if isinstance(data, list) else None
        else:
            data = data.get(step) if isinstance(data, dict) else None
    return data if isinstance(data, list) else []


def flow(plain: object) -> str:
    """
    Return plain data as YAML on one line that can be anywhere, in brackets and out of them.

    Texts are without quotes where YAML reads them as they are, else in double quotes.
    """
    if plain is None:
        return "~"
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, list):
        return "[" + ", ".join(flow(item) for item in plain) + "]"
    if isinstance(plain, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(value)}" for key, value in plain.items()) + "}"
    if isinstance(plain, str):
        return plain if is_plain(plain, flow=True) else '"' + "".join(map(_escaped, plain)) + '"'
    return repr(plain)


def _escaped(character: str) -> str:
    """Return a character as it is within double quotes in YAML."""
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
