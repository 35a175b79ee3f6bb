"""Writes the reference pages that are made from the code: `python docs/generate.py`."""

from __future__ import annotations

from pathlib import Path

from exitgate.cli.commands_page import commands_page
from exitgate.cli.reference import codes
from exitgate.policy import shipped
from exitgate.report.codes_page import codes_page
from exitgate.report.facts_page import facts_page
from exitgate.report.functions_page import functions_page
from exitgate.report.schema_page import schema_page

REFERENCE = Path(__file__).parent / "reference"


def pages() -> dict[str, str]:
    """Return file name -> text of every generated page."""
    formats = {f"{name}-format.md": schema_page(shipped.schema(name)) for name in shipped.schema_names()}
    return {
        **formats,
        "commands.md": commands_page(),
        "diagnostics.md": codes_page(codes()),
        "facts.md": facts_page(),
        "functions.md": functions_page(),
    }


def main() -> None:
    """Write every page."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
