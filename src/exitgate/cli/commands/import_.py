"""`exitgate import`: the settings of another loop's project, turned into `.bb3/config.yaml`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct

from exitgate.cli.command import Answer, Argument, Command, Event, Option, ParsedArguments
from exitgate.cli.files import can_ask, confirmed, replace_text, write_new
from exitgate.cli.parsing.usage import failure
from exitgate.cli.terminal import Terminal, write
from exitgate.core.model.decision import CANNOT_READ
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.settings.files import PROJECT_FILE
from exitgate.core.system import portable
from exitgate.core.system.folders import folders_up
from exitgate.hosts.imported.projects import BB3, DOYAKEN, RALPHRC, FoundSetting, Project
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.terminal import safe, safe_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.imported.translation import Translation


#: What is named as the source where only variables of the shell say something.
NO_FILE = "the environment"


class _Proposed(Struct, frozen=True):
    """A settings file: its path, its text now (None: not there) and then, what was taken, remarks."""

    path: str
    old: str | None
    new: str
    taken: Translation
    problems: tuple[Diagnostic, ...]


def _run(project: Project, given: ParsedArguments, terminal: Terminal) -> Answer:
    proposed = _propose(project, given, only_print=given.flag("print"))
    problems = [*proposed.taken.problems, *proposed.problems]
    remarks = (diagnostics_text(problems, terminal.err) if problems else "") + _counted(proposed.taken)
    if given.flag("print"):
        return Answer(safe_block(proposed.new), remarks)
    name = safe(proposed.path)
    if proposed.new == proposed.old:
        return Answer(err=f"{remarks}{name} already has all of it; nothing to write\n")
    shown = _shown(proposed, terminal)
    if not given.flag("yes"):
        if not can_ask():
            return Answer(shown, f"{remarks}nothing was written; repeat with `--yes` to write it\n")
        write(Answer(shown, remarks))
        if not confirmed(f"write {name}? [y/N] "):
            return Answer(err="nothing was written\n")
        shown, remarks = "", ""
    if proposed.old is None:
        write_new(proposed.path, proposed.new)
    else:
        replace_text(proposed.path, proposed.new)
    events = (Event("info", "file_written", {"path": proposed.path}),)
    return Answer(f"{shown}wrote {name}\n", remarks, events=events)


def _propose(project: Project, given: ParsedArguments, only_print: bool) -> _Proposed:
    """Return what would be written; raises `ExitgateError` where nothing could be."""
    from exitgate.hosts.imported.merge import check_merged, merge, new_file
    from exitgate.hosts.imported.translation import translate

    around = os.environ if given.flag("environment") else {}
    folders = folders_up(".", os.environ)
    source, found, others = _read_first(project, given.text("path"), folders, around)
    # Comments name the file as seen from where the settings file lies, not from where the command runs.
    name = source if source == NO_FILE else portable.relative(source, folders[-1])
    policy = given.text("policy") or project.policies[0]
    profile = given.text("profile")
    taken = translate(project, found, others, policy, name).with_left(_beside(project, folders, policy))
    path = portable.relative(os.path.join(folders[-1], PROJECT_FILE))
    aside = project.aside if policy == project.policies[0] and profile is None else ""
    new = new_file(taken, project.id, name, profile, aside)
    old = _text(path)
    if old is None:
        check_merged(new, path, path)
        return _Proposed(path, None, new, taken, ())
    try:
        merged = merge(old, path, path, taken, profile, project.policies)
    except ExitgateError:
        if not only_print:
            raise
        return _Proposed(path, None, new, taken, ())
    return _Proposed(path, old, merged.text, taken, merged.problems)


def _read_first(
    project: Project, named: str | None, folders: Sequence[str], around: Mapping[str, str]
) -> tuple[str, tuple[FoundSetting, ...], tuple[Location, ...]]:
    """
    Return the file that holds the settings, they, and where it reads other files.

    Without a name it is looked for from this folder up to the root of the repository; a file of one of those
    names that says nothing of them is another tool's. Raises `ExitgateError` (65, 66, 74).
    """
    from exitgate.hosts.imported.reading import nothing_in, nothing_there, read

    wanted = [portable.relative(os.path.join(folder, name)) for folder in folders for name in project.files]
    if named is not None:
        inside = [os.path.join(named, name) for name in project.files]
        wanted = inside if os.path.isdir(named) else [named]
    empty: str | None = None
    for path in wanted:
        content = _content(path)
        if content is None:
            continue
        found, others = read(project, content, path, around)
        if found or others:
            return path, found, others
        empty = empty or path
    if empty is not None and project.strict:
        raise nothing_in(project, empty)
    if empty is not None:
        return empty, (), ()
    found, others = read(project, b"", NO_FILE, around) if named is None else ((), ())
    if not found:
        raise nothing_there(project, named)
    return NO_FILE, found, others


def _beside(project: Project, folders: Sequence[str], policy: str) -> list[tuple[str, str]]:
    """Return the reason and the origin of each setting in files of the project that nothing is taken from."""
    from exitgate.hosts.imported.reading import read_beside
    from exitgate.hosts.imported.translation import translate

    left: list[tuple[str, str]] = []
    for file, under in project.beside.items():
        paths = [portable.relative(os.path.join(folder, file)) for folder in folders]
        for path in paths:
            content = _content(path)
            if content is not None:
                name = portable.relative(path, folders[-1])
                left += translate(project, read_beside(content, path, under), (), policy, name).left
                break
    return left


def _content(path: str) -> bytes | None:
    """Return a file's bytes, None where there is none. Raises `ExitgateError` (74)."""
    from exitgate.core.policy.reading import Unreadable, read_bytes
    from exitgate.core.policy.yaml.document import BYTES_LIMIT

    try:
        content = read_bytes(path)
    except FileNotFoundError:
        return None
    except Unreadable as error:
        raise _unreadable(path, str(error)) from error
    if len(content) > BYTES_LIMIT:
        raise _unreadable(path, f"it has more than {BYTES_LIMIT} bytes")
    return content


