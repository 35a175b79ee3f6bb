"""`exitgate init`: the project's settings and a workflow, shown first, never over something that exists."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from exitgate.cli.command import Answer, Command, Event, Option, ParsedArguments
from exitgate.cli.files import can_ask, confirmed, write_new
from exitgate.cli.parsing.usage import usage_error
from exitgate.cli.terminal import Terminal, write
from exitgate.core.language.unparse import value_text
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import Type
from exitgate.core.policy.compiled import CompiledPolicy, Parameter
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.provenance import Settled
from exitgate.core.system import portable
from exitgate.core.system.folders import folders_up
from exitgate.report.terminal import safe, wrap

Proposed = tuple[str, str, str]


# Where a workflow installs exitgate from: the address given, else the one that it was installed from here.
#
# Never a bare name: `exitgate` is on no package registry yet, so anyone could publish a package of that
# name.

OPTION = "--install-from"
EXAMPLE = "git+https://HOST/OWNER/exitgate@REVISION"
#: What pip installs as it is; every other address is that of a repository.
_ARCHIVES = (".whl", ".zip", ".tar.gz")
_SCHEMES = ("https", "ssh", "file")
#: Of an address, besides letters and digits of ASCII; nothing that YAML, a shell or GitHub would read.
_PLAIN = frozenset("-._~:/?#[]@!&()+,;=%")


def install_address(given: str) -> str:
    """
    Return an address as pip takes it: a repository's gets ``git+``, as does ``git@HOST:OWNER/NAME``.

    Raises `ExitgateError` (64) for a bare name, another scheme, a password, and characters of no address.
    """
    from urllib.parse import urlsplit

    text = given.strip()
    host, colon, path = text.partition(":")
    if "@" in host and "/" not in host and colon and not path.startswith("//"):
        text = f"ssh://{host}/{path}"
    strange = [one for one in text if not (one.isascii() and one.isalnum()) and one not in _PLAIN]
    if strange:
        raise _wrong_address(
            given, "an address does not have " + ", ".join(sorted({_shown_character(one) for one in strange}))
        )
    bare = text.removeprefix("git+")
    try:
        parts = urlsplit(bare)
        secret = parts.password is not None or (parts.scheme != "ssh" and parts.username is not None)
    except ValueError:
        raise _wrong_address(given, "it is not an address") from None
    if "://" not in bare and "/" in bare:
        raise _wrong_address(given, "a path is not an address; `file://` and an absolute path is one")
    if "://" not in bare:
        raise _wrong_address(
            given, "`exitgate` is on no package registry yet: anyone could publish that name"
        )
    if (
        parts.scheme not in _SCHEMES
        or not (parts.netloc or parts.scheme == "file")
        or not parts.path.strip("/")
    ):
        raise _wrong_address(
            given, f"it has to begin with {', '.join(f'`{one}://`' for one in _SCHEMES)} or `git+`"
        )
    if secret:
        raise _wrong_address("ADDRESS", "a password or token does not belong into a workflow")
    return bare if parts.path.endswith(_ARCHIVES) else f"git+{bare}"


def is_pinned(found: str) -> bool:
    """Return whether an address of `install_address` names one revision or archive."""
    from urllib.parse import urlsplit

    return not found.startswith("git+") or "@" in urlsplit(found.removeprefix("git+")).path


def installed_from() -> str | None:
    """Return the address that this exitgate was installed from, if others can install from it, too."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        record = json.loads(distribution("exitgate").read_text("direct_url.json") or "null")
        url, revision = str(record["url"]), record.get("vcs_info", {}).get("commit_id")
        if record.get("vcs_info", {}).get("vcs", "git") != "git" or url.startswith("file:"):
            return None
        return install_address(f"git+{url}@{revision}" if revision else url)
    except (PackageNotFoundError, OSError, ValueError, TypeError, KeyError, AttributeError, ExitgateError):
        return None


def _shown_character(character: str) -> str:
    return f"`{character}`" if character.isprintable() and not character.isspace() else "white space"


