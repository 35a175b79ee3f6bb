"""From format 0 to format 1."""

from __future__ import annotations

from exitgate.analysis.migrate import keys
from exitgate.analysis.migrate.sketches import migrate_facts, migrate_invariants, migrate_rules
from exitgate.analysis.migrate.steps import is_sketch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from exitgate.analysis.migrate.step import Mapping, Remarks


#: Keys of `metadata:` with their name in format 1; further ones are kept behind `x-`.
METADATA = {"name": "policy", "version": "version", "title": "title", "doc": "doc"}


def migrate(document: Mapping, remarks: Remarks) -> Mapping:
    """Return the document in format 1. A document that only lacks its number gets nothing else."""
    if is_sketch(document):
        _head(document)
        keys.renamed(document, "params", "parameters")
        migrate_facts(document, remarks)
        migrate_rules(document, remarks)
        _otherwise(document, remarks)
        _guards(document, remarks)
        migrate_invariants(document, remarks)
        _tests(document, remarks)
    if "format" in document:
        document["format"] = 1
    else:
        keys.inserted(document, "policy", "format", 1)
    return document


def _head(document: Any) -> None:
    """Put name, version and title at the top; what else `metadata:` says is kept behind `x-`."""
    keys.taken(document, "kind")
    if not isinstance(document.get("metadata"), dict):
        keys.renamed(document, "apiVersion", "x-api-version")
        return
    metadata: Any = document["metadata"]
    place = list(document).index("metadata")
    comment = document.ca.items.pop("metadata", None)
    document.pop("metadata")
    names = [METADATA.get(key, key if key.startswith("x-") else f"x-{key}") for key in metadata]
    for at, (key, name) in enumerate(zip(metadata, names, strict=True)):
        if name in document:
            continue
        document.insert(place + at, name, metadata[key])
        if key in metadata.ca.items:
            document.ca.items[name] = metadata.ca.items[key]
    keys.at_head(document, keys.texts(comment) or keys.texts(metadata.ca.comment))
    keys.taken(document, "apiVersion")


def _otherwise(document: Any, remarks: Remarks) -> None:
    default = document.get("default")
    if not isinstance(default, dict):
        return
    decision = default.get("decision", "continue")
    if decision != "continue":
        help = "write a last rule with the condition that ends the run"
        remarks.impossible(
            ("default", "decision"), f"a run cannot end with `{decision}` without a rule", help
        )
    outcome = default.get("outcome")
    if outcome is not None:
        message = f"a decision without a rule now has the outcome `otherwise`, not `{outcome}`"
        remarks.kept(("default", "outcome"), message, "check programs that read the old one")
    keys.renamed(document, "default", "otherwise", "continue")


def _guards(document: Any, remarks: Remarks) -> None:
    guards = document.get("guards")
    if not isinstance(guards, dict):
        return
    silent = guards.get("undetermined")
    if isinstance(silent, dict) and "exit_after" in silent:
        if silent.get("decision", "continue") != "continue":
            help = "write `decision: continue`: a run ends after `exit_after` such decisions"
            remarks.impossible(
                ("guards", "undetermined", "decision"), "a single silent iteration does not end a run", help
            )
        keys.renamed(
            document, "guards", "undetermined", keys.block([("exit_after", silent["exit_after"])], True)
        )
    else:
        keys.renamed(document, "guards", "x-guards")
    for key in guards:
        if key != "undetermined":
            remarks.kept(("guards", key), f"there is no guard `{key}` in format 1", "write a rule for it")


def _tests(document: Any, remarks: Remarks) -> None:
    if "tests" not in document:
        return
    help = "write them to tests.yaml beside the policy, in the form that `exitgate test` reads"
    remarks.kept(("tests",), "tests have a file of their own; these are kept under `x-tests`", help)
    keys.renamed(document, "tests", "x-tests")
