"""The reference pages in `docs/reference` are those the code makes: `python docs/generate.py`."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def pages() -> dict[str, str]:
    found = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    made: dict[str, str] = module.pages()
    return made


PAGES = pages()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_is_fresh(name: str) -> None:
    assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == PAGES[name]


def test_every_code_in_use_is_explained() -> None:
    used = {
        code
        for path in (ROOT / "src" / "exitgate").rglob("*.py")
        for code in re.findall(r'"(EP\d{3})"', path.read_text(encoding="utf-8"))
    }
    assert {code for code in used if f"`{code}`" not in PAGES["diagnostics.md"]} == set()


def test_links_between_pages_lead_somewhere() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+\.md)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page}: {target}"
