"""The generated pages for people who work on exitgate say what the files say."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import grimp
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made() -> ModuleType:
    found = importlib.util.spec_from_file_location("project_pages", ROOT / "docs" / "project_pages.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_pages_are_fresh(made: ModuleType) -> None:
    stale = [
        path.relative_to(ROOT).as_posix()
        for path, text in made.pages().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run `python docs/project_pages.py`"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("# Two\n\n**Status**: accepted\n\n**In short.** One.\n", "begin with `# 0002: title`"),
        ("# 0003: Two\n\n**Status**: accepted\n\n**In short.** One.\n", "begin with `# 0002: title`"),
        ("# 0002: Two\n\n**In short.** One.\n", "begin with `# 0002: title`"),
        ("# 0002: Two\n\n**Status**: draft\n\n**In short.** One.\n", "no such status: `draft`"),
        ("# 0002: Two\n\n**Status**: accepted\n\nOne.\n", r"add `\*\*In short"),
        ("# 0002: Two\n\n**Status**: superseded by 0009\n\n**In short.** One.\n", "no decision 0009"),
        ("# 0002: Two\n\n**Status**: superseded by 0002\n\n**In short.** One.\n", "no decision 0002"),
    ],
)
def test_a_decision_that_lacks_a_part_is_refused(
    made: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, wrong: str
) -> None:
    (tmp_path / "0002-two.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(made, "DECISIONS", tmp_path)
    with pytest.raises(ValueError, match=wrong):
        made.decisions()


def test_a_decision_shows_its_successor_and_its_first_sentence(
    made: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = "# 0002: Two\n\n**Status**: superseded by 0003\n\n**Decision.** Take `a|b`\nor c. More.\n\nWhy.\n"
    three = "# 0003: Three\n\n**Status**: accepted\n\n**In short.** Take c.\n\n**Decision.** D.\n\nE.\n"
    (tmp_path / "0002-two.md").write_text(two, encoding="utf-8")
    (tmp_path / "0003-three.md").write_text(three, encoding="utf-8")
    monkeypatch.setattr(made, "DECISIONS", tmp_path)
    assert made.decisions_page().splitlines()[-2:] == [
        r"| [0002](0002-two.md) | Two | superseded by [0003](0003-three.md) | Take `a\|b` or c. |",
        "| [0003](0003-three.md) | Three | accepted | Take c. |",
    ]


def graph_of(*imports: tuple[str, str]) -> grimp.ImportGraph:
    """Return a graph of packages of `exitgate`, each with a module `m` in which the imports are."""
    graph = grimp.ImportGraph()
    graph.add_module("exitgate")
    for end in sorted({end for pair in imports for end in pair} | {"core", "core.model"}):
        for name in (f"exitgate.{end}", f"exitgate.{end}.m"):
            graph.add_module(name)
    for one, other in imports:
        graph.add_import(importer=f"exitgate.{one}.m", imported=f"exitgate.{other}.m")
    return graph


def test_the_picture_leaves_out_arrows_that_lead_the_same_way(made: ModuleType) -> None:
    shown = made.picture(graph_of(("cli", "report"), ("cli", "core"), ("report", "core")))
    arrows = [line.strip() for line in shown.splitlines() if "-->" in line]
    assert arrows == ["cli --> report", "report --> core"]


def test_the_picture_joins_what_imports_each_other_in_the_core_and_refuses_it_above(made: ModuleType) -> None:
    circle = (("core.state", "core.observe"), ("core.observe", "core.state"), ("core.observe", "core.model"))
    shown = made.picture(graph_of(*circle))
    assert 'observe_state["observe ⇄ state"]' in shown
    assert "observe_state --> model" in shown
    with pytest.raises(ValueError, match="in a circle"):
        made.picture(graph_of(("cli", "report"), ("report", "cli")))


def defined(module: Path) -> set[str]:
    """Return the names that a module defines at its top, those of a class as `Class.name`."""
    found = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def test_every_name_on_the_page_of_the_architecture_exists(made: ModuleType) -> None:
    """A line of a Python block begins with a name of `exitgate`, packages and module first."""
    text = made.ARCHITECTURE.read_text(encoding="utf-8")
    names = [
        found[0]
        for block in re.findall(r"```python\n(.*?)```", text, re.S)
        for line in block.splitlines()
        if (found := re.match(r"[\w.]+", line))
    ]
    assert len(names) > 50
    missing = []
    for name in names:
        parts, place = name.split("."), ROOT / "src" / "exitgate"
        while (place / parts[0]).is_dir():
            place /= parts.pop(0)
        module = place / f"{parts[0]}.py"
        if not module.is_file() or ".".join(parts[1:]) not in defined(module):
            missing.append(name)
    assert missing == []


def test_every_package_is_on_the_page_of_the_architecture(made: ModuleType) -> None:
    text = made.ARCHITECTURE.read_text(encoding="utf-8")
    source = ROOT / "src" / "exitgate"
    packages = [path.parent for path in (*source.glob("*/__init__.py"), *source.glob("core/*/__init__.py"))]
    names = [path.relative_to(source).as_posix().replace("/", ".") for path in packages]
    assert len(names) > 15
    assert [name for name in names if f"`{name}`" not in text] == []
