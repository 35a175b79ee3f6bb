"""`exitgate plugins`: extractors of other packages, and which of them the user allows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.parsing.usage import failure
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import CANNOT_READ, CANNOT_WRITE, LOCKED, NOTHING_TO_DECIDE
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.display import counted
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.plugins.installed import Offer
    from exitgate.core.plugins.permissions import Permission


CORRECT = "correct its rights, or remove the file and allow each distribution again"
#: Code -> what it means.
CODES = {
    "EP895": "a distribution that cannot be allowed",
    "EP896": "the file of what is allowed cannot be read or written",
}


def run_list(given: ParsedArguments, _terminal: Terminal) -> Answer:
    """List installed distributions with extractors; those that are allowed are asked about themselves."""
    import json

    rows = _rows()
    if given.word("format") == "json":
        return Answer(json.dumps(rows, ensure_ascii=True, indent=2) + "\n")
    if not rows:
        return Answer("no installed distribution offers extractors\n")
    return Answer("".join(_line(row) for row in rows))


def run_allow(given: ParsedArguments, _terminal: Terminal) -> Answer:
    """Allow distributions, as they are now."""
    from exitgate.core.plugins import installed
    from exitgate.core.plugins import permissions as permissions_module

    offers = {
        installed.key(one.distribution): one for one in installed.offers(permissions_module.folders_of())
    }
    wanted = given.text("digest")
    chosen = [_allowable(name, offers.get(installed.key(name)), wanted) for name in given.texts("name")]

    def edit(permissions: dict[str, Permission]) -> None:
        for one in chosen:
            _forget(one.distribution, permissions)
            permissions[one.distribution] = one

    path = _change(edit)
    told = [
        f"{safe(one.distribution)} {safe(one.version)}: {', '.join(sorted(one.points))}\n"
        f"  {counted(len(one.files), 'file')} in {one.root}\n  digest {one.digest}\n"
        for one in chosen
    ]
    return Answer("".join(told) + f"allowed in {path}; a change of any of these files ends that\n")


def run_remove(given: ParsedArguments, _terminal: Terminal) -> Answer:
    """Take permissions back."""
    from exitgate.core.plugins.installed import permission_of

    for name in given.texts("name"):
        if permission_of(name, _permissions()[1]) is None:
            raise _refused(name, "is not allowed")

    def edit(permissions: dict[str, Permission]) -> None:
        for name in given.texts("name"):
            _forget(name, permissions)

    path = _change(edit)
    return Answer(f"no longer allowed in {path}: {', '.join(given.texts('name'))}\n")


def _allowable(name: str, offer: Offer | None, digest: str | None) -> Permission:
    """Return the permission of a distribution as it is now. Raises `ExitgateError` (66)."""
    from exitgate.core.plugins.permissions import Unfit

    if offer is None:
        raise _refused(name, "is not installed outside the project, or offers no extractor")
    try:
        one = offer.permission()
    except Unfit as unfit:
        raise _refused(name, str(unfit)) from unfit
    if digest is not None and digest != one.digest:
        raise _refused(name, f"has the digest {one.digest}, not the one that is asked for")
    return one


def _forget(name: str, permissions: dict[str, Permission]) -> None:
    """Remove a distribution, however its name is spelled."""
    from exitgate.core.plugins.installed import permission_of

    one = permission_of(name, permissions)
    if one is not None:
        del permissions[one.distribution]


def _change(edit: Callable[[dict[str, Permission]], None]) -> str:
    """Change what is allowed; return the path of the file. Raises `ExitgateError` (73, 74, 75)."""
    from exitgate.core.plugins import permissions as permissions_module
    from exitgate.core.plugins.permissions import Unfit

    path, folders = permissions_module.place(os.environ), permissions_module.folders_of()
    if permissions_module.is_inside(path, folders):
        message = f"`{path}` is inside the project; permissions are the user's own"
        raise failure("EP896", message, "set XDG_CONFIG_HOME to a folder outside", CANNOT_WRITE)
    try:
        written = permissions_module.change(os.environ, folders, edit)
    except Unfit as unfit:
        raise failure("EP896", str(unfit), CORRECT, CANNOT_READ) from unfit
    except TimeoutError as error:
        raise failure("EP896", f"cannot write `{path}`: {error}", "try again", LOCKED) from error
    except OSError as error:
        message = f"cannot write `{path}`: {(error.strerror or str(error)).lower()}"
        raise failure(
            "EP896", message, "make the folder of your settings writable for you alone", CANNOT_WRITE
        ) from error
    _permissions()  # a folder that others can write to gives no permission: the user learns it now
    return written


def _permissions() -> tuple[tuple[str, ...], dict[str, Permission]]:
    """Return the folders of the project, and what is allowed. Raises `ExitgateError` (74)."""
    from exitgate.core.plugins import permissions as permissions_module
    from exitgate.core.plugins.permissions import Unfit

    folders = permissions_module.folders_of()
    try:
        return folders, permissions_module.read(os.environ, folders)
    except Unfit as unfit:
        raise failure("EP896", str(unfit), CORRECT, CANNOT_READ) from unfit


def _refused(name: str, why: str) -> ExitgateError:
    help = "`exitgate plugins list` shows what is installed and allowed"
    return failure("EP895", f"`{name}` {why}", help, NOTHING_TO_DECIDE)


def _rows() -> list[dict[str, object]]:
    """Return what is installed or allowed, by name of the distribution."""
    from exitgate.core.plugins import installed

    folders, permissions = _permissions()
    offers = installed.offers(folders)
    by_name = {installed.key(one.distribution): one for one in offers}
    allowed = {installed.key(name): one for name, one in permissions.items()}
    return [
        _row(by_name.get(name), allowed.get(name), offers, folders) for name in sorted({*by_name, *allowed})
    ]


def _row(
    offer: Offer | None, permission: Permission | None, offers: Sequence[Offer], folders: Sequence[str]
) -> dict[str, object]:
    from exitgate.core.plugins import installed

    now = installed.of_distribution(offer, permission, folders)
    said = "not allowed" if now.code == installed.NOT_ALLOWED else now.why or "allowed"
    if offer is None:
        said = "allowed, but not installed"
    elif not now.why:
        also = [
            (id, other) for id in sorted(offer.points) for other in installed.others_with(id, offer, offers)
        ]
        said += "".join(f"; `{id}` is offered by `{other}`, too, and cannot be used" for id, other in also)
        said += "".join(f", but `{id}` cannot be used: {why}" for id, why in _faults(now.permission))
    one = offer or permission
    assert one is not None
    return {
        "distribution": one.distribution,
        "version": one.version,
        "extractors": sorted(one.points),
        "state": said,
        "digest": None if permission is None else permission.digest,
    }


def _faults(permission: Permission | None) -> Iterator[tuple[str, str]]:
    """Yield each extractor that may run and fails when it is asked about itself, and why."""
    from exitgate.core.policy.sections.plugged import fault_of

    if permission is None:
        return
    for id in sorted(permission.points):
        why = fault_of(permission, id)
        if why:
            yield id, why


def _line(row: Mapping[str, object]) -> str:
    extractors = row["extractors"]
    assert isinstance(extractors, list)
    names = ", ".join(extractors) or "no extractor"
    return safe(f"{row['distribution']} {row['version']}: {names}: {row['state']}") + "\n"


NAMES = Argument("NAME...", "name of an installed distribution")
CODES_OF_CHANGES = {"65": "", "66": "there is no such distribution, or it cannot be allowed"}
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
            about="Asks each extractor that is allowed about itself, in a process of its own: one that fails "
            "is shown with the reason. Nothing of a distribution that is not allowed is imported.",
            options=(formats("text", "json"),),
            examples=(("exitgate plugins list --format json", "for a program"),),
            run=run_list,
            color=False,
        ),
        Command(
            "allow",
            "allow a distribution as it is now",
            about="Prints the digest of its files. Look at them before.",
            arguments=(NAMES,),
            options=(Option("--digest HEX", "refuse it unless it has this digest"),),
            examples=(("exitgate plugins allow acme-sonar", "run its extractors from now on"),),
            codes=CODES_OF_CHANGES,
            run=run_allow,
            color=False,
        ),
        Command(
            "remove",
            "take a permission back",
            arguments=(NAMES,),
            examples=(("exitgate plugins remove acme-sonar", "its facts are unknown from now on"),),
            codes=CODES_OF_CHANGES,
            run=run_remove,
            color=False,
        ),
    ),
)
