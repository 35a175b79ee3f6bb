"""Plain values as one line of JSON lines."""

from __future__ import annotations

import json

from exitgate.report.safe import JOINERS


def json_line(plain: object) -> str:
    """Return plain values as one line with its end; where a terminal could act on one, all in ASCII."""
    text = json.dumps(plain, ensure_ascii=False)
    if not all(c.isprintable() or c in JOINERS for c in text):
        text = json.dumps(plain).replace("\x7f", "\\u007f")
    return text + "\n"
