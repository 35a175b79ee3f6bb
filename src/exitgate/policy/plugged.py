"""Entries under `facts:` that an extractor of another package fills: looked up, allowed, described."""

from __future__ import annotations

import os

from exitgate.facts.plugged import FILE, PLUGIN, Plugged
from exitgate.model.type import KINDS, Type
from exitgate.policy.compiled import Extraction
from exitgate.policy.options import OWN_KEYS, read_options
from exitgate.policy.own_files import SOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from exitgate.plugins.allowed import Permission
    from exitgate.policy.findings import Findings
    from exitgate.policy.library import Library
    from exitgate.policy.options import Known
    from exitgate.policy.part import Part

#: The contract that this version of exitgate keeps with extractors of other packages.
CONTRACT = 1
#: Facts of one extractor, and options.
FACTS, OPTIONS = 100, 100
#: What was described, by all that the answer depends on: editors compile the same policy again and again.
_DESCRIBED: dict[tuple[str, str], object] = {}
_FIELDS = frozenset(("name", "type", "doc", "unknown", "low", "high", "members", "item", "currency"))


def is_plugged(id: str) -> bool:
    """Return whether an id of an extractor is that of another package: it has a dot."""
    return "." in id


def read_plugged(
    prefix: str, entry: Part, id: Part, known: Known, library: Library, findings: Findings
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
    from exitgate.plugins.content import Unfit

    try:
        told = _described(permission, id.text, {"ask": "options"})
        schemas, source = _checked_options(told)
        before = findings.errors()
        options, parameters = read_options(entry, {**schemas, FILE: _file()}, id.text, known, findings)
        if findings.errors() > before:
            return None
        given = {key: value for key, value in options.items() if key != FILE}
        specs = _checked_facts(_described(permission, id.text, {"ask": "facts", "options": given}))
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


def _permission(id: Part, library: Library, findings: Findings) -> Permission | None:
    """Return the permission of the distribution that offers an extractor, None after an error."""
    from exitgate.plugins import allowed, installed, project
    from exitgate.plugins.content import Unfit

    folders = project.folders_of(library.folder_of(id.place.file), *library.project)
    library.rests_on(allowed.place(os.environ))
    try:
        permissions = allowed.read(os.environ, folders)
    except Unfit as unfit:
        findings.error(
            "EP890", f"nothing can be allowed: {unfit}", id.place, "correct the file, or remove it"
        )
        return None
    found = [one for one in installed.offers(folders) if id.text in one.points]
    if len(found) != 1:
        _report_missing(id, found, installed.places(folders)[1], findings)
        return None
    (offer,) = found
    name = offer.distribution
    permission = permissions.get(name)
    why = offer.problem or ("" if permission is None else permission.why_not(folders))
    moved = permission is not None and (permission.root, permission.points) != (offer.root, offer.points)
    if offer.problem:
        findings.error("EP892", f"the distribution `{name}` {offer.problem}", id.place, _install())
        return None
    if permission is None:
        message = f"`{id.text}` is of the distribution `{name}` {offer.version}, which you have not allowed"
        help = f"look at it, then allow it for your own checks: `exitgate plugins allow {name}`"
        findings.error("EP890", message, id.place, help)
        return None
    if why or moved:
        message = f"the distribution `{name}` {why or 'is another one than you allowed'}"
        help = f"look at what changed, then run `exitgate plugins allow {name}`"
        findings.error("EP893", message, id.place, help)
        return None
    library.rests_on("", f"{name} {permission.digest}")
    return permission


def _report_missing(id: Part, found: list[Any], inside: list[str], findings: Findings) -> None:
    if found:
        names = " and ".join(f"`{one.distribution}`" for one in found)
        message = f"`{id.text}` is offered by {names}"
        findings.error("EP891", message, id.place, "uninstall all of them but one")
        return
    message = f"no installed distribution offers the extractor `{id.text}`"
    help = _install()
    if inside:
        help = f"packages inside the project are never used, such as those in `{inside[0]}`; {help}"
    findings.error("EP891", message, id.place, help)


def _install() -> str:
    return "install it with pip beside an exitgate outside the project"


def _described(permission: Permission, id: str, question: Mapping[str, object]) -> object:
    """Return what an extractor says of itself; asked once for one digest and question."""
    from exitgate.model.quick_json import dumps
    from exitgate.plugins.ask import ask

    key = (f"{id} {permission.digest}", dumps(dict(question)))
    if key not in _DESCRIBED:
        _DESCRIBED[key] = ask(permission, id, question)
    return _DESCRIBED[key]


def _file() -> dict[str, object]:
    from exitgate.facts.extractors.json import OPTIONS as OF_JSON

    schema = OF_JSON[FILE]
    assert isinstance(schema, dict)
    return schema


def _checked_options(told: object) -> tuple[dict[str, object], str]:
    """Return the schemas of the options and the default source. Raises Unfit."""
    from jsonschema import Draft202012Validator, SchemaError

    from exitgate.plugins.content import Unfit

    if not isinstance(told, dict) or told.get("contract") != CONTRACT:
        raise Unfit(f"its `CONTRACT` is not {CONTRACT}, which this exitgate keeps")
    schemas, source = told.get("options"), told.get("source")
    if not isinstance(source, str) or not source:
        raise Unfit("its `SOURCE` is not the name of a source")
    if not isinstance(schemas, dict) or len(schemas) > OPTIONS:
        raise Unfit(f"its `OPTIONS` is not a mapping of at most {OPTIONS} names to JSON Schemas")
    for name, schema in schemas.items():
        if name in OWN_KEYS or name == FILE or not isinstance(schema, dict):
            raise Unfit(f"its option `{name[:80]}` has a name that exitgate uses itself, or no JSON Schema")
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            raise Unfit(
                f"the JSON Schema of its option `{name[:80]}` is wrong: {error.message[:200]}"
            ) from None
    return schemas, source


def _checked_facts(told: object) -> list[dict[str, object]]:
    """Return the described facts as plain specs. Raises Unfit."""
    from exitgate.plugins.content import Unfit

    if not isinstance(told, list) or not 0 < len(told) <= FACTS:
        raise Unfit(f"`facts()` did not return a list of 1 to {FACTS} facts")
    found: dict[str, dict[str, object]] = {}
    for one in told:
        if not isinstance(one, dict) or not _FIELDS.issuperset(one):
            raise Unfit(f"a fact is a mapping with some of {', '.join(sorted(_FIELDS))}")
        name = one.get("name", "")
        plain = isinstance(name, str) and name.replace("_", "a").isalnum() and name.isascii()
        if name and not (plain and name == name.lower() and name[0].isalpha()):
            raise Unfit(f"`{str(name)[:80]}` cannot be the name of a fact")
        if name in found:
            raise Unfit(f"it describes the fact `{name}` twice")
        found[name] = _checked_fact(name, one)
    return list(found.values())


def _checked_fact(name: str, one: Mapping[str, Any]) -> dict[str, object]:
    from exitgate.plugins.content import Unfit

    kind, low, high = one.get("type"), one.get("low"), one.get("high")
    type_ = _checked_type(name, one)
    for bound in (low, high):
        if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int | float)):
            raise Unfit(f"a bound of its fact `{name}` is not a number")
    if kind == "percent":
        low, high = max(0, low or 0), min(100, 100 if high is None else high)
    elif kind in ("count", "duration", "money"):
        low = max(0, low or 0)
    doc, unknown = one.get("doc", ""), one.get("unknown", "it found none")
    if not isinstance(doc, str) or not isinstance(unknown, str) or len(doc) + len(unknown) > 2000:
        raise Unfit(f"`doc` and `unknown` of its fact `{name}` are not short texts")
    plain = {"name": name, "type": type_.to_json(), "doc": doc, "unknown_when": unknown}
    return {**plain, "low": low, "high": high}


