"""Rows as comma-separated values, as RFC 4180 has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from exitgate.report.terminal import safe

#: First characters at which a spreadsheet takes a text for a formula.
_FORMULA = "=+-@"


def csv_rows(fields: Sequence[str], rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the heading and a line for each row, line ends included; a missing member is an empty cell."""
    yield ",".join(fields) + "\r\n"
    for row in rows:
        yield ",".join(csv_cell(row.get(name)) for name in fields) + "\r\n"


def csv_cell(value: object) -> str:
    """Return one cell; nothing in it acts on a terminal, ends the row or becomes a formula."""
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    text = safe(str(value))
    if isinstance(value, str) and text and text[0] in _FORMULA:
        text = "'" + text
    return '"' + text.replace('"', '""') + '"' if set(text) & set('",') else text
