"""`exitgate release-check`: whether the version of a policy says what changed."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec.structs import replace

from exitgate.analysis.results.comparison import MAJOR, Side
from exitgate.cli.command import NUMBER, Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.diff import SECONDS, walked
from exitgate.cli.commands.validate import files_of
from exitgate.cli.files import replace_text
from exitgate.cli.parsing.usage import failure, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import FINDINGS, NOTHING_TO_DECIDE, OK
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.policy.extending.semver import version
from exitgate.report.diagnostics import diagnostics_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.report.policy.release import Release


#: Bytes of a file in which a policy says that it is one.
BEGINNING = 100_000


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Compare each policy with its last release; 69 where a version says less than what changed."""
    from exitgate.cli.progress import progress

    files = _files(given.texts("path") or (os.curdir,))
    if len(files) > 1 and given.text("against") and not _is_revision(str(given.text("against"))):
        raise usage_error("`--against` names one policy for several", "name the one to compare with it")
    with progress("walking") as tell:
        found = []
        for file in files:
            tell(file)
            found.append(_checked(file, given))
    if given.flag("write"):
        found = [_written(one) for one in found]
    wrong = [one.trouble for one in found if one.trouble is not None and not one.written]
    out = _form(found, given.word("format"), terminal)
    err = diagnostics_text(wrong, terminal.err) if wrong and given.word("format") == "text" else ""
    fails = wrong or (given.flag("strict") and any(_may_be_short(one) for one in found))
    open_ = tuple(f"{one.after.policy.name}: {one.open}" for one in found if one.open)
    return Answer(out, err, FINDINGS if fails else OK, undecided=open_)


def _may_be_short(one: Release) -> bool:
    """Return whether a version says less than a change would ask for that is not decided."""
    from exitgate.analysis.diff.semver import raised

    if not one.open or one.before is None:
        return False
    now = one.smallest if one.written else one.after.policy.version
    return version(now) < version(raised(one.before.policy.version, MAJOR))


def _checked(file: str, given: ParsedArguments) -> Release:
    from exitgate.analysis.diff.operands import read_side
    from exitgate.analysis.diff.semantic import invisible_changes
    from exitgate.analysis.diff.semver import level_of, raised, undecided, version_needs
    from exitgate.analysis.diff.textual import text_changes
    from exitgate.report.policy.release import Release

    after = read_side(file)
    before = _before(file, after, given)
    if before is None:
        return Release(file, after)
    changes = text_changes(before, after)
    decided = walked(before, after, given)
    found = version_needs((before, after), changes, decided, invisible_changes(changes))
    level = level_of(found)
    smallest = before.policy.version if level is None else raised(before.policy.version, level)
    trouble = _trouble(file, before, after, level, smallest)
    return Release(file, after, before, found, level, smallest, trouble, undecided(found, decided))


def _before(file: str, after: Side, given: ParsedArguments) -> Side | None:
    """Return what a policy is compared with; None for one that was never released."""
    from exitgate.analysis.diff.operands import last_release, read_against, read_side
    from exitgate.analysis.diff.revisions import absent

    against = given.text("against")
    if against is None:
        return last_release(file, after.policy.name, after.policy.version)
    if not _is_revision(against):
        return read_side(against)
    return None if absent(file, against) else read_against(file, against)


def _is_revision(against: str) -> bool:
    """Return whether `--against` names a revision and not a policy."""
    named = os.path.exists(against) or against in shipped.policies()
    return not (named or ":" in against or "@" in against.replace("@{", ""))


def _trouble(file: str, before: Side, after: Side, level: str | None, smallest: str) -> Diagnostic | None:
    """Return what is wrong with the version, at its place; None where it says what changed."""
    from exitgate.core.policy.library import load_file

    now = after.policy.version
    if version(now) >= version(smallest):
        return None
    document = load_file(file)
    place = document.place(("version",))
    since = f"the changes since {before.policy.version}"
    message = f"version {now} does not reflect {since}: this is a {level} change"
    if level is None:
        message = f"version {now} is before {before.policy.version}, and nothing changed"
    help = f"write `version: {smallest}`, or let `exitgate release-check --write` do it"
    return Diagnostic("EP541", message, place, help, source=document.lines.line(place.line))


