"""`exitgate schema`: the JSON Schemas of the file formats."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, OPTIONAL, SUCCESS, TROUBLE, Argument, Command, Option
from exitgate.cli.usage import usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal


def run(given: Given, terminal: Terminal) -> Answer:
    """Return one schema, or the names of all without one."""
    import json

    from exitgate.policy import shipped

    names = shipped.schema_names()
    name = given.text("name")
    if name is None:
        from exitgate.cli.help import table

        rows = [(n, str(shipped.schema(n).get("description", ""))) for n in names]
        return Answer("\n".join(table(rows, terminal.out)) + "\n")
    if name not in names:
        raise usage_error(f"no schema `{name}`", f"schemas are {', '.join(names)}")
    schema = shipped.schema(name)
    if given.word("format") == "json":
        return Answer(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    from exitgate.report.schema_page import schema_page

    return Answer(schema_page(schema))


COMMAND = Command(
    "schema",
    "print the JSON Schema of a file format",
    about="Editors use the schemas through the first line of a file, `# yaml-language-server: $schema=...`. "
    "Without a name, the formats are listed.",
    arguments=(Argument("NAME", OPTIONAL, "policy, lexicon, tests, decision or ledger"),),
    options=(
        Option("--format", choices=("json", "markdown"), default="json", doc="form of the result"),
        COLOR,
    ),
    examples=(
        ("exitgate schema policy > policy.schema.json", "keep a schema beside your policies"),
        ("exitgate schema tests --format markdown", "read a format as a page"),
    ),
    codes=(SUCCESS, *TROUBLE),
    run=run,
)
