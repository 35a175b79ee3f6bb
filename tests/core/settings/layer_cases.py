"""The corpus of settings: files, environment and command line, and what comes of them."""

from __future__ import annotations

from pathlib import Path

from exitgate.core.model.diagnostic import ERROR, Diagnostic, ExitgateError
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled
from exitgate.core.settings.provenance import Settled
from exitgate.report.config import entries, where

CORPUS = Path(__file__).parent / "corpus"
FENCE = "```"
PROJECT = ".bb3/config.yaml"

#: The policy most cases use; it lies at the root of the project.
POLICY = """\
policy: p
format: 1
version: 1.0.0
parameters:
  limit: {type: count, default: 3, min: 1, max: 9, doc: Iterations without a tick.}
  goal: {type: percent, default: 80, min: 1, doc: Share that is enough.}
  pause: {type: duration, default: 30m, doc: How long to wait.}
  budget: {type: money, currency: USD, default: 5 USD, doc: What it may cost.}
  strict: {type: bool, default: false, doc: Whether to be strict.}
  mood: {type: enum, members: [GOOD, BAD], default: GOOD, doc: How it goes.}
  words: {type: list, item: text, default: [a], doc: Words.}
profiles:
  critical_feature: {goal: 95, limit: 2}
  relaxed: {limit: 9}
lists: {later: [Later, Someday]}
facts:
  tasks: {extract: checklist, optional_sections: {list: later}}
rules:
  - {id: watchful, when: tasks.open > 9, warn: true}
  - {id: early, when: tasks.done > 99, exit: complete, mode: shadow}
  - {id: breaker, when: circuit.state is OPEN, exit: halted, locked: true}
  - {id: done, when: tasks.percent >= $goal, exit: complete}
  - {id: stuck, when: tasks.done unchanged for $limit iterations, exit: stuck}
"""


class Case:
    def __init__(self, name: str) -> None:
        self.name = name
        self.files: dict[str, str] = {}
        self.given: list[tuple[str, str]] = []
        self.expected = ""


def cases() -> list[Case]:
    found: list[Case] = []
    for path in sorted(CORPUS.glob("*.md")):
        block: list[str] | None = None
        kind = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if block is None and line.startswith("## "):
                found.append(Case(f"{path.stem}: {line[3:]}"))
            elif block is None and line.startswith(FENCE):
                block, kind = [], line[len(FENCE) :]
            elif block is not None and line == FENCE:
                _store(found[-1], kind, block)
                block = None
            elif block is not None:
                block.append(line)
    return found


def _store(case: Case, kind: str, block: list[str]) -> None:
    """`yaml` (the project file), `yaml user`, `yaml escaped`, `yaml PATH`, `ini`, `text`."""
    form, _, rest = kind.partition(" ")
    if form == "text":
        case.expected = "\n".join(block)
    elif form == "ini":
        case.given = [(n.strip(), v.strip()) for n, _, v in (line.partition("=") for line in block)]
    elif rest == "escaped":
        case.files[PROJECT] = "".join(block).encode("ascii").decode("unicode_escape")
    else:
        where_ = {"": PROJECT, "user": "../home/.config/exitgate/config.yaml"}.get(rest, rest)
        case.files[where_] = "".join(f"{line}\n" for line in block)


def lay_out(case: Case, folder: Path) -> Path:
    """Write the files of a case and return the root of its project."""
    root = folder / "project"
    (root / ".git").mkdir(parents=True)
    (folder / "home").mkdir()
    for name, text in {"policy.yaml": POLICY, **case.files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    (root / dict(case.given).get("root", ".")).mkdir(parents=True, exist_ok=True)
    return root


def asked(case: Case, root: Path) -> SettingsRequest:
    given = dict(case.given)
    settings = dict(v.split("=", 1) for n, v in case.given if n == "set")
    environment = {n: v for n, v in case.given if n.startswith("EXITGATE")}
    environment["HOME"] = str(root.parent / "home")
    return SettingsRequest(
        given.get("default", "bb3"), given.get("policy"), settings, given.get("root", "."), environment
    )


def outcome(case: Case, root: Path) -> str:
    """Return what comes of a case: diagnostics, then everything that is not as the policy has it."""
    try:
        settled = load_settled(asked(case, root))
    except ExitgateError as error:
        errors = {one.code for one in error.diagnostics if one.severity == ERROR}
        assert error.exit_code == (74 if errors == {"EP811"} else 65)
        return "\n".join(line for found in error.diagnostics for line in told(found))
    lines = [line for found in settled.policy.warnings for line in told(found)]  # type: ignore[arg-type]
    return "\n".join([*lines, *effective(settled)])


def told(found: Diagnostic) -> list[str]:
    severity = "" if found.severity == ERROR else f" {found.severity}"
    at = f" {found.place}:" if found.place is not None else ""
    return [f"{found.code}{severity}{at} {found.message}", *([f"    {found.help}"] if found.help else [])]


def effective(settled: Settled) -> list[str]:
    policy = settled.policy
    lines = [f"policy = {policy.name} ({where(settled.chosen[-1])})"]
    for entry in entries(settled):
        last = entry.chain[-1]
        if entry.kind != "policy" and entry.changed:
            lines.append(f"{entry.name} = {entry.value(last)} ({where(last)})")
    return lines
