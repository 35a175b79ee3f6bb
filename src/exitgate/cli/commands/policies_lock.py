"""`exitgate policies lock` and `update`: policies of packages and git repositories, fetched and pinned."""

from __future__ import annotations

import os

from exitgate.cli.command import FLAG, Answer, Argument, Command, Option, ParsedArguments
from exitgate.cli.parsing.usage import did_you_mean, failure, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import CANNOT_WRITE, FINDINGS
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.system.folders import LOCK_FILE
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.core.policy.locked.lock_file import Lock, Locked
    from exitgate.fleet.packages.fetched import Fetched

#: Digits of a digest that are shown.
_SHOWN = 16


def run_lock(given: ParsedArguments, _: Terminal) -> Answer:
    """Pin what the project names, and fetch what is missing."""
    project, lock = project_and_lock()
    also = _also(given.texts("path"), project, lock)
    pinned = _pinned(given, project, lock, also, moving=False)
    before = lock.entries if lock is not None else {}
    if given.flag("check"):
        _check(before, pinned)
        return Answer(_told(before, pinned))
    return Answer(_told(before, pinned) + _written(project, lock, also, pinned))


def run_update(given: ParsedArguments, _: Terminal) -> Answer:
    """Move what the project names to the newest versions that it accepts."""
    project, lock = project_and_lock()
    also = lock.also if lock is not None else ()
    pinned = _pinned(given, project, lock, also, moving=True)
    before = lock.entries if lock is not None else {}
    return Answer(_told(before, pinned) + _written(project, lock, also, pinned))


def project_and_lock() -> tuple[str, Lock | None]:
    """Return the folder of the project, and what its lock file says. Raises `ExitgateError` (65)."""
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.locked.unpacked import read_lock
    from exitgate.fleet.packages.wanted import project_of

    project = project_of(".", os.environ)
    path = os.path.join(project, *LOCK_FILE.split("/"))
    findings = Findings()
    lock = read_lock(path, findings) if os.path.lexists(path) else None
    findings.raise_errors()
    return project, lock


def _also(paths: Iterable[str], project: str, lock: Lock | None) -> tuple[str, ...]:
    """Return the paths that count beside settings, from the folder of the project. Raises usage errors."""
    from exitgate.core.policy.locked.files import fault_of_name
    from exitgate.core.system import portable

    found = [portable.with_slashes(portable.relative(os.path.realpath(one), project)) for one in paths]
    for typed, path in zip(paths, found, strict=True):
        if fault_of_name(path) and path != ".":
            help = "name policies of this project, or folders of them"
            raise usage_error(f"`{typed}` is not in the project", help)
    return (*(lock.also if lock is not None else ()), *found)


def _pinned(
    given: ParsedArguments, project: str, lock: Lock | None, also: Sequence[str], *, moving: bool
) -> dict[str, Fetched]:
    """Return what is pinned now. Raises `ExitgateError` (64, 65, 69, 74)."""
    from exitgate.core.policy.findings import Findings
    from exitgate.fleet.packages.attestations import sigstore_verifier
    from exitgate.fleet.packages.fetched import FetchError
    from exitgate.fleet.packages.index import index_of
    from exitgate.fleet.packages.locking import Ways, pin
    from exitgate.fleet.packages.wanted import Looker

    findings = Findings()
    try:
        named = Looker(project, findings).named(also)
        findings.raise_errors()
        index = index_of(given.text("index"), os.environ)
    except FetchError as error:
        raise usage_error(str(error), error.help) from error
    sources = sorted({one.remote.source for one in named} | set(lock.entries if lock is not None else ()))
    chosen = frozenset(_chosen(given.texts("name"), sources)) if moving else frozenset()
    pinned_only = not moving and given.flag("check")
    ways = Ways(index, sigstore_verifier(), os.environ, given.flag("accept_signer"), pinned_only)
    return pin(named, lock, chosen, ways, findings)


def _chosen(names: Sequence[str], sources: Sequence[str]) -> list[str]:
    """Return the sources that names mean, all without a name. Raises a usage error for an unknown one."""
    from exitgate.core.policy.locked.reference import GIT, PYPI, canonical

    if not names:
        return list(sources)
    found = []
    for name in names:
        likely = (name, PYPI + canonical(name), GIT + name)
        fitting = [one for one in sources if one in likely or one.startswith(f"{GIT}{name}@")]
        if not fitting:
            known = [one.removeprefix(PYPI).removeprefix(GIT) for one in sources]
            raise usage_error(
                f"the project names no `{name}`", did_you_mean(name, known, "see `exitgate policies list`")
            )
        found += fitting
    return found


