"""What `doctor` finds of the project: policy, layers of settings, sources, breaker."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from exitgate import __version__
from exitgate.core.model.diagnostic import WARNING as WARNS
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.display import counted
from exitgate.core.model.json_object import texts_of
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.settings.files import PROJECT_FILE, files, user_file, variables
from exitgate.core.settings.provenance import CODES, Settled
from exitgate.core.state.request import Request
from exitgate.core.system import portable
from exitgate.core.system.child import LateError, found, run
from exitgate.core.system.folders import folders_up
from exitgate.report.doctor import ABSENT, FAILS, FOUND, WARNING, Finding

FILES = ("preset", "user", "project")


def project_findings(request: Request) -> tuple[tuple[Finding, ...], CompiledPolicy | None]:
    """Return the findings on policy, settings, sources and breaker, and the policy, None if it is broken."""
    from exitgate.core.gate.settings import asked_of
    from exitgate.core.settings.load import load_settled

    try:
        settled = load_settled(asked_of(request))
    except ExitgateError as error:
        return (_broken(error, "policy"), *_layers(request, None)), None
    policy = settled.policy
    found = (_policy(settled), *_layers(request, settled), *_remarks(policy), *_sources(request, policy))
    return (*found, _breaker(request, policy), *_probes(request, policy)), policy


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
    for one in policy.warnings:
        if isinstance(one, Diagnostic) and one.code in CODES:
            state = WARNING if one.severity == WARNS else ABSENT
            yield Finding("setting", state, one.message, str(one.place or ""), one.help)


def _sources(request: Request, policy: CompiledPolicy) -> Iterator[Finding]:
    from exitgate.core.observe.sources import read_texts
    from exitgate.core.state.discover import text_place

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


def _probes(request: Request, policy: CompiledPolicy) -> Iterator[Finding]:
    """Yield which probes have to pass and whether they may run, or which this project could have."""
    from exitgate.core.probes import trust
    from exitgate.core.probes.proposals import proposals

    if "verify" not in policy.parameters and not trust.asks(policy):
        return
    consent = trust.look(policy, request.root, os.environ)
    if consent.state in (trust.MISSING, trust.CHANGED):
        yield Finding("probes", WARNING, consent.reason, "", "`exitgate trust`")
    if trust.asks(policy):
        if consent.state == trust.ALLOWED:
            names = [
                name for some in trust.covered(policy).object("verify").values() for name in texts_of(some)
            ]
            yield Finding(
                "probes", FOUND, f"have to pass: {', '.join(dict.fromkeys(names)) or 'none'}", "allowed"
            )
        return
    found = proposals(request.root)
    shown = "; ".join(f"{name}: {' '.join(texts_of(one.get('command')))}" for name, one in found.items())
    text = "none has to pass before a run completes" + (f"; this project could have {shown}" if shown else "")
    yield Finding("probes", ABSENT, text, "", "define them under `probes:` and name them in `verify:`")


def _breaker(request: Request, policy: CompiledPolicy) -> Finding:
    from exitgate.cli.commands.circuit import breaker_of_file
    from exitgate.core.gate.breaker_control import FILE, NOTHING, status
    from exitgate.core.ledger.file import RefusingNewer, path_in
    from exitgate.core.state.discover import state_dir

    directory = state_dir(request)
    try:
        with RefusingNewer(path_in(directory)):
            found = status(directory, policy)
        if found["kept_by"] == FILE:
            found = breaker_of_file(request, policy)
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


# What `doctor` finds of the state: the folder, the ledger, and what a check would do now.

#: Bits of a mode that let others read or write.
_OTHERS = 0o077


def state_findings(request: Request) -> tuple[Finding, ...]:
    """Return the findings on the state directory and the ledger; nothing is written."""
    from exitgate.core.state.discover import state_dir

    directory = state_dir(request)
    return (_directory(directory), _ledger(directory))


def check_finding(request: Request) -> Finding:
    """Return what a check would do now, as one that records nothing does it."""
    from exitgate.core.gate.check import check
    from exitgate.report.replay import ANSWER, answer_text

    try:
        checked = check(request)
    except ExitgateError as error:
        first = error.diagnostics[0]
        text = f"would stop with {error.exit_code}: {first.message}"
        return Finding("check", FAILS, text, "", first.help or "see `exitgate check`")
    decision, iteration = checked.decision, checked.iteration
    plain = dict(zip(ANSWER, (decision.verdict, decision.exit_class, decision.outcome), strict=True))
    asked = f"{decision.stage} of {checked.policy.name}, {iteration.run} iteration {iteration.number}"
    return Finding("check", FOUND, f"would say {answer_text(plain)}", asked)


def _directory(directory: str) -> Finding:
    there = directory
    while not os.path.lexists(there):
        there = os.path.dirname(os.path.abspath(there))
    if not os.path.isdir(there):
        help = "remove it, or name another folder with `--state-dir`"
        return Finding("state", FAILS, f"`{there}` is not a folder", directory, help)
    if not os.access(there, os.W_OK | os.X_OK):
        help = "make it writable, or name another folder with `--state-dir`"
        return Finding("state", FAILS, f"`{there}` cannot be written", directory, help)
    if there != directory:
        return Finding("state", ABSENT, "not created yet; the first check creates it", directory)
    status = os.stat(directory)
    if portable.owner(status) != portable.user():
        help = "another user can change the decisions; name a folder of your own with `--state-dir`"
        return Finding("state", WARNING, "belongs to another user", directory, help)
    if portable.rights(status) & _OTHERS:
        help = f"other users can read or change it: chmod 700 {directory}"
        return Finding("state", WARNING, f"mode {portable.rights(status):o}", directory, help)
    return Finding("state", FOUND, "writable, private", directory)


def _ledger(directory: str) -> Finding:
    from exitgate.core.ledger.file import path_in
    from exitgate.core.ledger.verify import verify

    path = path_in(directory)
    try:
        if not os.path.lexists(path):
            return Finding("ledger", ABSENT, "no decisions yet", path)
        found = verify(directory)
    except ExitgateError as error:
        first = error.diagnostics[0]
        return Finding("ledger", FAILS, first.message, path, first.help)
    counted = f"{found.lines} line{'' if found.lines == 1 else 's'}"
    if found.whole:
        return Finding("ledger", FOUND, f"sound, {counted}", path)
    n = len(found.damages)
    text = f"{counted} good, {n} finding{'' if n == 1 else 's'}; damaged lines are skipped"
    return Finding("ledger", WARNING, text, path, "see `exitgate ledger verify`")


# What `doctor` finds of the program and the machine: versions, RE2, git, the user's cache, telemetry.

OLDEST = (3, 11)
GIT_LIMIT = 5.0


def program_findings() -> tuple[Finding, ...]:
    """Return the findings that do not depend on the project."""
    return (_exitgate(), _python(), _re2(), _git(), _cache(), _telemetry())


def _exitgate() -> Finding:
    from exitgate import __file__ as place

    return Finding("exitgate", FOUND, __version__, os.path.dirname(place))


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST:
        return Finding("python", FAILS, version, sys.executable, "install Python 3.11 or newer")
    return Finding("python", FOUND, version, sys.executable)


def _re2() -> Finding:
    from importlib.metadata import PackageNotFoundError, version

    help = "pip install --force-reinstall google-re2"
    try:
        import re2

        works = re2.compile("a+b").search("xaab") is not None
        number = version("google-re2")
    except (ImportError, OSError, PackageNotFoundError) as error:
        return Finding("re2", FAILS, f"cannot be loaded: {error}", "", help)
    place = str(getattr(re2, "__file__", ""))
    return Finding("re2", FOUND if works else FAILS, number, place, "" if works else help)


def _git() -> Finding:
    place = found("git")
    if place is None:
        help = "install git, if a policy of yours uses `git` facts; without git they are unknown"
        return Finding("git", ABSENT, "no git on PATH", "", help)
    try:
        ran = run([place, "--version"], seconds=GIT_LIMIT)
    except (OSError, LateError) as error:
        help = "fix it, or take it off PATH; `git` facts are unknown meanwhile"
        return Finding("git", WARNING, f"does not run: {error}", place, help)
    return Finding("git", FOUND, ran.out.strip().removeprefix("git version "), place)


def _cache() -> Finding:
    from exitgate.core.system.folders import Refused, open_folder, place

    try:
        path = place(os.environ)
        if not os.path.lexists(path):
            return Finding("cache", ABSENT, "not created yet; the first check creates it", path)
        portable.close(open_folder(path))
    except Refused as refused:
        help = "policies are compiled at each check, which is slower; make it private: chmod 700"
        return Finding("cache", WARNING, f"not used: {refused}", "", help)
    entries = sum(name.endswith(".json") for name in os.listdir(path))
    return Finding("cache", FOUND, f"private, {entries} compiled polic{'y' if entries == 1 else 'ies'}", path)


def _telemetry() -> Finding:
    from exitgate.surfaces.telemetry.status import finding

    return finding(os.environ)
