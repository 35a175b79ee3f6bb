"""A page for every extractor: its options with examples, its facts and the policies that use them."""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from exitgate.core.facts import registry
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.json_object import JsonObject
from exitgate.reference import source
from exitgate.reference.examples import Run, console_blocks, perform
from exitgate.reference.index import Entry, Page, anchor
from exitgate.reference.source import cell, table
from exitgate.report.formats.json_schema import property_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.registry import Extractor

    #: (extractor, name behind the prefix) -> what uses such a fact, as Markdown.
    Uses = Mapping[tuple[str, str], tuple[str, ...]]


FOLDER = "extractors"
PREFIXES = {id: prefix for prefix, id in registry.BUILT_IN.items()}


def pages(uses: Uses, run: Run) -> tuple[Page, ...]:
    """
    Return the page of each extractor, by id, and the page that lists all facts.

    Raises:
        ValueError: A source has no extractor, names an option that is not one, or leaves one out.
    """
    ids = registry.names()
    if not set(source.names(FOLDER)) <= set(ids):
        raise ValueError(f"sources of no extractor: {sorted(set(source.names(FOLDER)) - set(ids))}")
    made = [_page(id, registry.load(id), uses, run) for id in ids]
    return (*made, _all(made))


def _page(id: str, extractor: Extractor, uses: Uses, run: Run) -> Page:
    shown = examples(id, source.read(FOLDER, f"{id}.md"), run) if id in source.names(FOLDER) else ()
    told = {name for example in shown for name in example.options}
    if told != set(extractor.OPTIONS):
        raise ValueError(
            f"options of {id} and their examples differ: {sorted(told ^ set(extractor.OPTIONS))}"
        )
    specs = [*extractor.specs(JsonObject()), *(spec for example in shown for spec in example.added)]
    path = f"{FOLDER}/{id}.md"
    lines = [f"# {id}", "", _doc(id, extractor), "", *_where(id, extractor), ""]
    for example in shown:
        lines += example.lines if not example.options else []
    lines += ["## Facts", "", *table(("fact", "type", "meaning"), [_row(id, spec) for spec in specs]), ""]
    entries = [Entry(id, "extractor", path, "", _doc(id, extractor).split("\n")[0].rstrip("."))]
    for spec in specs:
        lines += _fact(id, spec, uses.get((id, spec.name), ()))
        entries.append(Entry(fact_id(id, spec), "fact", path, _heading(id, spec), spec.doc.rstrip(".")))
    if extractor.OPTIONS:
        lines += ["## Options", ""]
    for name, schema in extractor.OPTIONS.items():
        lines += _option(id, name, schema, shown)
        title = f"option of `{id}`"
        entries.append(Entry(f"{id}.{name}", "option", path, _option_heading(id, name), title))
    return Page(path, "\n".join(lines).rstrip("\n") + "\n", tuple(entries))


def fact_id(id: str, spec: FactSpec) -> str:
    """Return the name of a fact without a policy: the extractor or built-in prefix, and its own name."""
    prefix = PREFIXES.get(id, id)
    return f"{prefix}.{spec.name}" if spec.name else prefix


def _doc(id: str, extractor: Extractor) -> str:
    doc = (inspect.getdoc(extractor) or "").strip().replace("``", "`").removeprefix(f"`{id}`: ")
    return doc[:1].upper() + doc[1:]


def _where(id: str, extractor: Extractor) -> list[str]:
    reads = f"Reads `{extractor.SOURCE}`"
    if id in PREFIXES:
        return [
            f"{reads}. The prefix `{PREFIXES[id]}` is always there, without an entry under `facts:`;",
            "it is read only if a policy uses one of its facts.",
        ]
    if id in registry.COMPUTED:
        return ["Computed by the engine, from other facts."]
    own = registry.OWN_FILES.get(id)
    files = f", or the files that {' and '.join(f'`{name}`' for name in own)} name" if own else ""
    return [f"{reads} unless `from:` names another source{files}."]