def _check(before: Mapping[str, Locked], pinned: Mapping[str, Fetched]) -> None:
    """Raise `ExitgateError` (69) where something is pinned that nothing names."""
    extra = sorted(before.keys() - pinned.keys())
    if extra:
        help = "run `exitgate policies lock`"
        said = [(f"`{one}` is pinned, but nothing names it", before[one].place) for one in extra]
        raise ExitgateError([Diagnostic("EP849", text, place, help) for text, place in said], FINDINGS)


def _told(before: Mapping[str, Locked], pinned: Mapping[str, Fetched]) -> str:
    """Return a line for each source: what it was, what it is, its digest, who signed it."""
    lines = []
    for source, one in sorted(pinned.items()):
        old, new = before.get(source), one.entry
        change = f" (was {old.pinned})" if old is not None and old.pinned != new.pinned else ""
        added = " (new)" if old is None else change
        what = f"{source}  {new.pinned}{added}  sha256:{new.digest[:_SHOWN]}  {one.remark}"
        lines.append(safe(what))
    lines += [f"{safe(source)}  no longer pinned" for source in sorted(before.keys() - pinned.keys())]
    return "".join(f"{line}\n" for line in lines) or "the project names no package and no repository\n"


def _written(project: str, lock: Lock | None, also: Sequence[str], pinned: Mapping[str, Fetched]) -> str:
    """Write the lock file where it changes; return what was done. Raises `ExitgateError` (73)."""
    from exitgate.core.policy.locked.lock_file import text_of
    from exitgate.core.system import safe_files

    text = text_of(also, (one.entry for one in pinned.values()))
    if lock is None and not pinned and not also:
        return ""
    if lock is not None and text_of(lock.also, lock.entries.values()) == text:
        return f"{LOCK_FILE} stays as it is\n"
    path = os.path.join(project, *LOCK_FILE.split("/"))
    try:
        safe_files.make_folder(os.path.dirname(path), 0o777)
        safe_files.replace(path, text.encode(), mode=0o666)
    except OSError as error:
        message = f"cannot write `{path}`: {safe_files.trouble(error)}"
        raise failure("EP805", message, "make the folder writable", CANNOT_WRITE) from error
    return f"wrote {LOCK_FILE}\n"


INDEX = Option("--index URL", "index of packages: https, or `file://` and a folder of wheels")
SIGNER = Option("--accept-signer", "let another signer sign from now on, or none", kind=FLAG)
_ABOUT = (
    "Policies and presets may be named as `pypi:NAME@VERSIONS/PATH` or `git+URL@REVISION#PATH` under "
    "`extends:`, `policy:` and `preset:`. "
)
_CODES = {"69": "with `--check`: something is not pinned as it is named", "74": "also: it cannot be fetched"}
LOCK = Command(
    "lock",
    "fetch and pin the policies of packages and repositories",
    about=_ABOUT + f"Writes `{LOCK_FILE}`, which belongs in the repository: version or commit of each, and a "
    "digest over all its files. What is pinned already stays as it is, and is fetched where your store does "
    "not have it. Only this command and `update` fetch: `check` and all others read your store and compare "
    "it with the digests. Wheels are taken apart, never built, installed or imported; of git nothing is run.",
    arguments=(Argument("[PATH...]", "policies, or folders of them, beside those of the settings"),),
    options=(
        Option("--check", "write nothing; fail unless the lock file pins what the project names"),
        INDEX,
        SIGNER,
    ),
    examples=(
        ("exitgate policies lock", "pin what the settings name, and fetch it"),
        ("exitgate policies lock policies", "also what the policies in a folder extend"),
        ("exitgate policies lock --check", "in CI, before anything decides"),
    ),
    codes=_CODES,
    run=run_lock,
)
UPDATE = Command(
    "update",
    "move pinned policies to newer versions",
    about=_ABOUT + "Moves each to the newest version, tag or commit that the project accepts.",
    arguments=(Argument("[NAME...]", "packages, or URLs of repositories; all by default"),),
    options=(INDEX, SIGNER),
    examples=(
        ("exitgate policies update", "all of them"),
        ("exitgate policies update acme-policies", "one package"),
    ),
    codes={"74": "also: it cannot be fetched"},
    run=run_update,
)
