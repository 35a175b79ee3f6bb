"""Every row of the tables in `docs/seeds` names tests that are there: nothing a seed asks for slips."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import yaml
from cases import each

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "seeds").glob("*.md"))
INDEX = ROOT / "docs" / "seeds.md"
HEADINGS = ["seed says", "where", "what ships", "test"]
#: A case of a tests.yaml (its name, whole), or a function of a test file, which may be followed by `[id`.
NAMED = re.compile(r"`((?:tests|policies|examples)/[^`]*?\.(?:yaml|py)) :: ([^`]+)`")
CELLS = re.compile(r"(?<!\\)\|")


def cells(line: str) -> list[str]:
    """Return the cells of a line of a table; bars that belong to the text are written `\\|`."""
    return [cell.strip().replace("\\|", "|") for cell in CELLS.split(line.strip().strip("|"))]


def rows(page: Path) -> list[tuple[int, int, list[str]]]:
    """
    Return the rows of all tables of a page that have tests: line number, columns wanted, cells.

    A table without them says nothing of a seed.
    """
    found: list[tuple[int, int, list[str]]] = []
    before, wanted = "", 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|"):
            wanted = 0
        elif set(line) <= set("|-: "):
            headings = cells(before)
            wanted = len(headings) if headings[-1] == HEADINGS[-1] else 0
            told = headings == HEADINGS or HEADINGS[0] not in headings
            assert told, f"{page.name}:{number - 1}: the columns are {headings}"
        elif wanted:
            found.append((number, wanted, cells(line)))
        before = line
    return found


@cache
def cases(path: Path) -> frozenset[str]:
    """Return the names of the cases of a tests.yaml."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return frozenset(case["name"] for case in yaml.load(path.read_text(encoding="utf-8"), loader)["tests"])


@cache
def functions(path: Path) -> frozenset[str]:
    """Return the names of the test functions of a Python file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def trouble_of(path: str, name: str) -> str:
    """Return what is wrong with one named test, or the empty text."""
    file = ROOT / path
    if not file.is_file():
        return f"no file `{path}`"
    if path.endswith(".yaml"):
        return "" if name in cases(file) else f"no case `{name}` in {path}"
    function, bracket, identifier = name.partition("[")
    if function not in functions(file):
        return f"no test `{function}` in {path}"
    words = identifier.removesuffix("]")
    known = not bracket or words in file.read_text(encoding="utf-8")
    return "" if known else f"nothing in {path} is called `{words}`"


def troubles(page: Path) -> list[str]:
    """Return what is wrong with the rows of a page, each with its line."""
    found = []
    for number, wanted, row in rows(page):
        said = row[0][:60] if row else ""
        where = f"{page.name}:{number} ({said})"
        if len(row) != wanted or not all(row):
            found.append(f"{where}: {len(row)} cells, or an empty one")
            continue
        named = NAMED.findall(row[-1])
        rest = NAMED.sub("", row[-1]).replace("<br>", "").strip()
        if not named:
            found.append(f"{where}: names no test")
        elif rest:
            found.append(f"{where}: `{rest}` is no test")
        found += [f"{where}: {wrong}" for wrong in (trouble_of(*one) for one in named) if wrong]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_row_names_a_test_that_is_there(page: Path) -> None:
    assert len(rows(page)) >= 20
    wrong = troubles(page)
    assert not wrong, "\n" + "\n".join(wrong)


def test_every_seed_has_a_page_and_the_index_leads_to_it() -> None:
    text = INDEX.read_text(encoding="utf-8")
    assert [page.stem for page in PAGES] == ["000", "001", "002", "003", "004"]
    for page in PAGES:
        assert f"](seeds/{page.name})" in text


def test_what_the_index_calls_a_policy_is_one() -> None:
    for link in re.findall(r"\]\(\.\./(policies/[^)]+)\)", INDEX.read_text(encoding="utf-8")):
        assert (ROOT / link).is_file(), link


GOOD = "policies/bb3/tests.yaml :: example 1, five of five tasks"


@each(
    ("row", "wrong"),
    [
        (f"| a | b | c | `{GOOD}` |", ""),
        (f"| a `x \\| y` | b | c | `{GOOD}`<br>`{GOOD}` |", ""),
        ("| a | b | c | `tests/architecture/test_seed_rows.py :: test_a_row_is_read_strictly[wrong]` |", ""),
        ("| a | b | c | |", "an empty one"),
        ("| a | b | c | later |", "names no test"),
        (f"| a | b | c | `{GOOD}` and more |", "is no test"),
        ("| a | b | c | `policies/bb3/tests.yaml :: example 1` |", "no case `example 1`"),
        ("| a | b | c | `policies/none/tests.yaml :: example 1` |", "no file"),
        ("| a | b | c | `tests/architecture/test_seed_rows.py :: test_nothing` |", "no test `test_nothing`"),
        (f"| a | b | `{GOOD}` |", "3 cells"),
    ],
)
def test_a_row_is_read_strictly(row: str, wrong: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    head = f"| {' | '.join(HEADINGS)} |\n|---|---|---|---|\n"
    page.write_text(f"# Page\n\n{head}{row}\n", encoding="utf-8")
    found = troubles(page)
    assert [wrong in one for one in found] == ([True] if wrong else [])