def _text(path: str) -> str | None:
    """Return the settings file that is there, or None. Raises `ExitgateError` (74)."""
    from exitgate.core.policy.reading import Unreadable, read_bytes

    try:
        return read_bytes(path).decode("utf-8")
    except FileNotFoundError:
        if os.path.lexists(path):
            raise _unreadable(path, "it is a broken link") from None
        return None
    except UnicodeDecodeError:
        raise _unreadable(path, "it is not UTF-8") from None
    except Unreadable as error:
        raise _unreadable(path, str(error)) from error


def _unreadable(path: str, why: str) -> ExitgateError:
    return failure("EP805", f"cannot read `{path}`: {why}", "name a readable file", CANNOT_READ)


def _counted(taken: Translation) -> str:
    left = len(taken.left)
    rest = f"; not imported: {left}; the comments say why" if left else ""
    return f"parameters for `{taken.policy}`: {len(taken.entries)}{rest}\n"


def _shown(proposed: _Proposed, terminal: Terminal) -> str:
    from exitgate.report.formats.unified_diff import change_text, new_file_text

    if proposed.old is None:
        return new_file_text(proposed.path, proposed.new, terminal.out)
    return change_text(proposed.path, proposed.old, proposed.new, "the settings to import", terminal.out)


_CODES = {"0": "written, shown, or nothing to write", "66": "no settings found"}
_YES = Option("--yes, -y", "write without asking")
_PRINT = Option("--print", "print the settings file and write nothing")
_ENVIRONMENT = Option("--environment", "variables of this shell override the file, as they do in that loop")


def _policy(*names: str) -> Option:
    return Option("--policy, -p NAME", "the policy that will decide", choices=names, default=names[0])


COMMAND = Command(
    "import",
    "import the settings of another loop",
    about="Writes them to `.bb3/config.yaml`, with a comment on each line that says where it comes "
    "from. Settings without an equivalent are listed there with the reason. The file is read and never run; "
    "the diff is shown first, and an existing settings file keeps its content.",
    examples=(
        ("exitgate import ralphrc", "show what it would write"),
        ("exitgate import doyaken --policy recommended --print", "only print it, for the default policy"),
    ),
    codes=_CODES,
    children=(
        Command(
            "ralphrc",
            "settings of ralph-claude-code: .ralphrc",
            about="Reads the assignments of a bash file without running it. A value that only running "
            "the file could compute is omitted with a warning. `--policy recommended` imports them for the "
            "policy that decides better; `--profile as_it_is` restores the script's own defects.",
            arguments=(Argument("[PATH]", "the file or folder; by default `.ralphrc`, here or further up"),),
            options=(
                _policy("ralph-claude-code", "recommended"),
                Option("--profile NAME", "a profile of the policy: `as_it_is`"),
                _ENVIRONMENT,
                _PRINT,
                _YES,
            ),
            examples=(
                ("exitgate import ralphrc", "show what it would write"),
                ("exitgate import ralphrc --policy recommended --yes", "write it for the default policy"),
            ),
            codes=_CODES,
            run=partial(_run, RALPHRC),
        ),
        Command(
            "bb3",
            "settings of BB3's exit decision engine",
            about="Reads `scripts/lib/exit-decision-engine/config.yaml`, else `config.yaml`, else "
            "`.bb3/config.yaml`, which works unchanged and only gets the name of the policy.",
            arguments=(Argument("[PATH]", "the file, YAML, or its folder"),),
            options=(_policy("bb3", "bb3-faithful", "recommended"), _PRINT, _YES),
            examples=(("exitgate import bb3 config.yaml", "show what it would write"),),
            codes=_CODES,
            run=partial(_run, BB3),
        ),
        Command(
            "doyaken",
            "settings of Doyaken: its manifest, or its variables",
            about="Reads `circuit_breaker:` of `.doyaken/manifest.yaml`, or the variables ED_*, CB_* and "
            "RL_* of a file of assignments, which is not run.",
            arguments=(Argument("[PATH]", "a YAML file, or one of NAME=VALUE lines"),),
            options=(_policy("doyaken", "doyaken-faithful", "recommended"), _ENVIRONMENT, _PRINT, _YES),
            examples=(("exitgate import doyaken --environment", "with variables of this shell"),),
            codes=_CODES,
            run=partial(_run, DOYAKEN),
        ),
    ),
)
