"""`exitgate doctor`: what is found, from where, what `check` would do now, and what is missing."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence

from exitgate.cli.command import Answer, Command, ParsedArguments, formats
from exitgate.cli.options import ASKING, PLAN, RESPONSE, request_of
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import FINDINGS, OK
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.request import Request
from exitgate.core.system.folders import folders_up
from exitgate.report.doctor import ABSENT, FAILS, FOUND, WARNING, Finding, findings_json, findings_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.settings.provenance import Chain
    from exitgate.hosts.install.host import Host
    from exitgate.hosts.install.inspect import HostState, InspectedFile


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Look at everything a check needs; 69 when something would keep it from deciding."""
    from exitgate.cli.findings import check_finding, program_findings, project_findings, state_findings

    request = request_of(given, record=False)
    project, policy = project_findings(request)
    findings = [*program_findings(), *project, *state_findings(request)]
    findings += [*host_findings(request), *incident_findings(request)]
    piped = "-" in (request.response, request.plan, request.task)
    if policy is not None and not piped:
        findings.append(check_finding(request))
    code = FINDINGS if any(one.state == FAILS for one in findings) else OK
    if given.word("format") == "json":
        return Answer(findings_json(findings), code=code)
    return Answer(findings_text(findings, terminal.out), code=code)


COMMAND = Command(
    "doctor",
    "show what exitgate finds, where, and what is missing",
    about="Looks at the program, the policy and every layer of settings, the sources, the breaker, the state "
    "directory and the ledger, agent hosts with or without the hook, recent incidents, and says what "
    "`check` with the same arguments would do now. Nothing is written. "
    "● found, ○ absent but not needed, ! warning, ✗ prevents check from deciding.",
    arguments=(RESPONSE, PLAN),
    options=(*ASKING, formats("text", "json")),
    examples=(
        ("exitgate doctor", "before the first loop, or when something is wrong"),
        ("exitgate doctor response.md plan.md --policy bb3", "with the arguments of your check"),
    ),
    codes={"0": "check can decide", "65": "", "69": "something would prevent check from deciding"},
    run=run,
)


# What `doctor` finds of incidents: trouble around decisions that could not be reported at the time.

#: Incidents older than this many days are not reported any more.
DAYS = 7
DAY = 24 * 60 * 60
#: Kind -> what to do about it.
HELP = {
    "failed_open": "`exitgate check` in the same folder shows what is wrong",
    "killed": "`exitgate install HOST --timeout SECONDS` gives it more time",
    "capped": "`exitgate history` shows why; `exitgate install HOST --max-blocks N` allows more",
    "telemetry": "check that the collector is up and the file is writable; decisions do not wait for them",
    "notify": "try the command by hand",
    "crashed": "EXITGATE_DEBUG=1 shows where; please report it, with the agent's response",
    "fault": "please report it, with the agent's response; the loop continues without that part",
    "shim": "`exitgate check` in the same folder shows what is wrong",
    "loop": "see `exitgate history` for the iteration, and the runner's output",
}


def incident_findings(request: Request) -> tuple[Finding, ...]:
    """Return a finding for each kind of incident of the last days, the newest first."""
    from exitgate.core.state.discover import state_dir
    from exitgate.core.state.incidents import incidents

    now = time.time()
    return grouped(incidents(state_dir(request)), now)


def grouped(kept: Sequence[Mapping[str, object]], now: float) -> tuple[Finding, ...]:
    """
    Return the findings on incidents.

    Args:
        kept: As `exitgate.core.state.incidents.incidents` has them, oldest first.
        now: Seconds since the epoch.
    """
    kinds: dict[str, list[Mapping[str, object]]] = {}
    for one in kept:
        kind = str(one.get("kind", ""))
        if _time(one) > now - DAYS * DAY:
            # Put at the end again: kinds are in the order of their newest incident.
            kinds[kind] = [*kinds.pop(kind, []), one]
    found = tuple(_finding(kind, ones) for kind, ones in reversed(kinds.items()))
    return found or (Finding("incidents", ABSENT, f"none in the last {DAYS} days"),)


def _finding(kind: str, ones: Sequence[Mapping[str, object]]) -> Finding:
    from exitgate.core.state.incidents import KINDS

    last = ones[-1]
    counted = "once" if len(ones) == 1 else f"{len(ones)} times"
    what = KINDS.get(kind, f"of unknown kind: {kind}")
    origin = f"last {_written(_time(last))}: {last.get('message', '')}"
    details = ", ".join(_details(last))
    return Finding(
        "incidents",
        WARNING,
        f"{counted}: {what}",
        origin + (f" ({details})" if details else ""),
        HELP.get(kind, ""),
    )


def _details(one: Mapping[str, object]) -> Iterator[str]:
    for key, value in one.items():
        if key not in ("time", "kind", "message") and value not in (None, ""):
            yield f"{key} {value}"


def _time(one: Mapping[str, object]) -> float:
    value = one.get("time")
    return float(value) if isinstance(value, int | float) else 0.0


