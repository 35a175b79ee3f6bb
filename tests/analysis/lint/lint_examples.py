"""Examples of pages as files, and the lints run over them."""

from __future__ import annotations

from pathlib import Path

from exitgate.analysis.lint import registry, run
from exitgate.analysis.lint.doc import doc_of, whole
from exitgate.analysis.lint.finding import SETTINGS, Lint, Placed
from exitgate.analysis.lint.loader import Opened, open_subject

TESTS = "policy: ./policy.yaml\ntests: []\n"
DEFAULT = "recommended"


def place(folder: Path, lint: Lint, part: str, tested: bool = True) -> Path:
    """Write an example of a lint's page with what lies beside it, and return the file."""
    if lint.KINDS[0] == SETTINGS:
        folder = folder / ".bb3"
        folder.mkdir()
    (folder / "policy.schema.json").write_text("{}", encoding="utf-8")
    if tested:
        (folder / "tests.yaml").write_text(TESTS, encoding="utf-8")
    for name, text in doc_of(lint).beside:
        if tested or name != "tests.yaml":
            (folder / name).write_text(text, encoding="utf-8")
    path = folder / ("config.yaml" if lint.KINDS[0] == SETTINGS else "policy.yaml")
    path.write_text(whole(lint, part), encoding="utf-8")
    return path


def opened(path: Path, lint: Lint, text: str | None = None) -> Opened:
    earlier = whole(lint, doc_of(lint).earlier) if doc_of(lint).earlier else None
    return open_subject(str(path), DEFAULT, doc_of(lint).today, earlier, text)


def findings(path: Path, lint: Lint) -> tuple[Placed, ...]:
    """Return what every lint finds in a file of an example; it must be in order otherwise."""
    found = opened(path, lint)
    assert found.problems == ()
    assert found.subject is not None
    return run.lint(found.subject, registry.lints())


def shown(placed: tuple[Placed, ...]) -> list[str]:
    return [f"{p.lint}: {p.finding.message}" for p in placed if p.suppression is None]