def _checked_type(name: str, one: Mapping[str, Any]) -> Type:
    from exitgate.plugins.content import Unfit

    kind, members, item = one.get("type"), one.get("members"), one.get("item", "text")
    if kind not in KINDS:
        raise Unfit(f"the type of its fact `{name}` is not one of {', '.join(KINDS)}")
    if kind == "enum":
        good = isinstance(members, list) and members and all(_is_member(member) for member in members)
        upper = tuple(str(member).upper() for member in members) if isinstance(members, list) else ()
        if not good or len(set(upper)) < len(upper):
            raise Unfit(f"its fact `{name}` is an enum without `members` that a policy could name")
        return Type("enum", members=upper)
    if kind == "list":
        if item not in KINDS or item in ("enum", "list", "money"):
            raise Unfit(f"the `item` of its fact `{name}` is not a plain type")
        return Type("list", item=Type(item))
    if kind == "money":
        currency = one.get("currency")
        if not (
            isinstance(currency, str) and len(currency) == 3 and currency.isascii() and currency.isupper()
        ):
            raise Unfit(f"its fact `{name}` is money without a `currency` of three capital letters")
        return Type("money", currency=currency)
    return Type(str(kind))


def _is_member(member: object) -> bool:
    plain = isinstance(member, str) and member.replace("_", "a").isalnum() and member.isascii()
    return plain and str(member)[0].isalpha() and str(member).upper() not in ("KNOWN", "UNKNOWN")