def _written(one: Release) -> Release:
    """Set the smallest right version in a file whose version is too small."""
    if one.trouble is None:
        return one
    from exitgate.analysis.edits import apply, scalar
    from exitgate.core.policy.library import load_file

    document = load_file(one.path)
    part = document.root.fields["version"]
    try:
        edit = scalar(part, one.smallest)
    except ValueError:
        d = one.trouble
        help = f"write `version: {one.smallest}` in one line; `--write` sets no version in a block"
        return replace(one, trouble=Diagnostic(d.code, d.message, d.place, help, source=d.source))
    replace_text(one.path, apply(document.lines.text, [edit]))
    return replace(one, written=True)


def _files(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the policies that paths name or that are below them. Raises `ExitgateError` (66) without any."""
    from exitgate.analysis.diff.operands import file_of
    from exitgate.core.policy.library import load_file

    found: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(file_of(path))
            continue
        for file in files_of(path):
            try:
                root = load_file(file).root
            except ExitgateError:
                if _begins_as_policy(file):
                    raise  # its version would seem right although it was not compared
                continue  # another tool's
            if "policy" in root.fields and "lexicon" not in root.fields:
                found.append(os.path.normpath(file))
    if not found:
        raise failure("EP542", f"no policy in or below `{paths[0]}`", "name a policy file", NOTHING_TO_DECIDE)
    return tuple(dict.fromkeys(found))


def _begins_as_policy(file: str) -> bool:
    """Return whether a file that cannot be loaded is a policy, as far as that can be seen."""
    with open(file, "rb") as stream:
        text = stream.read(BEGINNING).decode("utf-8-sig", "replace")
    return any(line.startswith("policy:") for line in text.splitlines())


def _form(found: Sequence[Release], form: str, terminal: Terminal) -> str:
    from exitgate.report.policy import release as forms

    if form == "json":
        return forms.releases_json(found)
    if form == "markdown":
        return "\n".join(forms.release_markdown(one) for one in found)
    if form == "github":
        from exitgate.report.formats.github import diagnostics_github

        return diagnostics_github(
            [one.trouble for one in found if one.trouble is not None and not one.written]
        )
    return "\n".join(forms.release_text(one, terminal.out) for one in found)


COMMAND = Command(
    "release-check",
    "check that a policy's version reflects its changes",
    about="Compares a policy with its last release and says which part of the version must be raised. Patch: "
    "titles, messages, docs. Minor: parameters, facts, conditions, invariants or rules were added, or rules "
    "only warn or run in shadow mode, and no decision differs. Major: some input is decided differently, "
    "shown with it; a default changed; a parameter, rule, fact or profile that others may name is gone; or "
    "something is read differently, which facts cannot show. The last release is the highest of the tags "
    "`NAME-v1.2.3` or `v1.2.3`, else the newest revision with another version, else HEAD. A version raised "
    "further than necessary is fine, and so is an unchanged version of an unchanged policy. Where it is not "
    "decided whether an input is decided differently, that is reported, and the level is the least one.",
    arguments=(Argument("[PATH...]", "policy files, or folders of them; this folder by default"),),
    options=(
        Option("--against REV|FILE|NAME", "what to compare with: a revision, a file, a shipped policy"),
        Option("--strict", "exit 69 also if what is not decided may ask for a higher version"),
        Option("--write", "if the version is too low, raise it to the lowest right one"),
        Option(
            "--seconds N", f"how long the walk over one stage may take; {SECONDS} by default", kind=NUMBER
        ),
        formats("text", "json", "github", "markdown"),
    ),
    examples=(
        ("exitgate release-check", "every policy in and below this folder"),
        ("exitgate release-check policy.yaml --against main", "against a branch"),
        ("exitgate release-check --write policy.yaml", "raise the version as far as needed"),
    ),
    codes={
        "0": "every version reflects its changes",
        "66": "no policy, or nothing to compare it with",
        "69": "a version does not reflect its changes",
    },
    run=run,
)
