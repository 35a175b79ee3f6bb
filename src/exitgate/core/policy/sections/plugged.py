"""Entries under `facts:` that an extractor of another package fills: looked up, allowed, described."""

from __future__ import annotations

import os

from exitgate.core.model.json_object import object_of
from exitgate.core.plugins.extractor import FILE, PLUGIN, Plugged
from exitgate.core.policy.compiled import Extraction
from exitgate.core.policy.sections.options import SOURCES, read_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.plugins.installed import Offer, State
    from exitgate.core.plugins.permissions import Permission
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.library import Library
    from exitgate.core.policy.sections.options import Known
    from exitgate.core.policy.yaml.node import YamlNode


#: The contract that this version of exitgate keeps with extractors of other packages.
CONTRACT = 1
#: What was described, by all that the answer depends on: editors compile the same policy again and again.
_DESCRIBED: dict[tuple[str, str], object] = {}


def is_plugged(id: str) -> bool:
    """Return whether an id of an extractor is that of another package: it has a dot."""
    return "." in id


def read_plugged(
    prefix: str, entry: YamlNode, id: YamlNode, known: Known, library: Library, findings: Findings
) -> Extraction | None:
    """
    Return the extraction of an entry, None after an error.

    Args:
        prefix, entry: Name and content of the entry.
        id: Where the extractor is named.
        known: Lists and parameters, for options.
        library: Takes note of what was looked at.
        findings: Takes EP890 to EP894, and what is wrong with the options.
    """
    permission = _permission(id, library, findings)
    if permission is None:
        return None
    from exitgate.core.plugins.permissions import Unfit
    from exitgate.core.policy.sections.plugged_checks import checked_facts

    try:
        told = _described(permission, id.text, {"ask": "options"})
        schemas, source = checked_options(told)
        before = findings.errors()
        options, parameters = read_options(entry, {**schemas, FILE: _file()}, id.text, known, findings)
        if findings.errors() > before:
            return None
        given = {key: value for key, value in options.items() if key != FILE}
        specs = checked_facts(_described(permission, id.text, {"ask": "facts", "options": given}))
        plugin = {
            "distribution": permission.distribution,
            "digest": permission.digest,
            "module": permission.points[id.text],
            "specs": specs,
        }
        extraction = Extraction(prefix, id.text, "", {**options, PLUGIN: plugin}, parameters)
        Plugged(id.text).specs(extraction.options)
    except Unfit as unfit:
        message = f"`{id.text}` of `{permission.distribution}` cannot be used: {unfit}"
        findings.error("EP894", message, id.place, "report it to the maintainers of the distribution")
        return None
    written = entry.get("from")
    name = written.text if written is not None else prefix if FILE in options else source
    if FILE in options and name in SOURCES:
        message = f"`{name}` is the name of a built-in source"
        findings.error("EP475", message, entry.label, "give the entry another name")
        return None
    return extraction.but(source=name)


def fault_of(permission: Permission, id: str) -> str:
    """
    Return why no policy can use an extractor that may run, as its process says; empty where one can.

    Its module is imported, in a process of its own, and says which options it takes.
    """
    from exitgate.core.plugins.permissions import Unfit

    try:
        checked_options(_described(permission, id, {"ask": "options"}))
    except Unfit as unfit:
        return str(unfit)
    return ""


def _permission(id: YamlNode, library: Library, findings: Findings) -> Permission | None:
    """Return the permission of the distribution that offers an extractor, None after an error."""
    from exitgate.core.plugins import (
        installed,
    )
    from exitgate.core.plugins import (
        permissions as permissions_module,
    )
    from exitgate.core.plugins.permissions import Unfit

    folders = permissions_module.folders_of(library.folder_of(id.place.file), *library.project)
    library.rests_on(permissions_module.place(os.environ))
    try:
        permissions = permissions_module.read(os.environ, folders)
    except Unfit as unfit:
        findings.error(
            "EP890", f"nothing can be allowed: {unfit}", id.place, "correct the file, or remove it"
        )
        return None
    offers = installed.offers(folders)
    found = [one for one in offers if id.text in one.points]
    if len(found) != 1:
        _report_missing(id, found, offers, installed.places(folders)[1], findings)
        return None
    (offer,) = found
    name = offer.distribution
    now = installed.of_distribution(offer, installed.permission_of(name, permissions), folders)
    if now.permission is None:
        _report(id, offer, now, findings)
        return None
    library.rests_on("", f"{name} {now.permission.digest}")
    return now.permission


def _report(id: YamlNode, offer: Offer, now: State, findings: Findings) -> None:
    """Report an extractor that may not run: EP890, EP892 or EP893."""
    name = offer.distribution
    message, help = f"the distribution `{name}` {now.why}", _install()
    if now.code == "EP890":
        message = f"`{id.text}` is of the distribution `{name}` {offer.version}, which you have not allowed"
        help = f"look at it, then allow it for your own checks: `exitgate plugins allow {name}`"
    elif now.code == "EP893":
        help = f"look at what changed, then run `exitgate plugins allow {name}`"
    findings.error(now.code, message, id.place, help)


def _report_missing(
    id: YamlNode, found: list[Offer], offers: Sequence[Offer], inside: list[str], findings: Findings
) -> None:
    if found:
        names = " and ".join(f"`{one.distribution}`" for one in found)
        message = f"`{id.text}` is offered by {names}"
        findings.error("EP891", message, id.place, "uninstall all of them but one")
        return
    message = f"no installed distribution offers the extractor `{id.text}`"
    help = _install()
    unread = [one for one in offers if not one.points]
    if unread:
        help = f"the distribution `{unread[0].distribution}` {unread[0].problem}; {help}"
    if inside:
        help = f"packages inside the project are never used, such as those in `{inside[0]}`; {help}"
    findings.error("EP891", message, id.place, help)


def _install() -> str:
    return "install it with pip beside an exitgate outside the project"


def _described(permission: Permission, id: str, question: Mapping[str, object]) -> object:
    """Return what an extractor says of itself; asked once for one digest and question."""
    from exitgate.core.plugins.ask import ask
    from exitgate.core.system.quick_json import dumps

    key = (f"{id} {permission.digest}", dumps(dict(question)))
    if key not in _DESCRIBED:
        _DESCRIBED[key] = ask(permission, id, question)
    return _DESCRIBED[key]


def _file() -> dict[str, object]:
    from exitgate.core.facts.extractors.json import OPTIONS as OF_JSON

    return object_of(OF_JSON[FILE])


def checked_options(told: object) -> tuple[dict[str, object], str]:
    """Return the schemas of the options and the default source. Raises Unfit."""
    from exitgate.core.plugins.installed import is_name
    from exitgate.core.plugins.permissions import Unfit
    from exitgate.core.policy.sections.plugged_checks import checked_schemas

    found = object_of(told)
    if found.whole("contract") != CONTRACT:
        raise Unfit(f"its `CONTRACT` is not {CONTRACT}, which this exitgate keeps")
    source = found.text("source")
    if source is None or not is_name(source):
        raise Unfit("its `SOURCE` is not the name of a source")
    return checked_schemas(found.get("options")), source