def _written(moment: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S local time", time.localtime(moment))
    except (OverflowError, OSError, ValueError):
        return "at an invalid time"


# What `doctor` finds of agent hosts: our hook, whether it can run, other hooks, what makes a loop here.


ENDED = "they are ended before, and give no answer"


def host_findings(request: Request) -> tuple[Finding, ...]:
    """Return the findings on every host that is found here, and on what opts sessions in."""
    from exitgate.hosts.install.inspect import HOSTS, inspect_hosts

    root = folders_up(request.root, os.environ)[-1]
    sights = [inspect_hosts(host, root, os.environ) for host in HOSTS.values()]
    found = [finding for sight in sights if sight.is_found for finding in _host(sight, request.root, root)]
    if any(sight.installed or sight.with_plugin for sight in sights):
        found += _loops(request)
    return tuple(found)


def _host(sight: HostState, folder: str, root: str) -> Iterator[Finding]:
    host = sight.host
    read = ", ".join(one.shown for one in sight.files if one.there)
    for one in sight.files:
        if one.problem is not None:
            place = str(one.problem.place or one.shown)
            help = f"{host.title} may not read it either; fix it"
            yield Finding(host.id, WARNING, one.problem.message, place, help)
        if one.off:
            text = f"{host.title} does not run hooks: `{host.switch}` is true"
            yield Finding(host.id, WARNING, text, one.shown, "remove it, or write `false`")
    for one in sight.with_plugin:
        yield _plugin(host, one, folder)
    if not sight.installed and not sight.with_plugin:
        origin = read or (sight.program or "")
        yield Finding(
            host.id, ABSENT, "no hook", origin, f"`exitgate install {host.id}` shows what it would write"
        )
        return
    for one in sight.installed:
        yield _hook(sight, one, folder, sight.host.only_in(folder, root))
    both = (*sight.installed, *sight.with_plugin)
    if len(both) > 1:
        places = ", ".join(one.shown for one in both)
        help = (
            f"they all run at every stop: `exitgate uninstall {host.id}` or `exitgate uninstall {host.id} "
            "--user`"
        )
        yield Finding(host.id, WARNING, "the hook is installed more than once", places, help)
    others = [f"`{command}`" for one in sight.files for command in one.others]
    if others:
        text = f"other hooks on {' and '.join(host.events)}: {', '.join(others)}"
        yield Finding(host.id, FOUND, text, read, "each of them may block a stop on its own")


def _plugin(host: Host, one: InspectedFile, folder: str) -> Finding:
    from exitgate.cli.commands.install import probes_need, too_short
    from exitgate.hosts.install.inspect import PLUGIN_WAITS

    least = probes_need(folder)
    if least > PLUGIN_WAITS:
        help = f"disable the plugin, then `exitgate install {host.id}`"
        return Finding(host.id, WARNING, f"{too_short(host, PLUGIN_WAITS, least)}: {ENDED}", one.shown, help)
    return Finding(host.id, FOUND, f"hook of the plugin {host.plugin}", one.shown)


def _hook(sight: HostState, one: InspectedFile, folder: str, only_in: str) -> Finding:
    from exitgate.cli.commands.install import probes_need, too_short
    from exitgate.hosts.install.host import USER

    host = sight.host
    broken = one.broken(os.environ.get("PATH"))
    again = f"`exitgate install {host.id}{' --user' if one.scope == 'user' else ''}`"
    if one.unread:
        text = f"{host.title} ignores a file with {one.unread}, and so the hook"
        return Finding(host.id, WARNING, text, one.shown, f"remove {one.unread}")
    if broken:
        return Finding(
            host.id,
            WARNING,
            f"the hook cannot run: no such program: {broken[0]}",
            one.shown,
            f"{again} fixes it",
        )
    unsafe = one.unsafe()
    if unsafe:
        text = f"the hook's Python runs modules of the folder it is in, `./re.py` for one: {unsafe[0]}"
        return Finding(host.id, WARNING, text, one.shown, f"{again} fixes it")
    missing = one.missing(host)
    if missing:
        return Finding(host.id, WARNING, f"no hook on {', '.join(missing)}", one.shown, f"{again} adds it")
    least = probes_need(folder)
    if one.waits is not None and one.waits < least:
        text = f"{too_short(host, one.waits, least)}: {ENDED}"
        return Finding(host.id, WARNING, text, one.shown, f"{again} raises it")
    command = next(iter(one.ours.values()))
    told = f"{host.title} reads it only if it is started in `{only_in}`, not below"
    help = told if only_in and one.scope != USER else ""
    return Finding(host.id, FOUND, f"hook on {' and '.join(host.events)}: {command}", one.shown, help)


def _loops(request: Request) -> list[Finding]:
    """Return what makes sessions in this project loops; nothing where the settings are wrong."""
    from exitgate.cli.commands.install import hook_settings

    try:
        return [_opted_in(hook_settings(request.root))]
    except ExitgateError:
        return []  # reported as the finding on the policy


def _opted_in(hooks: Mapping[str, Chain]) -> Finding:
    from exitgate.hosts.hook.answer import MARKER, VARIABLE
    from exitgate.report.config import where

    chain = hooks.get("enabled")
    marker = hooks.get("marker")
    if chain is not None and chain[-1].value is True:
        blocks = hooks.get("max_blocks")
        held = (
            f", blocked at most {blocks[-1].value} {'time' if blocks[-1].value == 1 else 'times in a row'}"
            if blocks is not None
            else ""
        )
        return Finding("loops", FOUND, f"every session here is a loop{held}", where(chain[-1]))
    word = marker[-1].value if marker is not None else MARKER
    text = f"only a session with a line `{word}` in its first prompt, or with {VARIABLE}=1, is a loop"
    origin = where(chain[-1]) if chain is not None else ""
    return Finding(
        "loops", ABSENT, text, origin, "`exitgate install HOST --enable` makes every session here a loop"
    )
