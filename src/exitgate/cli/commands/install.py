"""`exitgate install`: our hook in the settings of an agent host, shown first; or what hosts there are."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

from exitgate.cli.command import NUMBER, Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.files import FileChange, apply_changes
from exitgate.cli.parsing.usage import at_least, did_you_mean, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.policy.findings import Findings
from exitgate.core.settings.files import SettingsRequest, project_file, shown
from exitgate.core.system.folders import folders_up
from exitgate.report.terminal import Style, pad, safe, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.settings.provenance import Chain
    from exitgate.hosts.install.host import EntrySpec, Host
    from exitgate.hosts.install.inspect import HostState
    from exitgate.hosts.install.receipts import Change


#: The range of `max_blocks`, as the schema of the settings has it.
MOST_BLOCKS = 1000


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Show the diff of every file, ask where there is a terminal, and write what was agreed to."""
    from exitgate.hosts.install.host import TIMEOUT, EntrySpec
    from exitgate.hosts.install.inspect import PLUGIN_WAITS, inspect_hosts
    from exitgate.hosts.install.settings_text import command_for

    if given.text("host") is None:
        return _listed(given, terminal)
    host, scope = host_named(given.word("host")), scope_of(given)
    timeout = at_least("--timeout", given.number("timeout"), 1)
    blocks = at_least("--max-blocks", given.number("max_blocks"), 1)
    if blocks is not None and blocks > MOST_BLOCKS:
        raise usage_error(f"`--max-blocks` is at most {MOST_BLOCKS}", "with 0 there would be no loop")
    command = command_for(host.id, os.environ.get("PATH"))
    least = probes_need()
    wanted = EntrySpec(command, timeout or int(least or TIMEOUT), blocks, 0.0 if timeout else least)
    planned: list[FileChange] = []
    values = {"enabled": "true"} if given.flag("enable") else {}
    values |= {"max_blocks": str(blocks)} if blocks is not None else {}
    if values:
        planned += plan_opt_in(values)
    tune = timeout is not None or blocks is not None
    by_plugin = inspect_hosts(host, root_here(), os.environ).with_plugin
    settings = None if by_plugin else plan_settings(host, scope, wanted, tune=tune)
    planned += [settings] if settings is not None else []
    remarks = _remarks(given, host, wanted, settings)
    if timeout is not None and timeout < least:
        remarks += f"{too_short(host, timeout, least)}: `--timeout {least:.0f}` gives them that\n"
    for one in by_plugin:
        remarks += f"the plugin {host.plugin}, enabled in {safe(one.shown)}, has the hook already\n"
        if least > PLUGIN_WAITS:
            remarks += f"{too_short(host, PLUGIN_WAITS, least)}: disable the plugin, then install the hook\n"
    if not planned:
        return Answer(err=f"{remarks}nothing to write: the hook is already there\n")
    again = _with_yes(given)
    return apply_changes(planned, terminal, yes=given.flag("yes"), again=again, remarks=remarks)


def host_named(name: str) -> Host:
    """Return the host of an id. Raises `ExitgateError` (64) for one that is not known."""
    from exitgate.hosts.install.inspect import HOSTS

    if name not in HOSTS:
        help = did_you_mean(name, HOSTS, f"there are {', '.join(HOSTS)}")
        raise usage_error(f"no host `{name}`", help)
    return HOSTS[name]


def scope_of(given: ParsedArguments) -> str:
    """Return whose settings are meant: the project's, or the user's own with `--user`."""
    from exitgate.hosts.install.host import PROJECT, USER

    if given.flag("user") and given.flag("project"):
        raise usage_error("`--project` and `--user` name two files", "write one of them, then the other")
    return USER if given.flag("user") else PROJECT


