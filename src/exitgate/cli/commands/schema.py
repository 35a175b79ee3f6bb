"""`exitgate schema`: the JSON Schemas of the file formats."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.options import settled_of
from exitgate.cli.parsing.usage import usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.policy import shipped


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return one schema, or the names of all without one."""
    import json

    names = shipped.schema_names()
    name = given.text("name")
    if name is None:
        from exitgate.cli.help import table

        rows = [(n, str(shipped.schema(n).get("description", ""))) for n in names]
        return Answer("\n".join(table(rows, terminal.out)) + "\n")
    if name not in names:
        raise usage_error(f"no schema `{name}`", f"schemas are {', '.join(names)}")
    schema = _config_schema(given) if name == "config" else shipped.schema(name)
    if given.word("draft") == "07":
        from exitgate.reference.editor_schemas import draft_07

        schema = draft_07(schema)
    if given.word("format") == "json":
        return Answer(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    from exitgate.report.formats.json_schema import schema_page

    return Answer(schema_page(schema))


def _config_schema(given: ParsedArguments) -> dict[str, object]:
    """Return the schema of the project's file for the policy in force, with its real parameters."""
    from exitgate.reference.editor_schemas import project_schema

    return project_schema(settled_of(given))


COMMAND = Command(
    "schema",
    "print the JSON Schema of a file format",
    about="Editors use the schemas through the first line of a file, `# yaml-language-server: $schema=...`. "
    "Without a name, the formats are listed. The schema of `config`, the project's settings file, is "
    "generated for the policy in force: it has that policy's parameters with their bounds, its rules and "
    "its lists.",
    arguments=(Argument("[NAME]", "config, policy, lexicon, tests, decision, loop, ledger or analysis"),),
    options=(
        Option("--policy, -p NAME|PATH", "for `config`: the policy, if not the policy in force"),
        formats("json", "markdown"),
        Option(
            "--draft",
            "draft of JSON Schema; `07` for editors that support no later draft",
            choices=("2020-12", "07"),
            default="2020-12",
        ),
    ),
    examples=(
        ("exitgate schema policy > policy.schema.json", "keep a schema beside your policies"),
        ("exitgate schema config > .bb3/config.schema.json", "let editors complete your project's settings"),
        ("exitgate schema policy --draft 07 > policy.schema.json", "for an editor that knows only draft-07"),
        ("exitgate schema tests --format markdown", "read a format as a page"),
    ),
    run=run,
)
