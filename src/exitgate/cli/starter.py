"""The texts that `init` proposes: the project's settings, their schema, a workflow that checks policies."""

from __future__ import annotations

import json

from exitgate.language.written import value_text
from exitgate.report.safe import safe
from exitgate.report.width import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.model.type import Type
    from exitgate.policy.compiled import CompiledPolicy, Parameter
    from exitgate.policy.provenance import Settled

CONFIG, SCHEMA, WORKFLOW = ".bb3/config.yaml", ".bb3/config.schema.json", ".github/workflows/exitgate.yml"
WIDTH = 100

_WORKFLOW = """\
# Checks on every change that the settings of exitgate fit its policies, and that policies are sound.
name: exitgate
on:
  pull_request:
  push:
permissions:
  contents: read
env:
  # What pip installs: the address of a repository or a wheel that you trust.
  EXITGATE: {address}
jobs:
  policies:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install "$EXITGATE"
      - name: settings fit the policy
        run: exitgate config
      - name: policies are sound
        if: hashFiles('policies/**/*.yaml') != ''
        run: exitgate validate policies --format github
"""


def config_text(policy: CompiledPolicy, reference: str) -> str:
    """
    Return the settings file: the policy chosen, its parameters as comments with doc, range and default.

    `reference` is the policy as the file is to name it: a shipped name, or a path from `.bb3`.
    """
    lines = [
        "# yaml-language-server: $schema=config.schema.json",
        "# Settings of exitgate for this project. `exitgate config` shows what is in force and who set it;",
        "# `exitgate schema config > .bb3/config.schema.json` renews what editors complete and check.",
        "exit_decision:",
        f"  policy: {reference if _is_plain(reference) else _quoted(reference)}",
    ]
    if policy.parameters:
        lines += ["", f"  # Parameters of {policy.name} {policy.version} with their defaults."]
    for parameter in policy.parameters.values():
        lines += [
            "",
            *_described(parameter),
            f"  # {parameter.name}: {written(parameter.default, parameter.type)}",
        ]
    return "\n".join(lines) + "\n"


def schema_text(settled: Settled) -> str:
    """Return the JSON Schema of the settings file, as `exitgate schema config` prints it."""
    from exitgate.policy.layers.project_schema import project_schema

    return json.dumps(project_schema(settled), indent=2, ensure_ascii=False) + "\n"


def workflow_text(address: str) -> str:
    """Return a GitHub workflow that installs exitgate from an address and checks settings and policies."""
    return _WORKFLOW.replace("{address}", _quoted(address))


def written(value: object, type: Type) -> str:
    """Return a parameter's value as YAML that reads back as the same value."""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, tuple):
        item = type.item
        return "[" + ", ".join(_quoted(str(v)) if item is None else written(v, item) for v in value) + "]"
    if isinstance(value, str):
        return value if type.kind == "enum" else _quoted(value)
    assert isinstance(value, int | float)
    number = str(int(value)) if value == int(value) else repr(float(value))
    if type.kind == "duration":
        return value_text(value, type) if value == int(value) else f"{number}s"
    unit = {"percent": "%", "money": f" {type.currency}"}.get(type.kind, "")
    return number + unit


def _is_plain(reference: str) -> bool:
    """Return whether the name of a policy is itself in YAML: letters, digits, `_` and `-`."""
    return reference[:1].isalpha() and reference.replace("-", "").isidentifier() and reference.isascii()


def _quoted(text: str) -> str:
    """Return a text in YAML's double quotes, all that is not plainly visible as an escape."""
    return '"' + "".join(map(_in_quotes, text)) + '"'


def _in_quotes(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _described(parameter: Parameter) -> Iterator[str]:
    if parameter.doc:
        yield from wrap(safe(parameter.doc), WIDTH, "  # ", "  # ")
    type = parameter.type
    members = f": {', '.join(type.members)}" if type.kind == "enum" else ""
    yield f"  # {type.kind}{members}{_range(parameter)}"


def _range(parameter: Parameter) -> str:
    """Return ``, from 1% to 100%`` or what of it is bounded."""
    type = parameter.type
    low = 0 if parameter.low is None and type.kind in ("count", "percent") else parameter.low
    high = 100 if parameter.high is None and type.kind == "percent" else parameter.high
    least, most = (None if bound is None else written(bound, type) for bound in (low, high))
    if least is not None and most is not None:
        return f", from {least} to {most}"
    if least is not None:
        return f", at least {least}"
    return "" if most is None else f", at most {most}"