def _remarks(given: ParsedArguments, host: Host, wanted: EntrySpec, settings: FileChange | None) -> str:
    """Return what a person should know beside the diff."""
    from exitgate.hosts.install.settings_text import is_by_name

    lines = []
    opted_in = is_opted_in()
    refused = host.refused(settings.new or "") if settings is not None else ""
    if settings is not None and refused:
        lines.append(f"{host.title} ignores a file with {refused}: remove it from {settings.shown}")
    only_in = "" if given.flag("user") else host.only_in(".", root_here())
    if only_in:
        lines.append(f"{host.title} reads it only if it is started in `{only_in}`, not below")
    if _is_switched_off(host):
        lines.append(f"{host.title} does not run hooks while `{host.switch}` is true in its settings")
    if settings is not None and not is_by_name(wanted.command):
        lines.append("`exitgate` is not on PATH: the hook is called by its path on this machine")
        if not given.flag("user"):
            lines.append("other users of these settings may not have it there")
    lines += _capped(host, wanted)
    if settings is not None and host.remark:
        lines.append(host.remark)
    if not given.flag("enable") and not opted_in:
        lines.append(
            f"sessions here are not treated as loops; `exitgate install {host.id} --enable` changes that"
        )
    return "".join(f"{safe(line)}\n" for line in lines)


def _is_switched_off(host: Host) -> bool:
    """Return whether one of the host's settings files, as they are, turns every hook off."""
    from exitgate.hosts.install.inspect import inspect_hosts

    return any(one.off for one in inspect_hosts(host, root_here(), os.environ).files)


def _capped(host: Host, wanted: EntrySpec) -> list[str]:
    """Return what is said where the host's own limit is firm and below the one asked for."""
    from exitgate.hosts.hook.protocol import load_host

    cap = load_host(host.id).cap(os.environ)
    if not host.firm or wanted.max_blocks is None or wanted.max_blocks < cap:
        return []
    if not host.lifted_by:
        return [f"{host.title} ends a turn after {cap} blocks in a row, regardless of the settings here"]
    if os.environ.get(host.lifted_by) == "0":
        return []
    allowed = f"start it with `{host.lifted_by}={wanted.max_blocks + 1}` to allow more"
    return [f"{host.title} ends a turn after {cap} blocks in a row; {allowed}"]


def _with_yes(given: ParsedArguments) -> str:
    """Return the command line as given, with `--yes`."""
    words = ["exitgate install", given.word("host")]
    words += [f"--{name}" for name in ("user", "project", "enable") if given.flag(name)]
    for key in ("timeout", "max_blocks"):
        number = given.number(key)
        words += [f"--{key.replace('_', '-')} {number}"] if number is not None else []
    return " ".join([*words, "--yes"])


def _listed(given: ParsedArguments, terminal: Terminal) -> Answer:
    for name in ("enable", "user", "project", "yes"):
        if given.flag(name):
            raise usage_error(f"`--{name}` needs a host", "`exitgate install` lists the hosts")
    if given.word("format") == "json":
        return Answer(hosts_json())
    return Answer(hosts_text(terminal.out))


COMMAND = Command(
    "install",
    "add the hook to the settings of an agent host; without HOST, list hosts",
    about="Shows the diff of the host's settings first; on a terminal you are asked, elsewhere nothing "
    "is written without --yes. Existing content is kept: other hooks, unknown keys, order, indentation, "
    "comments. Running it again changes nothing. `exitgate uninstall HOST` removes the hook.\n\n"
    "A session in which the hook runs is left alone until it is a loop: --enable writes `hooks: {enabled: "
    "true}` into this project's `.bb3/config.yaml` and makes every session here a loop; a prompt with a "
    "line `exitgate: loop` makes a single session a loop.",
    arguments=(Argument("[HOST]", "claude-code, codex, gemini, copilot or cursor"),),
    options=(
        Option("--project", "use the project's settings, at the repository's root (default)"),
        Option("--user", "use your own settings, for all projects"),
        Option("--enable", "make every session in this project a loop"),
        Option(
            "--max-blocks N",
            "block at most N stops in a row in this project; by default one less than the host allows",
            kind=NUMBER,
        ),
        Option(
            "--timeout SECONDS",
            "how long the host waits for the hook; by default 30, as a check may wait 10 for the ledger, and "
            "what the probes of the settings may take besides",
            kind=NUMBER,
        ),
        Option("--yes, -y", "write without asking"),
        formats("text", "json", doc="form of the list of hosts"),
    ),
    examples=(
        ("exitgate install", "which hosts there are, and where the hook is installed"),
        ("exitgate install claude-code --enable", "show what makes every session here a loop"),
        ("exitgate install claude-code --enable --yes", "write it"),
        ("exitgate install cursor --user --max-blocks 20 --yes", "for all your projects, with more blocks"),
    ),
    codes={"0": "written, or nothing to write"},
    run=run,
)


