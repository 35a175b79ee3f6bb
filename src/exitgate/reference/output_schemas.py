"""JSON Schemas of what commands print, made from the structs that are printed: `python docs/generate.py`."""

from __future__ import annotations

import json
import re
from inspect import cleandoc
from typing import Any, get_args

from msgspec import Struct, UnsetType
from msgspec.json import schema_components
from msgspec.structs import fields

from exitgate.fleet.questions.forms import AnswerOutput
from exitgate.reference.index import PageOutput
from exitgate.report.breaker import BreakerOutput, MoveOutput
from exitgate.report.config import ConfigOutput
from exitgate.report.decision.output import DecisionOutput, FactsOutput
from exitgate.report.doctor import DoctorOutput, HostOutput
from exitgate.report.formats.output import DiagnosticOutput, Output
from exitgate.report.ledger import HistoryOutput, StateOutput, VerifyOutput
from exitgate.report.notification import NotificationOutput
from exitgate.report.policy.ci import CiOutput
from exitgate.report.policy.coverage_output import CoverageOutput
from exitgate.report.policy.description import PolicyOutput, ShippedOutput
from exitgate.report.policy.diff_output import DiffOutput
from exitgate.report.policy.lint import LintOutput
from exitgate.report.policy.mutation import MutationOutput
from exitgate.report.policy.proofs import ProveOutput
from exitgate.report.policy.release import ReleaseCheckOutput
from exitgate.report.policy.sources import PinnedOutput
from exitgate.report.policy.test_results import TestResultsOutput
from exitgate.report.probes import ProbesOutput
from exitgate.report.recordings import ReaderOutput, RunsOutput
from exitgate.report.replay import ReplayOutput
from exitgate.report.sessions import SessionsOutput
from exitgate.report.timings import TimingsOutput

Plain = dict[str, Any]


#: Name of a schema -> what is printed, and the schema's title.
OUTPUTS: dict[str, tuple[type[Output], str]] = {
    "fleet-answer": (AnswerOutput, "Answer to a question to a dataset"),
    "ci": (CiOutput, "Steps of a check of policies"),
    "circuit": (BreakerOutput, "State of the breaker"),
    "circuit-moves": (MoveOutput, "Moves of the breaker"),
    "config-shown": (ConfigOutput, "Settings in force"),
    "decision": (DecisionOutput, "Decision"),
    "diagnostics": (DiagnosticOutput, "Diagnostics of files"),
    "facts": (FactsOutput, "Facts found in files"),
    "history": (HistoryOutput, "Decisions of a ledger"),
    "hosts": (HostOutput, "Agent hosts and their hooks"),
    "lint": (LintOutput, "Findings of lints"),
    "notification": (NotificationOutput, "What a webhook receives"),
    "page": (PageOutput, "Page of an id"),
    "probes": (ProbesOutput, "Answers of probes"),
    "policies": (ShippedOutput, "Policies that are shipped"),
    "policies-pinned": (PinnedOutput, "Packages and repositories that a project pins"),
    "policy-shown": (PolicyOutput, "A policy with its settings"),
    "readers": (ReaderOutput, "Readers of recorded runs"),
    "coverage": (CoverageOutput, "Coverage of policies"),
    "doctor": (DoctorOutput, "What a check finds"),
    "mutation": (MutationOutput, "Mutants of policies"),
    "policy-diff": (DiffOutput, "Differences between two policies"),
    "prove": (ProveOutput, "Proofs of policies"),
    "replay": (ReplayOutput, "Decisions made again"),
    "release-check": (ReleaseCheckOutput, "Versions of policies checked"),
    "sessions": (SessionsOutput, "Sessions of agents on this machine"),
    "state": (StateOutput, "State of the current run"),
    "test-results": (TestResultsOutput, "Results of tests"),
    "timings": (TimingsOutput, "What each part took"),
    "transcripts": (RunsOutput, "Recorded runs"),
    "verify": (VerifyOutput, "Soundness of a ledger"),
}
#: Schemas of lists of what is named above -> what prints them.
LISTS = {
    "history": "What `exitgate history --format json` prints: a list.",
    "circuit-moves": "What `exitgate circuit history --format json` prints: a list.",
    "diagnostics": "What `exitgate validate --format json` prints: a list.",
    "hosts": "What `exitgate install --format json` prints: a list.",
    "policies": "What `exitgate policies --format json` prints: a list.",
    "policies-pinned": "What `exitgate policies list --pinned --format json` prints: a list.",
    "sessions": "What `exitgate transcripts --format json` prints without a path: a list.",
    "readers": "What `exitgate transcripts --readers --format json` prints: a list.",
}
#: Begins what `Args:` says of a member.
_ARGUMENT = re.compile(r"^ {4}(\w+): ", re.MULTILINE)


