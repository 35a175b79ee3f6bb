"""What `doctor` finds of the project: policy, layers of settings, sources, breaker."""

from __future__ import annotations

import os

from exitgate.model.counted import counted
from exitgate.model.diagnostic import ExitgateError
from exitgate.report.findings import ABSENT, FAILS, FOUND, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.gate.request import Request
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.policy.provenance import Settled

FILES = ("preset", "user", "project")


def project_findings(request: Request) -> tuple[tuple[Finding, ...], CompiledPolicy | None]:
    """Return the findings on policy, settings, sources and breaker, and the policy, None if it is broken."""
    from exitgate.gate.settings import asked_of
    from exitgate.policy.layers.load import load_settled

    try:
        settled = load_settled(asked_of(request))
    except ExitgateError as error:
        return (_broken(error, "policy"), *_layers(request, None)), None
    policy = settled.policy
    found = (_policy(settled), *_layers(request, settled), *_remarks(policy), *_sources(request, policy))
    return (*found, _breaker(request, policy)), policy


def _broken(error: ExitgateError, subject: str) -> Finding:
    first, count = error.diagnostics[0], len(error.diagnostics)
    more = f"; and {count - 1} more" if count > 1 else ""
    place = str(first.place) if first.place is not None else ""
    help = first.help or "see `exitgate check` for details"
    return Finding(subject, FAILS, f"{first.message}{more} (exit code {error.exit_code})", place, help)


def _policy(settled: Settled) -> Finding:
    policy, chosen = settled.policy, settled.chosen[-1]
    by = f"chosen by {chosen.layer}"
    if chosen.place is not None and chosen.place.file != "<command line>":
        by += f", {chosen.place}"
    profile = f", profile {settled.profile[-1].value}" if settled.profile else ""
    return Finding("policy", FOUND, f"{policy.name} {policy.version}{profile}", f"{policy.path}, {by}")


def _layers(request: Request, settled: Settled | None) -> Iterator[Finding]:
    from exitgate.policy.layers.places import PROJECT_FILE, files, folders_up, user_file, variables

    read = {one.layer: one.file for one in settled.read} if settled is not None else {}
    there = dict(files(request.root, os.environ))
    root = folders_up(request.root, os.environ)[-1]
    places = {
        "preset": "EXITGATE_PRESET, or `preset:` in the files below",
        "user": user_file(os.environ),
        "project": f"{PROJECT_FILE}, from here up to {root}",
    }
    for kind in FILES:
        path = read.get(kind) or there.get(kind)
        if path is None:
            help = "`exitgate init` writes one" if kind == "project" else ""
            yield Finding(f"{kind} settings", ABSENT, "none", f"looked for at {places[kind]}", help)
        else:
            yield Finding(f"{kind} settings", FOUND, path)
    names = ", ".join(variables(os.environ))
    if names:
        yield Finding("environment", FOUND, names)


def _remarks(policy: CompiledPolicy) -> Iterator[Finding]:
    """Yield what is to be said of single settings: those for another policy, those that are not read."""
    from exitgate.model.diagnostic import WARNING as WARNS
    from exitgate.model.diagnostic import Diagnostic
    from exitgate.policy.layers.codes import CODES

    for one in policy.warnings:
        if isinstance(one, Diagnostic) and one.code in CODES:
            state = WARNING if one.severity == WARNS else ABSENT
            yield Finding("setting", state, one.message, str(one.place or ""), one.help)


def _sources(request: Request, policy: CompiledPolicy) -> Iterator[Finding]:
    from exitgate.gate.discover import text_place
    from exitgate.gate.sources import read_texts

    if "-" in (request.response, request.plan, request.task, *request.sources.values()):
        yield Finding("sources", WARNING, "`-` is not read here", "", "save the input of `check` to a file")
        return
    try:
        sources = read_texts(request, policy)
    except ExitgateError as error:
        yield _broken(error, "sources")
        return
    for name, source in sources.items():
        if name == "circuit" or source.record is not None:
            continue
        if source.text is None:
            tried = text_place(request, name, policy).tried
            yield Finding(name, ABSENT, source.reason, "", _missing(name) if tried else "")
            continue
        state = WARNING if source.warnings else FOUND
        remark = "".join(f"; {warning}" for warning in source.warnings)
        yield Finding(name, state, f"{counted(len(source.text), 'character')}{remark}", source.path or "")


def _missing(name: str) -> str:
    if name == "response":
        return "write the agent's last response there, or name it: `exitgate check RESPONSE`"
    if name == "plan":
        return "write the task list there, or name it: `exitgate check RESPONSE PLAN`"
    return f"name it with `--{name} PATH`, if there is one" if name == "task" else ""


def _breaker(request: Request, policy: CompiledPolicy) -> Finding:
    from exitgate.cli.outside import outside
    from exitgate.gate.circuit import FILE, NOTHING, status
    from exitgate.gate.discover import state_dir
    from exitgate.ledger.file import path_in
    from exitgate.ledger.trouble import RefusingNewer

    directory = state_dir(request)
    try:
        with RefusingNewer(path_in(directory)):
            found = status(directory, policy)
        if found["kept_by"] == FILE:
            found = outside(request, policy)
    except ExitgateError as error:
        return _broken(error, "breaker")
    if found["kept_by"] == NOTHING:
        return Finding("breaker", ABSENT, f"{policy.name} has none")
    state, reason, origin = (
        str(found["state"]),
        str(found["reason"]),
        str(found.get("path") or "kept by exitgate"),
    )
    if found["warning"]:
        return Finding("breaker", WARNING, str(found["warning"]), origin, "see `exitgate circuit status`")
    if state == "UNKNOWN":
        return Finding("breaker", ABSENT, reason, "another program keeps it")
    return Finding("breaker", FOUND, f"{state}: {reason}" if reason else state, origin)
