"""The page of the readers of recorded runs."""

from __future__ import annotations

import inspect

from exitgate.reference.entry import Entry, Page
from exitgate.reference.tables import table
from exitgate.transcripts import registry

PATH = "readers.md"
INTRODUCTION = """# Readers

A reader takes recorded runs in one program's format. The content of a file or folder decides which
reader takes it; `--reader` names one. What is kept of a recording, and what is not, is in
[transcripts](../explanation/transcripts.md); [write a reader](../how-to/write-a-reader.md) says how to
add one.
"""


def page() -> Page:
    """Return the page: each reader with what writes its format and what it shows an iteration."""
    lines = [INTRODUCTION]
    entries = []
    for id in sorted(registry.READERS):
        reader = registry.load(id)
        doc = (inspect.getdoc(reader) or "").strip().replace("``", "`")
        rows = [("written by", reader.TITLE.replace("|", "\\|")), ("tells", ", ".join(sorted(reader.GIVES)))]
        lines += [f"## `{id}`", "", *table(("", ""), rows), "", doc, ""]
        entries.append(Entry(id, "reader", PATH, id, reader.TITLE))
    return Page(PATH, "\n".join(lines).rstrip("\n") + "\n", tuple(entries))
