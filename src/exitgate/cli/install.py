"""`exitgate install`: our hook in the settings of an agent host, shown first; or what hosts there are."""

from __future__ import annotations

import os

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, FLAG, NUMBER, OPTIONAL, TROUBLE, Argument, Command, Option
from exitgate.cli.usage import at_least, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.planned import Planned
    from exitgate.cli.terminal import Terminal
    from exitgate.hosts.install.host import Host, Wanted

#: The range of `max_blocks`, as the schema of the settings has it.
MOST_BLOCKS = 1000


def run(given: Given, terminal: Terminal) -> Answer:
    """Show the diff of every file, ask where there is a terminal, and write what was agreed to."""
    from exitgate.cli.install_plan import plan_opt_in, plan_settings, root_here
    from exitgate.cli.planned import carry_out
    from exitgate.hosts.install.commands import command_for
    from exitgate.hosts.install.host import TIMEOUT, Wanted
    from exitgate.hosts.install.look import look
    from exitgate.report.safe import safe

    if given.text("host") is None:
        return _listed(given, terminal)
    host, scope = host_named(given.word("host")), scope_of(given)
    timeout = at_least("--timeout", given.number("timeout"), 1)
    blocks = at_least("--max-blocks", given.number("max_blocks"), 1)
    if blocks is not None and blocks > MOST_BLOCKS:
        raise usage_error(f"`--max-blocks` is at most {MOST_BLOCKS}", "with 0 there would be no loop")
    command = command_for(host.id, os.environ.get("PATH"))
    wanted = Wanted(command, timeout or TIMEOUT, blocks)
    planned: list[Planned] = []
    values = {"enabled": "true"} if given.flag("enable") else {}
    values |= {"max_blocks": str(blocks)} if blocks is not None else {}
    if values:
        planned += plan_opt_in(values)
    tune = timeout is not None or blocks is not None
    by_plugin = look(host, root_here(), os.environ).with_plugin
    settings = None if by_plugin else plan_settings(host, scope, wanted, tune=tune)
    planned += [settings] if settings is not None else []
    remarks = _remarks(given, host, wanted, settings)
    for one in by_plugin:
        remarks += f"the plugin {host.plugin}, enabled in {safe(one.shown)}, has the hook already\n"
    if not planned:
        return Answer(err=f"{remarks}nothing to write: the hook is already there\n")
    again = _again(given)
    return carry_out(planned, terminal, yes=given.flag("yes"), again=again, remarks=remarks)


def host_named(name: str) -> Host:
    """Return the host of an id. Raises `ExitgateError` (64) for one that is not known."""
    from exitgate.hosts.install.registry import HOSTS
    from exitgate.model.spelling import nearest

    if name not in HOSTS:
        near = nearest(name, HOSTS)
        help = f"did you mean `{near}`?" if near else f"there are {', '.join(HOSTS)}"
        raise usage_error(f"no host `{name}`", help)
    return HOSTS[name]


def scope_of(given: Given) -> str:
    """Return whose settings are meant: the project's, or the user's own with `--user`."""
    from exitgate.hosts.install.host import PROJECT, USER

    if given.flag("user") and given.flag("project"):
        raise usage_error("`--project` and `--user` name two files", "write one of them, then the other")
    return USER if given.flag("user") else PROJECT


def _remarks(given: Given, host: Host, wanted: Wanted, settings: Planned | None) -> str:
    """Return what a person should know beside the diff."""
    from exitgate.cli.install_plan import is_opted_in, root_here
    from exitgate.hosts.install.commands import is_by_name
    from exitgate.report.safe import safe

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
    from exitgate.cli.install_plan import root_here
    from exitgate.hosts.install.look import look

    return any(one.off for one in look(host, root_here(), os.environ).files)


def _capped(host: Host, wanted: Wanted) -> list[str]:
    """Return what is said where the host's own limit is firm and below the one asked for."""
    from exitgate.hosts.registry import load

    cap = load(host.id).cap(os.environ)
    if not host.firm or wanted.max_blocks is None or wanted.max_blocks < cap:
        return []
    if not host.lifted_by:
        return [f"{host.title} ends a turn after {cap} blocks in a row, regardless of the settings here"]
    if os.environ.get(host.lifted_by) == "0":
        return []
    allowed = f"start it with `{host.lifted_by}={wanted.max_blocks + 1}` to allow more"
    return [f"{host.title} ends a turn after {cap} blocks in a row; {allowed}"]


def _again(given: Given) -> str:
    """Return the command line as given, with `--yes`."""
    words = ["exitgate install", given.word("host")]
    words += [f"--{name}" for name in ("user", "project", "enable") if given.flag(name)]
    for key in ("timeout", "max_blocks"):
        number = given.number(key)
        words += [f"--{key.replace('_', '-')} {number}"] if number is not None else []
    return " ".join([*words, "--yes"])


def _listed(given: Given, terminal: Terminal) -> Answer:
    from exitgate.cli.install_list import hosts_json, hosts_text

    for name in ("enable", "user", "project", "yes"):
        if given.flag(name):
            raise usage_error(f"`--{name}` needs a host", "`exitgate install` lists the hosts")
    if given.word("format") == "json":
        from exitgate.report.json import json_text

        return Answer(json_text(hosts_json()))
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
    arguments=(Argument("HOST", OPTIONAL, "claude-code, codex, gemini, copilot or cursor"),),
    options=(
        Option("--project", kind=FLAG, doc="use the project's settings, at the repository's root (default)"),
        Option("--user", kind=FLAG, doc="use your own settings, for all projects"),
        Option("--enable", kind=FLAG, doc="make every session in this project a loop"),
        Option(
            "--max-blocks",
            kind=NUMBER,
            metavar="N",
            doc="block at most N stops in a row in this project; by default one less than the host allows",
        ),
        Option(
            "--timeout",
            kind=NUMBER,
            metavar="SECONDS",
            doc="how long the host waits for the hook; 30 by default: a check may wait 10 for the ledger",
        ),
        Option("--yes", "-y", kind=FLAG, doc="write without asking"),
        Option("--format", choices=("text", "json"), default="text", doc="form of the list of hosts"),
        COLOR,
    ),
    examples=(
        ("exitgate install", "which hosts there are, and where the hook is installed"),
        ("exitgate install claude-code --enable", "show what makes every session here a loop"),
        ("exitgate install claude-code --enable --yes", "write it"),
        ("exitgate install cursor --user --max-blocks 20 --yes", "for all your projects, with more blocks"),
    ),
    codes=(("0", "written, or nothing to write"), *TROUBLE),
    run=run,
)
