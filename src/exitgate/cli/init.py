"""`exitgate init`: the project's settings and a workflow, shown first, never over something that exists."""

from __future__ import annotations

import os

from exitgate import system
from exitgate.cli import install_from
from exitgate.cli.answer import Answer, Event
from exitgate.cli.asking import agreed, can_ask
from exitgate.cli.declared import COLOR, FLAG, TROUBLE, Command, Option
from exitgate.cli.replace import write_new

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal

    #: Path from here, text, and a note where the text is a program's.
    Proposed = tuple[str, str, str]


def run(given: Given, terminal: Terminal) -> Answer:
    """Show the diff of every new file, ask where there is a terminal, and write what was agreed to."""
    from exitgate.cli.main import write

    asked = given.text("install_from")
    source = install_from.address(asked) if asked is not None else install_from.installed_from()
    proposed = proposals(given.text("policy"), source)
    kept = [path for path, _, _ in proposed if os.path.lexists(path)]
    new = [one for one in proposed if one[0] not in kept]
    remarks = "".join(f"{_safe(path)} exists and is left unchanged\n" for path in kept)
    remarks += _about_workflow(source, kept)
    if not new:
        return Answer(err=f"{remarks}nothing to write\n")
    shown = "\n".join(_diff(one, terminal) for one in new)
    if not given.flag("yes"):
        if not can_ask():
            return Answer(shown, f"{remarks}nothing was written; `exitgate init --yes` writes it\n")
        write(Answer(shown, remarks))
        if not agreed(f"write {'this file' if len(new) == 1 else f'these {len(new)} files'}? [y/N] "):
            return Answer(err="nothing was written\n")
        shown, remarks = "", ""
    for path, text, _ in new:
        write_new(path, text)
    out = "".join(f"wrote {_safe(path)}\n" for path, _, _ in new)
    events = tuple(Event("info", "file_written", {"path": path}) for path, _, _ in new)
    return Answer(shown + ("\n" if shown else "") + out, remarks, events=events)


def proposals(reference: str | None, source: str | None = None) -> tuple[Proposed, ...]:
    """
    Return every file that a project wants, below the root of its repository.

    Args:
        reference: Shipped name or path of the policy; None for the one that decides now.
        source: Address that a workflow installs exitgate from; None for no workflow.

    Raises:
        ExitgateError: 65 when the policy, or a layer of settings that is there already, is wrong.
    """
    from exitgate.cli import starter
    from exitgate.gate.discover import DEFAULT_POLICY
    from exitgate.policy.layers.load import load_settled
    from exitgate.policy.layers.places import Asked, folders_up

    root = folders_up(".", os.environ)[-1]
    settled = load_settled(Asked(DEFAULT_POLICY, reference))
    chosen = reference or str(settled.chosen[-1].value)
    named = _named(chosen, os.path.join(root, os.path.dirname(starter.CONFIG)))
    schema = starter.schema_text(settled)
    files = (
        (starter.CONFIG, starter.config_text(settled.policy, named), ""),
        (starter.SCHEMA, schema, "as `exitgate schema config` prints it"),
        *(((starter.WORKFLOW, starter.workflow_text(source), ""),) if source is not None else ()),
    )
    return tuple((system.relative(os.path.join(root, path)), text, note) for path, text, note in files)


def _about_workflow(source: str | None, kept: list[str]) -> str:
    """Return a line about a workflow that is not written, or whose next run may install something else."""
    from exitgate.cli.starter import WORKFLOW

    if any(path.endswith(WORKFLOW) for path in kept):
        return ""
    if source is None:
        how = f"`exitgate init {install_from.OPTION} {install_from.EXAMPLE}`"
        return f"no workflow for GitHub: say where it installs exitgate from, {how}\n"
    if install_from.is_pinned(source):
        return ""
    return (
        f"the workflow installs what is newest at {source}; add `@` and a tag or commit to keep it the same\n"
    )


def _named(reference: str, folder: str) -> str:
    """Return a policy as a file in `folder` names it: a path starts from there."""
    from exitgate.policy.library import is_path

    if not is_path(reference):
        return reference
    return system.with_slashes(system.relative(os.path.realpath(reference), os.path.realpath(folder)))


def _diff(one: Proposed, terminal: Terminal) -> str:
    from exitgate.report.diff import new_file_text

    path, text, note = one
    return new_file_text(path, text, terminal.out, note)


def _safe(text: str) -> str:
    from exitgate.report.safe import safe

    return safe(text)


COMMAND = Command(
    "init",
    "write the project's settings and a workflow that checks its policies",
    about="Proposes `.bb3/config.yaml` with every parameter of the policy as a comment, the schema by which "
    "editors complete and check it, and `.github/workflows/exitgate.yml`, at the root of the repository. The "
    "diff is shown first; on a terminal you are asked, elsewhere nothing is written without --yes. A file "
    "that exists is never touched.\n\n"
    "The workflow installs exitgate from the address that `--install-from` gives, else from the one that "
    "this exitgate was installed from. Without either there is no workflow: `exitgate` is on no package "
    "registry yet.",
    options=(
        Option("--policy", "-p", metavar="NAME|PATH", doc="the policy that will decide"),
        Option(
            install_from.OPTION,
            metavar="ADDRESS",
            doc="where the workflow installs exitgate from: a repository or a wheel",
        ),
        Option("--yes", "-y", kind=FLAG, doc="write without asking"),
        COLOR,
    ),
    examples=(
        ("exitgate init", "show what it would write"),
        ("exitgate init --policy bb3 --yes", "write it, for the policy bb3"),
        (
            "exitgate init --install-from git+https://github.com/OWNER/exitgate@v0.1.0",
            "with a workflow that checks settings and policies",
        ),
    ),
    codes=(("0", "written, or nothing to write"), *TROUBLE),
    run=run,
)
