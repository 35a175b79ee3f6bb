"""No page, policy or message has a recurring fault of English; the table: `tests/shared/english.py`."""

from __future__ import annotations

import re
import subprocess

from cases import each
from english import FAULTS, READ, ROOT, Fault, faults, markdown, program

#: Texts of agents and users, and their plans.
QUOTED = ("examples/loop/", "examples/transcripts/", "examples/misbehaving/")


def tracked(*folders: str) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return listed.stdout.splitlines()


def wrong(names: list[str]) -> list[str]:
    read = [name for name in names if name.endswith(tuple(READ))]
    return [line for name in read for line in faults(name, (ROOT / name).read_text(encoding="utf-8"))]


def test_pages_and_policies_have_none_of_the_recurring_faults() -> None:
    names = tracked(
        "*.md",
        "docs",
        "policies",
        "examples",
        "plugins",
        "benchmarks",
        "scripts",
        ".github",
        "*.yml",
        ":!tests",
        ":!src",
    )
    own = [name for name in names if not name.startswith(QUOTED) or name.endswith("README.md")]
    found = wrong(own)
    assert not found, "\n".join(found)


def test_messages_and_docstrings_have_none_of_the_recurring_faults() -> None:
    found = wrong(tracked("src"))
    assert not found, "\n".join(found)


@each("fault", FAULTS, ids=[fault.write for fault in FAULTS])
def test_a_fault_is_found_and_what_looks_alike_is_not(fault: Fault) -> None:
    assert any(line.endswith(fault.write) for line in faults("page.md", fault.wrong))
    for sentence in fault.right:
        assert not [line for line in faults("page.md", sentence) if line.endswith(fault.write)], sentence


@each(
    "page",
    [
        "```\nIt is mended.\n```",
        "`mended`",
        'It says "all mended" there.',
        "[a](mended.md)",
        "---\na: mended\n---",
    ],
)
def test_code_and_quotations_are_not_searched(page: str) -> None:
    assert list(faults("page.md", page)) == []


def test_a_fault_has_its_line() -> None:
    assert [
        p.line(p.text.index("mended")) for p in markdown("# A\n\nIt was\nall mended\n") if "mended" in p.text
    ] == [4]
    text = (
        'def f():\n    """\n    Two lines.\n\n    It is mended.\n    """\n    re.compile("is no mended x")\n'
    )
    assert [line.split(":")[1] for line in faults("f.py", text)] == ["5"]
    assert [passage.text for passage in program('f"{name} is no plan"')] == ["§ is no plan"]


#: An assignment that ends with a text, and a text below it at the same indentation: the second is lost.
CUT_OFF = re.compile(r"^( *)\w+ = f?\"[^\"\n]*\"\n\1f?\"[^\"\n]*\"$", re.M)


def test_no_message_is_cut_off() -> None:
    """A message in two literals without parentheses is its first half."""
    read = {
        name: (ROOT / name).read_text(encoding="utf-8") for name in tracked("src") if name.endswith(".py")
    }
    assert [name for name, source in read.items() if CUT_OFF.search(source)] == []
    assert CUT_OFF.search('    message = f"a {b} "\n    "c"\n')
