"""`exitgate migrate`: policies of older formats rewritten in today's."""

from __future__ import annotations

import os

from msgspec import Struct

from exitgate.cli.command import ANY, COLOR, FLAG, SUCCESS, TROUBLE, Answer, Argument, Command, Option
from exitgate.cli.parsing.usage import usage_error
from exitgate.core.model.decision import BAD_POLICY, FINDINGS, OK
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.migrate.migrate import Migrated
    from exitgate.cli.command import ParsedArguments
    from exitgate.cli.terminal import Terminal


#: Not UTF-8, and too long: such a file has no text.
UNREADABLE = frozenset(("EP101", "EP104"))


class _Read(Struct, frozen=True):
    """A file: its text as it is, and what became of it; None for one that is not a policy."""

    path: str
    text: str
    migrated: Migrated | None

    @property
    def new(self) -> str:
        """Its text in the format of today."""
        return self.text if self.migrated is None else self.migrated.text

    @property
    def since(self) -> int | None:
        """The format it is in; None for a file that is not a policy."""
        return None if self.migrated is None else self.migrated.since


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Show what would change, or write it with `--write`; nothing is written when one file has an error."""
    from exitgate.cli.files import replace_text
    from exitgate.report.diagnostics import diagnostics_text
    from exitgate.report.formats.unified_diff import change_text
    from exitgate.report.terminal import safe

    writing, checking = given.flag("write"), given.flag("check")
    if writing and checking:
        raise usage_error("`--check` changes nothing, `--write` does", "write one of them")
    read = _read(given.texts("path") or (os.curdir,))
    changed = [one for one in read if one.new != one.text]
    out = ""
    if not writing:
        out = "".join(change_text(one.path, one.text, one.new, "migrated", terminal.out) for one in changed)
    for one in changed:
        if writing:
            replace_text(one.path, one.new)
    warnings = [warning for one in read if one.migrated for warning in one.migrated.warnings]
    err = diagnostics_text(warnings, terminal.err) if warnings else ""
    verb = "migrated" if writing else "would migrate"
    err += "".join(f"{verb} {safe(one.path)} from format {one.since}\n" for one in changed)
    return Answer(out, err + _left(read, len(changed)), FINDINGS if changed and checking else OK)


def _read(paths: Sequence[str]) -> list[_Read]:
    """Return every YAML file below `paths`, migrated. Raises `ExitgateError` with what is wrong in any."""
    from exitgate.analysis.migrate.migrate import migrate_text
    from exitgate.analysis.migrate.steps import looks_like_policy
    from exitgate.cli.commands.validate import files_of

    found: list[_Read] = []
    problems: list[Diagnostic] = []
    code = OK
    for file, named in {file: file == path for path in paths for file in files_of(path)}.items():
        text = ""
        try:
            text = _text(file)
            found.append(_Read(file, text, migrate_text(text, file)))
        except ExitgateError as error:
            if text and not named and not looks_like_policy(text):
                found.append(_Read(file, text, None))
                continue
            problems += error.diagnostics
            code = code or error.exit_code
    if problems:
        raise ExitgateError(problems, code)
    return found


def _text(file: str) -> str:
    """Return what a file holds, also where it is not a strict YAML: format 0 was less strict."""
    from exitgate.core.policy.library import load_file

    try:
        return load_file(file).lines.text
    except ExitgateError as error:
        if error.exit_code != BAD_POLICY or any(one.code in UNREADABLE for one in error.diagnostics):
            raise
    with open(file, encoding="utf-8", newline="") as stream:
        return stream.read()


def _left(read: Sequence[_Read], changed: int) -> str:
    """Return what is said of files in which nothing must be done."""
    others = sum(one.since is None for one in read)
    done = len(read) - changed - others
    lines = []
    if done:
        lines.append(f"{done} {'policy is' if done == 1 else 'policies are'} in the current format")
    if others:
        lines.append(f"{others} {'file' if others == 1 else 'files'} left alone: not a policy")
    return "".join(line + "\n" for line in lines)


COMMAND = Command(
    "migrate",
    "rewrite policies of older formats in the current one",
    about="Prints what would change. With --write the files are rewritten, each whole or not at all; every "
    "comment is kept, and no decision changes. What the current format cannot express is an error at "
    "its place, and then no file is written; what it no longer reads is kept under keys that begin with "
    "`x-`, and reported. Only policies are migrated: lexicons, tests and settings are left alone.",
    arguments=(Argument("PATH", ANY, "policy files, or folders of them; this folder by default"),),
    options=(
        Option("--write", kind=FLAG, doc="rewrite the files"),
        Option("--check", kind=FLAG, doc="exit 69 if something would change"),
        COLOR,
    ),
    examples=(
        ("exitgate migrate policies/", "what would change in and below a folder"),
        ("exitgate migrate --write policy.yaml", "rewrite a policy"),
        ("exitgate migrate --check", "in a workflow"),
    ),
    codes=(
        SUCCESS,
        *TROUBLE[:2],
        ("66", "a file is missing"),
        ("69", "--check: a file is in an older format"),
        *TROUBLE[2:],
    ),
    run=run,
)
