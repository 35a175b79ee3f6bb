"""From the text of a policy in an older format to the text of the same policy in today's: `migrate_text`."""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO
from typing import Any

from msgspec import Struct

from exitgate.analysis.edits import Edit, apply, ending, offset
from exitgate.analysis.migrate.layout import comments, put_behind, with_old_lines, written_like
from exitgate.analysis.migrate.step import Remarks
from exitgate.analysis.migrate.steps import STEPS, format_of, is_sketch
from exitgate.core.model.diagnostic import ERROR, Diagnostic, ExitgateError
from exitgate.core.policy.extending.merged import FORMAT
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.core.policy.yaml.lines import Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.analysis.migrate.step import Remark, Step
    from exitgate.core.policy.yaml.document import Document


#: A key that is not text.
NO_TEXT = "EP110"


class Migrated(Struct, frozen=True):
    """
    A policy in the current format.

    Args:
        text: Its text; the very text it had where nothing must be done.
        since: The format it had; None for a file that is not a policy.
        warnings: What is kept and not read any more.
    """

    text: str
    since: int | None
    warnings: tuple[Diagnostic, ...] = ()


def migrate_text(
    text: str,
    file: str,
    steps: Sequence[Step] = STEPS,
    newest: int = FORMAT,
    schema: str | None = "policy",
) -> Migrated:
    """
    Return a policy's text in the newest format, with every comment.

    Args:
        text: A file of strict YAML.
        file: Its name, for diagnostics.
        steps, newest: The steps there are and the format they lead to.
        schema: Name of the schema that the result is compared with, None for no check.

    Raises:
        ExitgateError: 65: it is not strict YAML, of a newer format (EP207), of no known one (EP547), holds
            what has no form in the newest (EP545), or is of the older format and wrong in it.
    """
    document = _document(text, file)
    plain: Any = document.data
    since = format_of(plain)
    if since is None or since == newest:
        return Migrated(text, since)
    path = [step for step in steps if since <= step.since < newest]
    if since > newest or not path or path[0].since != since:
        raise _unknown(document, since, newest)
    tree, indent = written_like(document)
    remarks = Remarks()
    for step in path:
        tree = step.run(tree, remarks)
    told = [_told(remark, document) for remark in remarks.found]
    if any(one.severity == ERROR for one in told):
        raise ExitgateError(told)
    new = _text(document, tree, indent)
    if schema is not None:
        _check_shape(new, file, schema)
    return Migrated(new, since, tuple(told))


def _document(text: str, file: str) -> Document:
    """Return the document; keys that are numbers, which the first sketches had, are texts in it."""
    try:
        return load_yaml(text, file)
    except ExitgateError as error:
        if any(one.code != NO_TEXT or one.place is None for one in error.diagnostics):
            raise
        lines = Lines(file, text)
        edits = []
        for one in error.diagnostics:
            assert one.place is not None
            start = offset(lines, one.place.line, one.place.column)
            end = offset(lines, one.place.end_line, one.place.end_column)
            edits.append(Edit(start, end, json.dumps(text[start:end])))
        document = load_yaml(apply(text, edits), file)
        if not is_sketch(document.data):  # type: ignore[arg-type]
            raise
        return document


def _unknown(document: Document, since: int, newest: int) -> ExitgateError:
    place, lines = document.place(("format",)), document.lines
    if since > newest:
        from exitgate import __version__

        message = f"this policy is written in format {since}; exitgate {__version__} reads format {newest}"
        help = f"install a newer version of exitgate: one that reads format {since}"
        return ExitgateError([Diagnostic("EP207", message, place, help, source=lines.line(place.line))])
    message = f"format {since} of policies does not exist"
    help = f"write `format: {newest}` if it is in that format"
    return ExitgateError([Diagnostic("EP547", message, place, help, source=lines.line(place.line))])


def _told(remark: Remark, document: Document) -> Diagnostic:
    """Return a remark as a diagnostic at its place in the old document."""
    path = remark.path
    while True:
        try:
            place = document.root.at(path).label
            break
        except KeyError:
            path = path[:-1]
    code = "EP545" if remark.severity == ERROR else "EP546"
    source = document.lines.line(place.line)
    return Diagnostic(code, remark.message, place, remark.help, remark.severity, source)


def _text(document: Document, tree: Any, indent: Mapping[str, int]) -> str:
    """Return the text of a migrated document, with all comments and, if possible, all layout."""
    plain: Any = _plain(tree)
    simple = _with_keys(document, plain)
    if simple is not None:
        return simple
    from ruamel.yaml import YAML

    writer = YAML(typ="rt")
    writer.preserve_quotes = True
    writer.width = 1 << 16
    writer.indent(**indent)
    stream = StringIO()
    writer.dump(tree, stream)
    new = _with_lost(put_behind(stream.getvalue(), document), document)
    kept = with_old_lines(new, document.lines.text)
    for candidate in (kept, new):
        if load_yaml(candidate, document.file).data == plain:
            return candidate.replace("\n", ending(document.lines))
    raise AssertionError("the migrated document does not hold what the migration made")


def _with_keys(document: Document, plain: Mapping[str, object]) -> str | None:
    """Return the old text with new lines, where only numbers at the top are new; else None."""
    old: Any = document.data
    if any(key not in plain or plain[key] != value for key, value in old.items() if key != "format"):
        return None
    if [key for key in plain if key in old] != list(old) or document.lines.text.lstrip().startswith("{"):
        return None
    edits, before = [], None
    for key, value in plain.items():
        if key in old and old[key] == value:
            before = key
            continue
        if not isinstance(value, int) or before is None:
            return None
        edits.append(_key_edit(document, key, value, before))
    new = apply(document.lines.text, edits)
    return new if load_yaml(new, document.file).data == plain else None


def _key_edit(document: Document, key: str, value: int, before: str) -> Edit:
    part = document.root.get(key)
    if part is not None and part.written is not None:
        return Edit(part.written.start, part.written.end, str(value))
    lines = document.lines
    place = document.place((before,))
    at = offset(lines, place.end_line if place.end_column > 1 else place.end_line - 1, 1)
    end = lines.text.find("\n", at)
    column = document.key_place((before,)).column
    line = " " * (column - 1) + f"{key}: {value}"
    if end < 0:
        return Edit(len(lines.text), len(lines.text), ending(lines) + line)
    return Edit(end + 1, end + 1, line + ending(lines))


def _with_lost(new: str, document: Document) -> str:
    """Return the new text with the comments that it lost, at its end: those inside brackets have no place."""
    there = Counter(text for _, text in comments(load_yaml(new, document.file)))
    lost: list[str] = []
    for number, text in comments(document):
        if there[text]:
            there[text] -= 1
        else:
            lost.append(f"# line {number} was: {text}")
    return new if not lost else new.rstrip("\n") + "\n\n" + "\n".join(lost) + "\n"


def _plain(tree: Any) -> object:
    """Return plain dicts, lists and scalars of a document that keeps its comments."""
    if isinstance(tree, dict):
        return {str(key): _plain(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_plain(one) for one in tree]
    if isinstance(tree, bool) or tree is None:
        return tree
    return next((kind(tree) for kind in (int, float, str) if isinstance(tree, kind)), tree)


def _check_shape(text: str, file: str, schema: str) -> None:
    """Report what the format of today does not allow in a migrated policy, at its place in the new text."""
    from exitgate.core.policy import shipped
    from exitgate.core.policy.schema.check import check_schema

    findings = Findings()
    document = load_yaml(text, f"{file} (migrated)")
    findings.know(document.lines)
    check_schema(document.root, shipped.schema(schema), findings)
    findings.raise_errors()
