"""`exitgate plugins`: extractors of other packages, and which of them the user allows."""

from __future__ import annotations

import os

from exitgate.cli.answer import Answer
from exitgate.cli.declared import MANY, SUCCESS, TROUBLE, Argument, Command, Option
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_READ, CANNOT_WRITE, NOTHING_TO_DECIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.plugins.allowed import Permission
    from exitgate.plugins.installed import Offer

#: Code -> what it means.
CODES = {
    "EP895": "a distribution that cannot be allowed",
    "EP896": "the file of what is allowed cannot be read or written",
}


def run_list(given: Given, _terminal: Terminal) -> Answer:
    """List installed distributions with extractors, and those that are allowed."""
    import json

    rows = [_row(name, offer, permission) for name, offer, permission in _all()]
    if given.word("format") == "json":
        return Answer(json.dumps(rows, ensure_ascii=True, indent=2) + "\n")
    if not rows:
        return Answer("no installed distribution offers extractors\n")
    return Answer("".join(_line(row) for row in rows))


def run_allow(given: Given, _terminal: Terminal) -> Answer:
    """Allow distributions, as they are now."""
    from exitgate.plugins import allowed, installed
    from exitgate.plugins.content import Unfit

    folders, permissions = _permissions()
    offers = {one.distribution: one for one in installed.offers(folders)}
    wanted = given.text("digest")
    told = []
    for name in given.texts("name"):
        if name not in offers:
            raise _refused(name, "is not installed outside the project, or offers no extractor")
        try:
            one = offers[name].permission()
        except Unfit as unfit:
            raise _refused(name, str(unfit)) from unfit
        if wanted is not None and wanted != one.digest:
            raise _refused(name, f"has the digest {one.digest}, not the one that is asked for")
        permissions[name] = one
        told.append(
            f"{name} {one.version}: {', '.join(sorted(one.points))}\n"
            f"  {len(one.files)} files in {one.root}\n  digest {one.digest}\n"
        )
    path = _write(allowed.place(os.environ), permissions)
    return Answer("".join(told) + f"allowed in {path}; a change of any of these files ends that\n")


def run_remove(given: Given, _terminal: Terminal) -> Answer:
    """Take permissions back."""
    from exitgate.plugins import allowed

    _, permissions = _permissions()
    for name in given.texts("name"):
        if permissions.pop(name, None) is None:
            raise _refused(name, "is not allowed")
    path = _write(allowed.place(os.environ), permissions)
    return Answer(f"no longer allowed in {path}: {', '.join(given.texts('name'))}\n")


def _permissions() -> tuple[tuple[str, ...], dict[str, Permission]]:
    """Return the folders of the project, and what is allowed. Raises `ExitgateError` (74)."""
    from exitgate.plugins import allowed, project
    from exitgate.plugins.content import Unfit

    folders = project.folders_of()
    try:
        return folders, allowed.read(os.environ, folders)
    except Unfit as unfit:
        help = "correct its rights, or remove the file and allow each distribution again"
        raise ExitgateError([Diagnostic("EP896", str(unfit), help=help)], CANNOT_READ) from unfit


def _write(path: str, permissions: Mapping[str, Permission]) -> str:
    from exitgate.plugins import allowed, project

    if project.is_inside(path, project.folders_of()):
        message = f"`{path}` is inside the project; permissions are the user's own"
        raise ExitgateError(
            [Diagnostic("EP896", message, help="set XDG_CONFIG_HOME to a folder outside")], CANNOT_WRITE
        )
    try:
        written = allowed.write(os.environ, permissions)
    except OSError as error:
        message = f"cannot write `{path}`: {(error.strerror or str(error)).lower()}"
        help = "make the folder of your settings writable for you alone"
        raise ExitgateError([Diagnostic("EP896", message, help=help)], CANNOT_WRITE) from error
    _permissions()  # a folder that others can write to gives no permission: the user learns it now
    return written


def _refused(name: str, why: str) -> ExitgateError:
    help = "`exitgate plugins list` shows what is installed and allowed"
    return ExitgateError([Diagnostic("EP895", f"`{name}` {why}", help=help)], NOTHING_TO_DECIDE)


def _all() -> list[tuple[str, Offer | None, Permission | None]]:
    from exitgate.plugins import installed

    folders, permissions = _permissions()
    offers = {one.distribution: one for one in installed.offers(folders)}
    return [(name, offers.get(name), permissions.get(name)) for name in sorted({*offers, *permissions})]


def _row(name: str, offer: Offer | None, permission: Permission | None) -> dict[str, object]:
    from exitgate.plugins import project

    if offer is not None and offer.problem:
        state = offer.problem
    elif permission is None:
        state = "not allowed"
    elif offer is None:
        state = "allowed, but not installed"
    else:
        state = permission.why_not(project.folders_of()) or "allowed"
    one = permission or offer
    assert one is not None
    return {
        "distribution": name,
        "version": one.version if offer is None else offer.version,
        "extractors": sorted(one.points if offer is None else offer.points),
        "state": state,
        "digest": None if permission is None else permission.digest,
    }


def _line(row: Mapping[str, object]) -> str:
    from exitgate.report.safe import safe

    extractors = row["extractors"]
    assert isinstance(extractors, list)
    names = ", ".join(extractors)
    return safe(f"{row['distribution']} {row['version']}: {names}: {row['state']}") + "\n"


NAMES = Argument("NAME", MANY, "name of an installed distribution")
CODES_OF_CHANGES = (
    SUCCESS,
    TROUBLE[0],
    ("66", "there is no such distribution, or it cannot be allowed"),
    *TROUBLE[2:],
)
COMMAND = Command(
    "plugins",
    "list and allow extractors of other packages",
    about="A policy can name extractors of installed distributions (`extract: acme.sonar`). They run only "
    "if you allow the distribution, as it is: a change of its files ends that. Permissions are in a file of "
    "yours beside your settings, which no project can change; nothing inside a project is ever imported.",
    examples=(
        ("exitgate plugins list", "what is installed, and what is allowed"),
        ("exitgate plugins allow acme-sonar", "allow a distribution as it is now"),
    ),
    codes=CODES_OF_CHANGES,
    children=(
        Command(
            "list",
            "show distributions with extractors, and whether they are allowed",
            options=(Option("--format", choices=("text", "json"), default="text", doc="output format"),),
            examples=(("exitgate plugins list --format json", "for a program"),),
            codes=(SUCCESS, *TROUBLE),
            run=run_list,
        ),
        Command(
            "allow",
            "allow a distribution as it is now",
            about="Prints the digest of its files. Look at them before.",
            arguments=(NAMES,),
            options=(Option("--digest", metavar="HEX", doc="refuse it unless it has this digest"),),
            examples=(("exitgate plugins allow acme-sonar", "run its extractors from now on"),),
            codes=CODES_OF_CHANGES,
            run=run_allow,
        ),
        Command(
            "remove",
            "take a permission back",
            arguments=(NAMES,),
            examples=(("exitgate plugins remove acme-sonar", "its facts are unknown from now on"),),
            codes=CODES_OF_CHANGES,
            run=run_remove,
        ),
    ),
)
