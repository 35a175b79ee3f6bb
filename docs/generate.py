"""
Writes the reference pages that are made from the code: `python docs/generate.py`.

Writes those of `project_pages.py`, too.
"""

from __future__ import annotations

from pathlib import Path

from exitgate.cli.main import COMMANDS, load
from exitgate.cli.reference import codes, commands_page, rehearse
from exitgate.reference.build import Outside, build

REFERENCE = Path(__file__).parent / "reference"


def pages() -> dict[str, str]:
    """Return path below `docs/reference` -> text of every generated page."""
    summaries = {name: load(name).summary for name in COMMANDS}
    return build(Outside(codes(), commands_page(), summaries, rehearse))


def main() -> None:
    """Write every page, and remove those that are made no more."""
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
