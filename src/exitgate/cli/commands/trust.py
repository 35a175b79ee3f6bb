"""`exitgate trust`: the commands of a project's probes shown, and allowed by a person."""

from __future__ import annotations

import os
import sys
import time

from exitgate.cli.command import FLAG, Answer, Command, Option, ParsedArguments
from exitgate.cli.options import request_of
from exitgate.cli.parsing.usage import failure
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import CANNOT_WRITE, NOTHING_TO_DECIDE, USAGE
from exitgate.core.model.display import counted
from exitgate.core.model.json_object import JsonObject, texts_of
from exitgate.report.terminal import safe, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.probes.definition import Probe
    from exitgate.core.probes.trust import Consent
    from exitgate.report.terminal import Style

#: Code -> what it means.
CODES = {
    "EP590": "commands are allowed by a person alone",
    "EP591": "what is allowed cannot be read or written",
}
#: What a person types.
ANSWER = "allow"


def run_trust(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Show the commands of the probes, and record that a person allows them."""
    from exitgate.core.gate.settings import policy_of
    from exitgate.core.probes import trust
    from exitgate.core.system.folders import Refused

    request = request_of(given, record=False)
    policy, root = policy_of(request), request.root
    digest = trust.digest_of(trust.covered(policy))
    if given.flag("digest"):
        return Answer(f"{digest}\n")
    try:
        if given.flag("revoke"):
            _check_person("run `exitgate trust --revoke` in a terminal of your own")
            gone = trust.revoke(root, os.environ)
            return Answer("no longer allowed\n" if gone else "", "" if gone else "nothing was allowed here\n")
        consent = trust.look(policy, root, os.environ)
        shown = _shown(policy, root, consent, digest, terminal.out)
        if given.flag("show"):
            return Answer(shown)
        probes = trust.covered(policy).object(
            "probes"
        )  # `exitgate goal` may ask them even if nothing else does
        if consent.state == trust.ALLOWED or not (probes or consent.state == trust.CHANGED):
            return Answer(shown)
        _ask(shown, digest, yes=given.flag("yes"))
        path = trust.allow(policy, root, os.environ, time.time())
    except Refused as error:
        raise failure(
            "EP591", str(error), "make its folder yours alone, or set XDG_STATE_HOME", CANNOT_WRITE
        ) from error
    return Answer(f"allowed, recorded in {safe(path)}\n")


def _ask(shown: str, digest: str, *, yes: bool) -> None:
    """Return once a person allowed it. Raises `ExitgateError` (64, 66) otherwise."""
    from exitgate.core.probes import trust

    if os.environ.get(trust.VARIABLE) == digest:
        return
    help = f"in CI set {trust.VARIABLE}={digest}, after a person looked at `exitgate trust --show`"
    _check_person(f"run `exitgate trust` in a terminal of your own; {help}")
    if sys.stdin is None or not sys.stdin.isatty() or sys.stderr is None or not sys.stderr.isatty():
        raise failure("EP590", "this is not a terminal, so no person can be asked", help, USAGE)
    sys.stderr.write(shown)
    if yes:
        return
    sys.stderr.write(f"Type `{ANSWER}` to let exitgate run these commands: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() != ANSWER:
        raise failure(
            "EP590", "nothing was allowed", f"type `{ANSWER}` to allow the commands", NOTHING_TO_DECIDE
        )


def _check_person(help: str) -> None:
    """
    Raise `ExitgateError` (64) in the environment of an agent.

    It takes no consent back either: that something was allowed is what a later change is compared with.
    """
    from exitgate.core.probes import trust

    agent = trust.agent_in(os.environ)
    if agent:
        message = f"{agent} is set: this looks like the environment of an agent, which cannot give consent"
        raise failure("EP590", f"{message} or take it back", help, USAGE)


def _shown(policy: CompiledPolicy, root: str, consent: Consent, digest: str, style: Style) -> str:
    """Return what the commands are, which have to pass, and whether a person allowed them."""
    from exitgate.core.probes import trust
    from exitgate.core.probes.definition import definitions

    probes = definitions(policy)
    covered = trust.covered(policy)
    lines = [style.paint("strong", f"probes of {safe(os.path.realpath(root))}")]
    before = _before(root) if consent.state == trust.CHANGED else JsonObject()
    for probe in probes.values():
        lines += _of_probe(probe, root, before.object(probe.name))
    if not probes:
        lines.append("  none: `probes:` of the settings defines them")
    for fact, names in covered.object("verify").items():
        lines.append(f"`{fact}` has to pass: {', '.join(map(safe, texts_of(names)))}")
    if not covered.object("verify"):
        lines.append("nothing has to pass: `verify` is empty")
    lines.append(f"digest {digest}")
    state = {trust.ALLOWED: "allowed", trust.NOTHING: "nothing to allow", trust.MISSING: "not allowed"}
    said = state.get(consent.state, "changed since a person allowed it:")
    unasked = probes and consent.state == trust.NOTHING
    lines.append("not allowed, and no rule asks them; `exitgate goal --verify` can" if unasked else said)
    lines += [f"  - {safe(one)}" for one in consent.differences]
    return "\n".join(lines) + "\n"


def _before(root: str) -> JsonObject:
    """Return the probes that a person allowed, by name; none where they cannot be read, as `consent` says."""
    from exitgate.core.probes import trust
    from exitgate.core.system.folders import Refused

    try:
        known = trust.read(root, os.environ)
    except Refused:
        return JsonObject()
    return known.object("covered").object("probes") if known is not None else JsonObject()


def _of_probe(probe: Probe, root: str, before: JsonObject) -> list[str]:
    """Return the lines of one probe, with the command that a person allowed where that was another."""
    from exitgate.core.probes.definition import STANDARD_OUTPUT, Probe

    lines = [f"  {probe.name}: {safe(probe.shown())}"]
    was = Probe(probe.name, before)
    if before and was.shown() != probe.shown():
        lines.append(f"      was: {safe(was.shown())}")
    said = [f"at most {probe.timeout:g} s"]
    if probe.report:
        old = "" if probe.report == STANDARD_OUTPUT else "; an old one is removed"
        said.append(f"reads {probe.format} of {safe(probe.report)}{old}")
    if probe.writes:
        said.append(f"writes {', '.join(map(safe, probe.writes))}, which no comparison of the tree sees")
        said += _tracked(probe, root)
    said += [
        f"wants {safe(repr(wanted))} at {safe(pointer) or 'its root'}"
        for pointer, wanted in probe.expect.items()
    ]
    if probe.environment:
        said.append(f"gets {', '.join(probe.environment)}")
    if probe.judge:
        said.append(f"is shown {', '.join(probe.sees)}")
    lines += [f"      {line}" for line in wrap("; ".join(said), 90)]
    lines += [f"      judges: {line}" for line in wrap(safe(probe.judge), 80)] if probe.judge else []
    return lines


def _tracked(probe: Probe, root: str) -> Iterator[str]:
    """Yield how many files that git tracks are in what a probe says it writes."""
    from exitgate.core.observe.git_command import TIME_LIMIT, GitError, LateError, ask

    try:
        listed = ask(root, ("ls-files", "-z", "--", *probe.writes), time.monotonic() + TIME_LIMIT)
    except (GitError, LateError):
        return
    count = listed.count(b"\0")
    if count:
        yield f"git tracks {counted(count, 'file')} in there: changes of them go unseen"


COMMAND = Command(
    "trust",
    "show the commands of this project's probes, and allow them",
    about="Nothing that the settings of a project name runs before a person allowed it here. Shows the "
    "commands, the probes that have to pass, and what changed since they were allowed; then asks, on a "
    "terminal. The consent is recorded in your own state, for this folder and these very definitions: once "
    "one of them changes, by anyone, nothing runs until you allow it again.",
    options=(
        Option("--show", "only show", kind=FLAG),
        Option(
            "--digest", "only print the digest of what would be allowed, for EXITGATE_TRUST in CI", kind=FLAG
        ),
        Option("--revoke", "take the consent back", kind=FLAG),
        Option("--yes", "do not ask; only on a terminal of a person", kind=FLAG),
        Option("--policy, -p NAME|PATH", "the policy that decides"),
        Option("--set NAME=VALUE...", "set a parameter of the policy"),
    ),
    examples=(
        ("exitgate trust", "look at the commands, then allow them"),
        ("EXITGATE_TRUST=$(exitgate trust --digest)", "in CI, with the digest that a person looked at"),
    ),
    codes={
        "0": "shown, or allowed",
        "64": "not a terminal, or the environment of an agent",
        "66": "not allowed by the person who was asked",
        "73": "the consent cannot be recorded",
    },
    run=run_trust,
)