def output_schema(name: str) -> Plain:
    """Return the JSON Schema (2020-12) of an output, one of `OUTPUTS`, as plain values."""
    kind, title = OUTPUTS[name]
    _, parts = schema_components((kind,), ref_template="#/$defs/{name}")
    structs = _structs(kind)
    made = {part: _described(structs[part], plain) for part, plain in parts.items()}
    if name in LISTS:
        items = {"$ref": f"#/$defs/{kind.__name__}"}
        root = {"description": LISTS[name], "type": "array", "items": items}
    else:
        root = made.pop(kind.__name__)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:exitgate:schema:{name}",
        "title": title,
    }
    whole = {**head, **root, "$defs": {_short(part): plain for part, plain in sorted(made.items())}}
    text = re.sub(r'"#/\$defs/(\w+)"', lambda found: f'"#/$defs/{_short(found[1])}"', json.dumps(whole))
    plain: Plain = json.loads(text)
    return plain


def schema_text(name: str) -> str:
    """Return the file of a schema."""
    return json.dumps(output_schema(name), indent=2, ensure_ascii=False) + "\n"


def _short(part: str) -> str:
    """Return ``policy_mutants`` for ``PolicyMutantsOutput``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", part.removesuffix("Output")).lower()


def _described(kind: type[Struct], plain: Plain) -> Plain:
    """Return the schema of a struct with the words of its docstring."""
    text = cleandoc(kind.__doc__ or "")
    said, _, arguments = text.partition("\n\nArgs:\n")
    _, *pieces = _ARGUMENT.split(arguments)
    words = {name: " ".join(doc.split()) for name, doc in zip(pieces[::2], pieces[1::2], strict=True)}
    names = {field.encode_name: field.name for field in fields(kind)}
    properties = {
        name: {"description": words[names[name]], **_shorter(one)}
        for name, one in plain["properties"].items()
    }
    required = [
        one.encode_name for one in fields(kind) if one.required and UnsetType not in get_args(one.type)
    ]
    return {
        "description": " ".join(said.split()),
        "type": "object",
        "required": required,
        "additionalProperties": False,
        "properties": properties,
    }


def _shorter(plain: Plain) -> Plain:
    """Return the schema of a member without its default, the only value as `const`, types as one list."""
    kept = {key: value for key, value in plain.items() if key != "default"}
    if len(kept.get("enum", ())) == 1:
        (kept["const"],) = kept.pop("enum")
    parts = kept.get("anyOf", ())
    if parts and all(list(one) == ["type"] for one in parts):
        del kept["anyOf"]
        kept["type"] = [one["type"] for one in parts]
    return kept


def _structs(kind: type[Struct]) -> dict[str, type[Struct]]:
    """Return the structs that a struct is made of, itself too, by name."""
    found: dict[str, type[Struct]] = {}
    waiting: list[Any] = [kind]
    while waiting:
        one = waiting.pop()
        if isinstance(one, type) and issubclass(one, Struct):
            if one.__name__ not in found:
                found[one.__name__] = one
                waiting += [field.type for field in fields(one)]
        else:
            waiting += getattr(one, "__args__", ())
    return found