def _row(id: str, spec: FactSpec) -> tuple[str, ...]:
    link = f"[`{fact_id(id, spec)}`](#{anchor(_heading(id, spec))})"
    return link, cell(str(spec.type)), cell(spec.doc)


def _heading(id: str, spec: FactSpec) -> str:
    return fact_id(id, spec) if spec.name else f"{fact_id(id, spec)}, the prefix itself"


def _option_heading(id: str, name: str) -> str:
    return f"Option {id}.{name}"


def _fact(id: str, spec: FactSpec, used: tuple[str, ...]) -> list[str]:
    rows = [("type", cell(str(spec.type)))]
    if spec.low is not None or spec.high is not None:
        low = "" if spec.low is None else f"from {spec.low:g}"
        high = "" if spec.high is None else f"to {spec.high:g}"
        rows.append(("range", f"{low} {high}".strip()))
    rows.append(("unknown", cell(spec.unknown_when) or "never on a readable source"))
    rows.append(("used by", "; ".join(used) or "no shipped policy"))
    name = fact_id(id, spec)
    heading = f"### `{name}`" if spec.name else f"### `{name}`, the prefix itself"
    return [heading, "", spec.doc, "", *table(("", ""), rows), ""]


def _option(id: str, name: str, schema: object, shown: Iterable[Example]) -> list[str]:
    lines = [f"### Option `{id}.{name}`", "", "| option | type | meaning |", "|---|---|---|"]
    lines += [*property_rows({"properties": {name: schema}}), ""]
    for example in shown:
        if example.options[:1] == (name,):
            lines += example.lines
        elif name in example.options:
            lead = example.options[0]
            lines += [f"For an example see [`{lead}`](#{anchor(_option_heading(id, lead))}).", ""]
    return lines


def _all(made: Iterable[Page]) -> Page:
    lines = ["# Facts and extractors", "", source.read(".", "facts.md").strip(), ""]
    built = [page for page in made if page.entries[0].id in PREFIXES]
    others = [page for page in made if page.entries[0].id not in PREFIXES]
    for title, some in (("Always there", built), ("Extractors", others)):
        rows = [_line(page) for page in some]
        lines += [f"## {title}", "", *table(("extractor", "reads", "facts"), rows), ""]
    return Page("facts.md", "\n".join(lines))


def _line(page: Page) -> tuple[str, ...]:
    first = page.entries[0]
    facts = ", ".join(f"[`{e.id}`]({e.link})" for e in page.entries if e.kind == "fact")
    return f"[{first.id}]({first.page})", cell(first.title), facts


# Examples of an extractor: `extractors/ID.md` beside this file, performed.
#
# A section's heading names the options it shows, with commas between; a section ``## Example`` shows none
# in particular. Its blocks are as in `exitgate.reference.source`; without a `console` the last file is
# looked at with `exitgate facts`.

PLAIN = "Example"
_HEAD = "## "


class Example(Struct, frozen=True):
    """One section: the options it shows, its Markdown, and the facts that only its options give."""

    options: tuple[str, ...]
    lines: list[str]
    added: tuple[FactSpec, ...]


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
        found.append(
            Example(options, [*lines, *console_blocks(shown)], _added(id, blocks) if options else ())
        )
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
    from exitgate.core.policy.compile import load_policy

    policies = [block.text for block in blocks if block.name == source.POLICY]
    if not policies:
        return ()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, source.POLICY)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(policies[0])
        policy = load_policy(path, base=folder)
    extractor = registry.load(id)
    always = {spec.name for spec in extractor.specs(JsonObject())}
    found: dict[str, FactSpec] = {}
    for entry in policy.extractions:
        named = entry.options.get("fields")
        own = set(named) if isinstance(named, dict) else set()
        if entry.extractor == id:
            found |= {s.name: s for s in extractor.specs(entry.options) if s.name not in always | own}
    return tuple(found.values())
