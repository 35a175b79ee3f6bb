"""SARIF 2.1.0: findings for code scanning, with rules, places, suppressions and stable fingerprints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from exitgate import __version__
from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.core.system.digest import hex_digest
from exitgate.report.diagnostics import ordered
from exitgate.report.formats.json import json_text

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION = "2.1.0"
#: Name of the fingerprint; the number changes when it is computed otherwise.
FINGERPRINT = "exitgate/v1"
_SAFE = frozenset("/-._~" + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


class SarifRule(Struct, frozen=True):
    """
    What a code stands for.

    Args:
        id: The code of its diagnostics.
        title: One line.
        text: Some sentences, plain.
        severity: ``error``, ``warning`` or ``note``: what its diagnostics have by default.
        page: Its page, relative to the documentation; empty for none.
    """

    id: str
    title: str
    text: str = ""
    severity: str = "error"
    page: str = ""


def sarif_text(
    diagnostics: Iterable[Diagnostic],
    rules: Iterable[SarifRule] = (),
    suppressed: Mapping[Diagnostic, str] | None = None,
) -> str:
    """
    Return one run with a result for each diagnostic.

    Args:
        diagnostics: What was found.
        rules: What the codes stand for; a code without one gets a rule of its bare id.
        suppressed: Diagnostics of those that a comment in the file turns off -> the reason given.
    """
    found = ordered(diagnostics)
    known = {rule.id: rule for rule in rules}
    for diagnostic in found:
        known.setdefault(diagnostic.code, SarifRule(diagnostic.code, diagnostic.code))
    ids = sorted(known)
    seen: Counter[str] = Counter()
    results = [_result(d, ids.index(d.code), seen, suppressed or {}) for d in found]
    driver = {
        "name": "exitgate",
        "version": __version__,
        "rules": [_rule(known[id]) for id in ids],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json_text({"$schema": SCHEMA, "version": VERSION, "runs": [run]})


def uri(path: str) -> str:
    """Return a path as a relative URI: `/` between names, what a URI may not hold as escapes."""
    plain = path.replace("\\", "/").removeprefix("./")
    return "".join(c if c in _SAFE else "".join(f"%{byte:02X}" for byte in _bytes(c)) for c in plain)


def _bytes(character: str) -> bytes:
    return character.encode("utf-8", "surrogateescape" if "\udc80" <= character <= "\udcff" else "replace")


def _rule(rule: SarifRule) -> dict[str, object]:
    plain: dict[str, object] = {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "defaultConfiguration": {"level": rule.severity},
    }
    if rule.text:
        plain["fullDescription"] = {"text": rule.text}
    if rule.page:
        plain["help"] = {"text": f"`exitgate explain {rule.id}` shows its page"}
    return plain


def _result(
    diagnostic: Diagnostic, index: int, seen: Counter[str], suppressed: Mapping[Diagnostic, str]
) -> dict[str, object]:
    help = f"\nhelp: {diagnostic.help}" if diagnostic.help else ""
    plain: dict[str, object] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": diagnostic.severity,
        "message": {"text": diagnostic.message + help},
    }
    if diagnostic.place is not None:
        plain["locations"] = [_location(diagnostic.place)]
    if diagnostic.related:
        plain["relatedLocations"] = [
            {"id": number, **_location(place), "message": {"text": word}}
            for number, (word, place) in enumerate(diagnostic.related)
        ]
    plain["partialFingerprints"] = {FINGERPRINT: _fingerprint(diagnostic, seen)}
    if diagnostic in suppressed:
        reason = suppressed[diagnostic]
        plain["suppressions"] = [{"kind": "inSource", **({"justification": reason} if reason else {})}]
    return plain


def _location(place: Location) -> dict[str, object]:
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    return {"physicalLocation": {"artifactLocation": {"uri": uri(place.file)}, "region": region}}


def _fingerprint(diagnostic: Diagnostic, seen: Counter[str]) -> str:
    """Return what stays when lines are put above a finding: a digest of code, file, line and message."""
    file = uri(diagnostic.place.file) if diagnostic.place is not None else ""
    parts = (diagnostic.code, file, diagnostic.source.strip(), diagnostic.message)
    key = hex_digest("\n".join(parts).encode("utf-8", "replace"))
    seen[key] += 1
    return f"{key}:{seen[key]}"