# What `install` is to write: the host's settings, and the project's own where sessions become loops.


def root_here() -> str:
    """Return the root of the repository of this folder; the folder itself where there is none."""
    return folders_up(".", os.environ)[-1]


def plan_settings(host: Host, scope: str, wanted: EntrySpec, *, tune: bool) -> FileChange | None:
    """Return what must be done to the settings of a host; None where our hook is there."""
    from exitgate.hosts.install import files as files_module
    from exitgate.hosts.install import settings_text
    from exitgate.hosts.install.files import may_write, read_text
    from exitgate.hosts.install.json_edit import NotJsonError
    from exitgate.hosts.install.settings_text import WrongKindError

    root = root_here()
    path = host.file(scope, root, os.environ)
    name = host.shown(scope, root, os.environ)
    text = read_text(path, name)
    try:
        change = settings_text.installed(host, text, wanted, os.environ.get("PATH"), tune=tune)
        keep = settings_text.empties(host, text)
    except NotJsonError as error:
        raise files_module.not_json(name, text or "", error, files_module.snippet(host, wanted)) from error
    except WrongKindError as error:
        raise files_module.wrong_kind(name, text or "", error, files_module.snippet(host, wanted)) from error
    if change.is_none:
        return None
    may_write(path, name)
    return _planned(path, name, change, keep)


def plan_opt_in(values: Mapping[str, str]) -> list[FileChange]:
    """
    Return what must be done to the project's own settings so that they say `values` below `hooks:`.

    Where there are none, the files of `exitgate init` are made, without its workflow.
    """
    from exitgate.analysis.edits import Edit
    from exitgate.cli.commands import init
    from exitgate.core.settings.load import load_settled
    from exitgate.core.state.discover import DEFAULT_POLICY
    from exitgate.hosts.install.files import read_text
    from exitgate.hosts.install.opt_in import with_opt_in
    from exitgate.hosts.install.receipts import Change

    root = root_here()
    settled = load_settled(SettingsRequest(DEFAULT_POLICY))  # a loop that cannot decide is none
    path = project_file(".", os.environ)
    if path is not None:
        name = shown(path, root)
        change = with_opt_in(read_text(path, name) or "", name, values)
        return [] if change.is_none else [_planned(path, name, change, ())]
    starter = init.config_text(settled.policy, str(settled.chosen[-1].value))
    files = (
        (init.CONFIG, with_opt_in(starter, init.CONFIG, values).new, ""),
        (init.SCHEMA, init.schema_text(settled), "as `exitgate schema config` prints it"),
    )
    found = []
    for relative, text, note in files:
        file = os.path.join(root, relative)
        if not os.path.lexists(file):
            change = Change(None, text, ((Edit(0, len(text), ""),),))
            found.append(_planned(file, shown(file, root), change, (), note))
    return found


def probes_need(root: str = ".") -> float:
    """
    Return the seconds that a host has to wait for the hook: all probes, one after the other, and what a check
    takes besides; 0 where there are none, or the settings are wrong.
    """
    from exitgate.core.gate.settings import policy_of
    from exitgate.core.model.diagnostic import ExitgateError
    from exitgate.core.probes.definition import longest
    from exitgate.core.state.request import Request
    from exitgate.hosts.install.host import TIMEOUT

    try:
        seconds = longest(policy_of(Request(root=root)))
    except ExitgateError:
        return 0.0  # every check reports it, and `doctor`
    return math.ceil(seconds) + TIMEOUT if seconds else 0.0


