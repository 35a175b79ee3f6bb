"""
Examples of an extractor: `extractors/ID.md` beside this file, performed.

A section's heading names the options it shows, with commas between; a section ``## Example`` shows none in
particular. Its blocks are as in `exitgate.reference.source`; without a `console` the last file is looked at
with `exitgate facts`.
"""

from __future__ import annotations

import os
import tempfile

from exitgate.facts import registry
from exitgate.model.value import Value
from exitgate.reference import source
from exitgate.reference.performed import perform, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.model.fact_spec import FactSpec
    from exitgate.reference.performed import Run

PLAIN = "Example"
_HEAD = "## "


class Example(Value):
    """One section: the options it shows, its Markdown, and the facts that only its options give."""

    __slots__ = ("added", "lines", "options")

    def __init__(self, options: tuple[str, ...], lines: list[str], added: tuple[FactSpec, ...]) -> None:
        self.options = options
        self.lines = lines
        self.added = added


def examples(id: str, text: str, run: Run) -> tuple[Example, ...]:
    """Return the sections of a source, in order. Raises ValueError for an example that fails."""
    found = []
    for heading, body in _sections(text):
        blocks = tuple(source.blocks(body))
        files = [block.name for block in blocks if block.name]
        asks = any(block.kind == "console" for block in blocks)
        if files and not asks:
            line = f"$ exitgate facts {files[-1]} --policy {source.POLICY}\n"
            blocks = (*blocks, source.Block("console", "", line))
        (shown,) = perform((blocks,), run)
        if any(one.code and not asks for one in shown):
            raise ValueError(f"an example of {id} fails:\n{shown[-1].printed}")
        options = () if heading == PLAIN else tuple(name.strip() for name in heading.split(","))
        lines = [f"## {PLAIN}", ""] if not options else []
        found.append(Example(options, [*lines, *told(shown)], _added(id, blocks) if options else ()))
    return tuple(found)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    heading, body = "", ""
    fenced = False
    for line in text.splitlines(keepends=True):
        fenced ^= line.startswith(source.FENCE)
        if line.startswith(_HEAD) and not fenced:
            if heading:
                yield heading, body
            heading, body = line[len(_HEAD) :].strip(), ""
        else:
            body += line
    if heading:
        yield heading, body


def _added(id: str, blocks: tuple[source.Block, ...]) -> tuple[FactSpec, ...]:
    """Return the facts that the options of an example add, without those that the policy names itself."""
    from exitgate.policy.compile import load_policy

    policies = [block.text for block in blocks if block.name == source.POLICY]
    if not policies:
        return ()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, source.POLICY)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(policies[0])
        policy = load_policy(path, base=folder)
    extractor = registry.load(id)
    always = {spec.name for spec in extractor.specs({})}
    found: dict[str, FactSpec] = {}
    for entry in policy.extractions:
        named = entry.options.get("fields")
        own = set(named) if isinstance(named, dict) else set()
        if entry.extractor == id:
            found |= {s.name: s for s in extractor.specs(entry.options) if s.name not in always | own}
    return tuple(found.values())
