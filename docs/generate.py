"""
Writes the reference pages that are made from the code: `python docs/generate.py`.

Writes those of `project_pages.py`, too.
"""

from __future__ import annotations

from pathlib import Path

from exitgate.cli.main import COMMANDS, load
from exitgate.cli.reference import codes, commands_page, rehearse
from exitgate.reference.build import Outside, build
from exitgate.reference.output_schemas import OUTPUTS, schema_text

REFERENCE = Path(__file__).parent / "reference"
SCHEMAS = Path(__file__).parents[1] / "schemas"


def pages() -> dict[str, str]:
    """Return path below `docs/reference` -> text of every generated page."""
    summaries = {name: load(name).summary for name in COMMANDS}
    return build(Outside(codes(), commands_page(), summaries, rehearse))


def main() -> None:
    """Write the schemas of outputs and every page, and remove pages that are made no more."""
    for name in OUTPUTS:
        (SCHEMAS / f"{name}.schema.json").write_text(schema_text(name), encoding="utf-8")
    made = pages()
    for path in sorted(REFERENCE.rglob("*.*")):
        if path.is_file() and path.relative_to(REFERENCE).as_posix() not in made:
            path.unlink()
    for name, text in made.items():
        place = REFERENCE / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_file() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")
    import project_pages  # beside this file

    project_pages.main()


if __name__ == "__main__":
    main()
