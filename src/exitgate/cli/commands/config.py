"""`exitgate config`: which settings are in force, who set them, what they overrode."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.options import settled_of
from exitgate.cli.parsing.usage import did_you_mean, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.diagnostic import Diagnostic
from exitgate.core.settings.files import PRESET
from exitgate.core.settings.provenance import Settled
from exitgate.report.diagnostics import diagnostics_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from exitgate.report.config import Entry


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return every effective value with who set it, or one of them with its whole chain."""
    from exitgate.report.config import config_json, config_text, entries, entry_text, unset_text

    settled = settled_of(given)
    every = entries(settled)
    name = given.text("name")
    shown = [entry for entry in every if name in (None, entry.name)]
    unset: str | None = None
    if name is not None and not shown:
        shown = below(name, every)
        unset = None if shown else documented(name, settled)
    if not shown and unset is None:
        help = did_you_mean(str(name), [entry.name for entry in every], "see `exitgate config`")
        raise usage_error(f"`{settled.policy.name}` has no setting `{name}`", help)
    err = _remarks(settled, terminal)
    if given.word("format") == "json":
        return Answer(config_json(settled, shown), err)
    if unset is not None:
        return Answer(unset_text(keys_nobody_set(str(name), settled), unset, terminal.out), err)
    if name is None:
        return Answer(config_text(settled, terminal.out), err)
    return Answer("".join(entry_text(entry, settled, terminal.out) for entry in shown), err)


def _remarks(settled: Settled, terminal: Terminal) -> str:
    """Return warnings and notes on the settings, and exceptions whose last day has passed."""
    from exitgate.core.gate.settings import expired

    policy = settled.policy
    found = [one for one in policy.warnings if isinstance(one, Diagnostic)]
    found += expired(policy, time.time())
    return diagnostics_text(found, terminal.err) if found else ""


COMMAND = Command(
    "config",
    "show which settings are in force and who set them",
    about="Settings come in layers, from low to high: the policy itself and its profile, an organisation's "
    "preset, your own file, the project's `.bb3/config.yaml`, variables `EXITGATE_SET_NAME`, `--set`. For "
    "each value: the layer and the line that set it, what it overrode, the rules that use it. With a name, "
    "the whole chain of one parameter, rule or list. `exitgate schema config` prints the schema of the "
    "project's file for the policy in force.",
    arguments=(
        Argument(
            "[NAME]", "a parameter, rule or list; or a key of the settings file such as `hooks.enabled`"
        ),
    ),
    options=(
        Option("--policy, -p NAME|PATH", "show it for another policy"),
        Option("--set NAME=VALUE...", "set a parameter of the policy"),
        formats("text", "json"),
    ),
    examples=(
        ("exitgate config", "every value in force"),
        ("exitgate config min_confidence", "who set it, and what that overrode"),
        ("exitgate config --set min_completion=95", "what a command line would change"),
    ),
    run=run,
)


# Which settings a key of the settings file means: one, all below it, or none that a layer wrote.

SECTION = "exit_decision"
#: Keys whose entries go by another name: the mode of a rule by the rule's.
_OF_RULE = ("mode", "disabled", "why", "until")
_NAMED = {"rules": "rule", "lists": "list"}


def below(key: str, every: Sequence[Entry]) -> list[Entry]:
    """Return the entries that a key of the settings file means, in order; none where no layer wrote one."""
    key = _short(key)
    if key == SECTION:
        return list(every)
    if key.startswith("project"):
        return [entry for entry in every if entry.kind == "profile"]
    return [entry for entry in every if _is_below(key, entry)]


def _short(key: str) -> str:
    return key.removeprefix(SECTION + ".")


def _is_below(key: str, entry: Entry) -> bool:
    if f"{entry.name}.".startswith(f"{key}."):
        return True
    first, dot, rest = key.partition(".")
    if _NAMED.get(first) != entry.kind:
        return False
    return not dot or rest in (entry.name, *(f"{entry.name}.{one}" for one in _OF_RULE))


def keys_nobody_set(key: str, settled: Settled) -> str:
    """Return what is known of a key of the settings file that is in force nowhere, one sentence."""
    first, *rest = _short(key).split(".")
    if first == "policies":
        other = rest[0] if rest else "NAME"
        return (
            f"what is below `policies` counts while that policy decides: `exitgate config --policy {other}`"
        )
    presets = [one.file for one in settled.read if one.layer == PRESET]
    if first == "preset" and presets:
        return f"the preset is `{presets[-1]}`"
    return f"no layer sets `{key}`"


def documented(key: str, settled: Settled) -> str | None:
    """Return what the settings file says of a key, empty where it says nothing; None for a key it has not."""
    from exitgate.reference.editor_schemas import project_schema

    whole: Any = project_schema(settled)
    parts = ["project"] if key == "project.type" else key.split(".")
    if parts[0] not in whole["properties"]:
        parts = [SECTION, *parts]
    found = [whole]
    for part in parts:
        found = [inner for one in found for inner in _inner(part, one, whole)]
    said = (str(one.get("description") or "") for one in found)
    return next(filter(None, said), "") if found else None


def _inner(part: str, schema: Any, whole: Any) -> Iterator[Any]:
    """Yield the schemas of the value under a key, where a schema allows that key."""
    for one in _alternatives(schema, whole):
        properties = one.get("properties", {})
        more = one.get("additionalProperties", False if properties else one.get("type") == "object")
        if part in properties:
            yield properties[part]
        elif isinstance(more, dict):
            yield more
        elif more and isinstance(more, bool):
            yield {}


def _alternatives(schema: Any, whole: Any) -> Iterator[Any]:
    """Yield a schema and those it is made of."""
    if not isinstance(schema, dict):
        return
    yield schema
    if "$ref" in schema:
        yield from _alternatives(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    for word in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(word, ()):
            yield from _alternatives(one, whole)
