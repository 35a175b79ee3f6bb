"""A check starts fast: what it imports, and what each dependency is imported for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BANNED = {
    "yaml", "jsonschema", "lark", "simpleeval", "structlog", "click", "rich", "markdown_it",
    "dataclasses", "typing", "logging", "subprocess",
}  # fmt: skip
#: The modules a check needs when its policy comes compiled from the cache.
PATH_OF_A_CHECK = (
    "exitgate.core.engine.program",
    "exitgate.core.facts.registry",
    "exitgate.core.gate.check",
    "exitgate.core.ledger.append",
    "exitgate.core.policy.serialized",
)
EXTRACTORS = "from exitgate.core.facts import registry; [registry.load(n) for n in registry.names()]"


def loaded(code: str) -> set[str]:
    """Return the banned modules that running `code` in a fresh interpreter loads."""
    probe = f"import sys; before = set(sys.modules); {code}; print(*(set(sys.modules) - before))"
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in ran.stdout.split()} & BANNED


def test_the_path_of_a_check_imports_nothing_heavy() -> None:
    assert loaded("import " + ", ".join(PATH_OF_A_CHECK)) == set()


def test_no_extractor_imports_anything_heavy() -> None:
    # re2 itself is allowed; what it pulls in is counted apart
    assert loaded(EXTRACTORS) <= loaded("import re2")


def test_the_package_itself_imports_nothing() -> None:
    assert loaded("import exitgate") == set()


def test_layers_hold() -> None:
    ran = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-2000:]