def _wrong_address(given: str, why: str) -> ExitgateError:
    return usage_error(
        f"`{OPTION} {given}`: {why}", f"write the address of a repository or a wheel: `{EXAMPLE}`"
    )


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Show the diff of every new file, ask where there is a terminal, and write what was agreed to."""
    asked = given.text("install_from")
    source = install_address(asked) if asked is not None else installed_from()
    proposed = proposals(given.text("policy"), source)
    kept = [path for path, _, _ in proposed if os.path.lexists(path)]
    new = [one for one in proposed if one[0] not in kept]
    remarks = "".join(f"{safe(path)} exists and is left unchanged\n" for path in kept)
    remarks += _about_workflow(source, kept)
    if not new:
        return Answer(err=f"{remarks}nothing to write\n")
    shown = "\n".join(_diff(one, terminal) for one in new)
    if not given.flag("yes"):
        if not can_ask():
            return Answer(shown, f"{remarks}nothing was written; `exitgate init --yes` writes it\n")
        write(Answer(shown, remarks))
        if not confirmed(f"write {'this file' if len(new) == 1 else f'these {len(new)} files'}? [y/N] "):
            return Answer(err="nothing was written\n")
        shown, remarks = "", ""
    for path, text, _ in new:
        write_new(path, text)
    out = "".join(f"wrote {safe(path)}\n" for path, _, _ in new)
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
    from exitgate.core.settings.load import load_settled
    from exitgate.core.state.discover import DEFAULT_POLICY

    root = folders_up(".", os.environ)[-1]
    settled = load_settled(SettingsRequest(DEFAULT_POLICY, reference))
    chosen = reference or str(settled.chosen[-1].value)
    named = _named(chosen, os.path.join(root, os.path.dirname(CONFIG)))
    schema = schema_text(settled)
    files = (
        (CONFIG, config_text(settled.policy, named, root), ""),
        (SCHEMA, schema, "as `exitgate schema config` prints it"),
        *(((WORKFLOW, workflow_text(source), ""),) if source is not None else ()),
    )
    return tuple((portable.relative(os.path.join(root, path)), text, note) for path, text, note in files)


def _about_workflow(source: str | None, kept: list[str]) -> str:
    """Return a line about a workflow that is not written, or whose next run may install something else."""

    if any(path.endswith(WORKFLOW) for path in kept):
        return ""
    if source is None:
        how = f"`exitgate init {OPTION} {EXAMPLE}`"
        return f"no workflow for GitHub: say where it installs exitgate from, {how}\n"
    if is_pinned(source):
        return ""
    return (
        f"the workflow installs what is newest at {source}; add `@` and a tag or commit to keep it the same\n"
    )


def _named(reference: str, folder: str) -> str:
    """Return a policy as a file in `folder` names it: a path starts from there."""
    from exitgate.core.policy.library import is_path

    if not is_path(reference):
        return reference
    return portable.with_slashes(portable.relative(os.path.realpath(reference), os.path.realpath(folder)))


def _diff(one: Proposed, terminal: Terminal) -> str:
    from exitgate.report.formats.unified_diff import new_file_text

    path, text, note = one
    return new_file_text(path, text, terminal.out, note)


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
        Option("--policy, -p NAME|PATH", "the policy that will decide"),
        Option(f"{OPTION} ADDRESS", "where the workflow installs exitgate from: a repository or a wheel"),
        Option("--yes, -y", "write without asking"),
    ),
    examples=(
        ("exitgate init", "show what it would write"),
        ("exitgate init --policy bb3 --yes", "write it, for the policy bb3"),
        (
            "exitgate init --install-from git+https://github.com/OWNER/exitgate@v0.1.0",
            "with a workflow that checks settings and policies",
        ),
    ),
    codes={"0": "written, or nothing to write"},
    run=run,
)


# The texts that `init` proposes: the project's settings, their schema, a workflow that checks policies.

CONFIG, SCHEMA, WORKFLOW = ".bb3/config.yaml", ".bb3/config.schema.json", ".github/workflows/exitgate.yml"
WIDTH = 100

_WORKFLOW = """\
# Checks on every change that the settings of exitgate fit its policies, and that policies are sound.
name: exitgate
on:
  pull_request:
  push:
permissions:
  contents: read
env:
  # What pip installs: the address of a repository or a wheel that you trust.
  EXITGATE: {address}
jobs:
  policies:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install "$EXITGATE"
      - name: settings fit the policy
        run: exitgate config
      - name: policies are sound
        if: hashFiles('policies/**/*.yaml') != ''
        run: exitgate validate policies --format github
