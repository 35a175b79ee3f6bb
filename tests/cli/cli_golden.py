"""Golden files of commands: what people read, kept as it is printed. Rewritten with EXITGATE_GOLDEN=write."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def same(name: str, text: str) -> None:
    """Hold `text` against `golden/NAME`."""
    path = FOLDER / name
    if os.environ.get("EXITGATE_GOLDEN") == "write":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    with path.open(encoding="utf-8", newline="") as file:
        assert text == file.read()