def too_short(host: Host, waits: float, least: float) -> str:
    """Return what is wrong with a time limit that is below what probes may take."""
    return f"{host.title} waits {waits:g} s for the hook, and its probes may take {least:g} s with all else"


def is_opted_in() -> bool:
    """Return whether the settings in force make every session here a loop. Raises where they are wrong."""
    enabled = hook_settings(".").get("enabled")
    return enabled is not None and enabled[-1].value is True


def hook_settings(root: str) -> dict[str, Chain]:
    """
    Return key below `hooks:` -> what the layers say of it, from a project's root. No policy is compiled.

    Raises `ExitgateError` (65) where a file of settings is wrong.
    """
    from exitgate.core.settings.documents import read_layers
    from exitgate.core.settings.sources import chains_of
    from exitgate.core.state.discover import DEFAULT_POLICY

    findings = Findings()
    layers = read_layers(SettingsRequest(DEFAULT_POLICY, root=root), findings)
    findings.raise_errors()
    return chains_of(layers)


def _planned(
    path: str, name: str, change: Change, keep: tuple[tuple[str, ...], ...], by_program: str = ""
) -> FileChange:
    def done(folders: tuple[str, ...]) -> str:
        from exitgate.hosts.install import receipts

        before = receipts.load_receipt(path, os.environ)
        receipt = receipts.receipt_for(path, change, folders, keep, before)
        try:
            receipts.save_receipt(receipt, os.environ)
        except OSError as error:
            place = receipts.receipt_path(path, os.environ)
            return (
                f"the change to {name} could not be recorded at {place} ({error.strerror}): `exitgate "
                "uninstall` finds the hook by its command\n"
            )
        return ""

    return FileChange(path, name, change.old, change.new, "installed", done, by_program=by_program)


# The hosts there are: whether they are found here, and where the hook is installed.


def host_states() -> list[HostState]:
    """Return what is found of every host, from this folder."""
    from exitgate.hosts.install.inspect import HOSTS, inspect_hosts

    root = root_here()
    return [inspect_hosts(host, root, os.environ) for host in HOSTS.values()]


def hosts_text(style: Style) -> str:
    """Return a line or more for each host."""
    from exitgate.report.doctor import ABSENT, FOUND, GLYPHS

    lines = []
    for sight in host_states():
        glyph, role = GLYPHS[FOUND if sight.installed else ABSENT]
        head = f"{glyph} {pad(sight.host.id, 11)}  "
        first, *rest = wrap(safe(", ".join(_words(sight))), style.width, head, " " * len(head))
        lines.append(style.paint(role, glyph) + " " + style.paint("name", first[2:13]) + first[13:])
        lines += rest
    lines += ["", "`exitgate install HOST` shows what it would write"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def hosts_json() -> str:
    """Return the same as JSON."""
    from exitgate.report.doctor import HookFileOutput, HostOutput
    from exitgate.report.formats.output import output_text

    found = []
    for state in host_states():
        files = tuple(
            HookFileOutput(
                one.scope,
                one.path,
                one.there,
                dict(one.ours),
                tuple(one.others),
                None if one.problem is None else one.problem.message,
            )
            for one in state.files
        )
        host = state.host
        found.append(
            HostOutput(host.id, host.title, state.program, state.is_found, bool(state.installed), files)
        )
    return output_text(found)


def _words(sight: HostState) -> list[str]:
    places = [f"installed in {one.shown}" for one in sight.installed]
    broken = [f"{one.problem.message}" for one in sight.files if one.problem is not None]
    found = f"{sight.host.title} is at {sight.program}" if sight.program else f"no {sight.host.title} on PATH"
    return [*(places or ["not installed"]), *broken, found]