"""


def config_text(policy: CompiledPolicy, reference: str, root: str = "") -> str:
    """
    Return the settings file: the policy chosen, its parameters as comments with doc, range and default.

    `reference` is the policy as the file is to name it: a shipped name, or a path from `.bb3`. Probes that
    fit the project in folder `root` are there as comments, too.
    """
    lines = [
        "# yaml-language-server: $schema=config.schema.json",
        "# Settings of exitgate for this project. `exitgate config` shows what is in force and who set it;",
        "# `exitgate schema config > .bb3/config.schema.json` renews what editors complete and check.",
        "exit_decision:",
        f"  policy: {reference if _is_plain(reference) else _quoted(reference)}",
    ]
    if policy.parameters:
        lines += ["", f"  # Parameters of {policy.name} {policy.version} with their defaults."]
    for parameter in policy.parameters.values():
        lines += [
            "",
            *_described(parameter),
            f"  # {parameter.name}: {settings_lines(parameter.default, parameter.type)}",
        ]
    return "\n".join([*lines, *_probe_lines(policy, root)]) + "\n"


def _probe_lines(policy: CompiledPolicy, root: str) -> list[str]:
    """Return comments with the probes that fit a project, if the policy can have some to pass."""
    from exitgate.core.probes.proposals import as_yaml, has_workflow, proposals

    found = proposals(root) if root and "verify" in policy.parameters else {}
    if not found:
        return []
    lines = [
        "",
        "  # Probes that fit this project: a run completes once all in `verify` pass. Allow them with",
    ]
    lines += ["  # `exitgate trust`.", *(f"  # {line}" for line in as_yaml(found))]
    if has_workflow(root):
        lines.append("  # The verdict of GitHub can be one as well, read by `gh`.")
    return lines


def schema_text(settled: Settled) -> str:
    """Return the JSON Schema of the settings file, as `exitgate schema config` prints it."""
    from exitgate.reference.editor_schemas import project_schema

    return json.dumps(project_schema(settled), indent=2, ensure_ascii=False) + "\n"


def workflow_text(address: str) -> str:
    """Return a GitHub workflow that installs exitgate from an address and checks settings and policies."""
    return _WORKFLOW.replace("{address}", _quoted(address))


def settings_lines(value: object, type: Type) -> str:
    """Return a parameter's value as YAML that reads back as the same value."""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, tuple):
        item = type.item
        return (
            "[" + ", ".join(_quoted(str(v)) if item is None else settings_lines(v, item) for v in value) + "]"
        )
    if isinstance(value, str):
        return value if type.kind == "enum" else _quoted(value)
    assert isinstance(value, int | float)
    number = str(int(value)) if value == int(value) else repr(float(value))
    if type.kind == "duration":
        return value_text(value, type) if value == int(value) else f"{number}s"
    unit = {"percent": "%", "money": f" {type.currency}"}.get(type.kind, "")
    return number + unit


def _is_plain(reference: str) -> bool:
    """Return whether the name of a policy is itself in YAML: letters, digits, `_` and `-`."""
    return reference[:1].isalpha() and reference.replace("-", "").isidentifier() and reference.isascii()


def _quoted(text: str) -> str:
    """Return a text in YAML's double quotes, all that is not plainly visible as an escape."""
    return '"' + "".join(map(_in_quotes, text)) + '"'


def _in_quotes(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _described(parameter: Parameter) -> Iterator[str]:
    if parameter.doc:
        yield from wrap(safe(parameter.doc), WIDTH, "  # ", "  # ")
    type = parameter.type
    members = f": {', '.join(type.members)}" if type.kind == "enum" else ""
    yield f"  # {type.kind}{members}{_range(parameter)}"


def _range(parameter: Parameter) -> str:
    """Return ``, from 1% to 100%`` or what of it is bounded."""
    type = parameter.type
    low = 0 if parameter.low is None and type.kind in ("count", "percent") else parameter.low
    high = 100 if parameter.high is None and type.kind == "percent" else parameter.high
    least, most = (None if bound is None else settings_lines(bound, type) for bound in (low, high))
    if least is not None and most is not None:
        return f", from {least} to {most}"
    if least is not None:
        return f", at least {least}"
    return "" if most is None else f", at most {most}"
