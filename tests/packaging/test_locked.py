"""What is installed is listed with its hash and fits; the lowest releases are those we name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUN = [Requirement(one) for one in PROJECT["dependencies"]]
DEV = [Requirement(one) for one in PROJECT["optional-dependencies"]["dev"]]
READ = {".py", ".md", ".yml", ".yaml", ".sh", ".txt"}
PIN = re.compile(r"^([a-z0-9._-]+)==(\S+)")


def locked(name: str) -> dict[str, str]:
    """Return package -> its block in one of the lists."""
    text = (ROOT / "scripts" / "requirements" / name).read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=[a-z0-9])", text)
    return {found[1]: block for block in blocks if (found := PIN.match(block))}


def version(block: str) -> Version:
    found = PIN.match(block)
    assert found is not None
    return Version(found[2])


@pytest.mark.parametrize(("name", "asked"), [("dev.txt", [*RUN, *DEV]), ("run.txt", RUN)])
def test_every_package_is_listed_with_a_hash_and_fits(name: str, asked: list[Requirement]) -> None:
    listed = locked(name)
    assert [package for package, block in listed.items() if "--hash=sha256:" not in block] == []
    wrong = [
        str(one)
        for one in asked
        if canonicalize_name(one.name) not in listed
        or version(listed[canonicalize_name(one.name)]) not in one.specifier
    ]
    assert wrong == [], "`make lock` writes the lists anew"


def test_what_runs_is_the_same_in_both_lists() -> None:
    run, dev = locked("run.txt"), locked("dev.txt")
    assert {name: version(block) for name, block in run.items()} == {name: version(dev[name]) for name in run}


def test_the_lowest_releases_are_those_that_are_asked_for() -> None:
    lowest = locked("lowest.txt")
    for one in RUN:
        (bound,) = [Version(part.version) for part in one.specifier if part.operator == ">="]
        assert version(lowest[canonicalize_name(one.name)]).release[:2] == bound.release[:2], str(one)


def test_no_list_names_an_index() -> None:
    for file in (ROOT / "scripts" / "requirements").iterdir():
        assert not re.search(r"^(-|\S+ @)|://", file.read_text(encoding="utf-8"), re.MULTILINE), file.name


#: A package that pip would fetch by the name alone. Extras of what is installed already are no such thing.
BARE = re.compile(
    r"pip3? install (?:\S+ )*?(?:(?:-U|--upgrade)\s+)['\"]?exitgate\b|exitgate\s*(?:==|~=|>=)\s*[0-9{]"
    r"|(?:run: .*|uvx |pipx (?:run|install) )pip3? install (?:\S+ )*['\"]?exitgate(?:\[\w+\])?['\"]?\s*$"
    r"|(?:uvx|pipx run|pipx install|uv tool install) exitgate",
    re.MULTILINE,
)


def test_nothing_installs_exitgate_by_a_name_that_anyone_may_take() -> None:
    assert BARE.search('  - run: python -I -m pip install "exitgate[prove]"\n')
    assert BARE.search("install it: `pip install --upgrade exitgate`")
    assert BARE.search("EXITGATE: exitgate=={version}")
    assert not BARE.search('  - run: pip install "exitgate[prove] @ $EXITGATE"\n')
    folders = (ROOT / name for name in ("src", "docs", "examples", "plugins", "scripts"))
    files = [file for folder in folders for file in folder.rglob("*") if file.suffix in READ]
    files += [ROOT / "README.md", ROOT / "action.yml", ROOT / ".pre-commit-hooks.yaml"]
    assert len(files) > 500
    found = [str(file) for file in files if BARE.search(file.read_text(encoding="utf-8"))]
    # Records say what was; pages of reference are made from what is searched here.
    assert [name for name in found if not re.search("/docs/(decisions|reference)/", name)] == []
