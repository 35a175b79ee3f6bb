"""JSON Schema over a document; every error in words, at the place in the YAML."""

from __future__ import annotations

from exitgate.core.model.value import Value
from exitgate.core.policy.schema.fits import fits as fits_surely
from exitgate.core.policy.schema.fits import frozen, unique
from exitgate.core.policy.schema.messages import (
    Misfit,
    complaint,
    condition_taken_apart,
    cut_by_comma,
    described,
    ended_early,
    misspelt,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode

    Path = tuple[str | int, ...]


#: Mark on parts of a schema that repeat for editors what the loader finds itself.
TOLD = "reported by the loader in its own words"


def check_schema(root: YamlNode, schema: Mapping[str, object], findings: Findings) -> tuple[YamlNode, bool]:
    """
    Compare a document with a schema and report all that does not match (EP2xx).

    Args:
        root: The document, or a part of one.
        schema: JSON Schema 2020-12.
        findings: Takes the diagnostics.

    Returns:
        The document without its unknown keys, and whether what is left fits the schema.
    """
    shape = inspect(root, schema, findings)
    return shape.root, shape.fits


class Shape(Value):
    """
    A document without its unknown keys, and where it does not match its schema.

    Args:
        root: What is left of the document.
        fits: Whether it fits.
        bad: Paths to what does not, to keys that seem to be meant by unknown ones, too. None where
            nothing can be known about the rest.
    """

    __slots__ = ("bad", "fits", "root")

    def __init__(self, root: YamlNode, fits: bool, bad: frozenset[Path] | None) -> None:
        self.root = root
        self.fits = fits
        self.bad = bad


def inspect(root: YamlNode, schema: Mapping[str, object], findings: Findings) -> Shape:
    """Do as `check_schema`, and return where the document does not match, too."""
    if _is_other_format(root, schema, findings):
        return Shape(root.with_fields({}), False, None)
    if fits_surely(root.plain(), schema):
        return Shape(root, True, frozenset())
    misfits = list(_misfits(root, schema))
    unknown: list[Path] = []
    meant: set[tuple[Path, str]] = set()
    cut: set[Path] = set()
    for misfit in misfits:
        if misfit.kind == "additionalProperties":
            unknown += _report_unknown(root, misfit, findings, meant, cut)
    fits = not meant and not cut and not any(condition_taken_apart(misfit) for misfit in misfits)
    wrong_type: set[Path] = set()
    empty = {misfit.path for misfit in misfits if misfit.kind == "minLength"}
    for misfit in misfits:
        if misfit.kind == "additionalProperties":
            continue
        fits = False
        if misfit.kind == "pattern" and misfit.instance == "" and misfit.path in empty:
            continue
        if misfit.kind == "type":
            if misfit.path in wrong_type:
                continue
            wrong_type.add(misfit.path)
        if misfit.kind != "required" or (misfit.path, misfit.missing) not in meant:
            _report(root, misfit, findings)
    bad = {(*path, name) for path, name in meant}
    bad |= {m.path for m in misfits if m.kind != "additionalProperties" or condition_taken_apart(m)}
    bad |= cut
    return Shape(
        without(root, frozenset(unknown)), fits, None if _names_wrong(root, misfits) else frozenset(bad)
    )


def _names_wrong(root: YamlNode, misfits: Iterable[Misfit]) -> bool:
    """Return whether keys that are names are out of shape: who uses them cannot be reported."""
    return any(
        isinstance(m.instance, str) and m.instance in root.at(m.path).fields
        for m in misfits
        if m.kind != "additionalProperties"
    )


def _is_other_format(root: YamlNode, schema: Mapping[str, Any], findings: Findings) -> bool:
    """Report a document of another format than the schema's: nothing else about it can be known."""
    known = schema.get("properties", {}).get("format", {}).get("const")
    part = root.get("format")
    number = part.value if part is not None else None
    if part is None or not isinstance(known, int) or type(number) is not int or number == known:
        return False
    from exitgate import __version__

    message = f"this file is written in format {number}; exitgate {__version__} reads format {known}"
    help = f"write `format: {known}` if it is in that format"
    if number > known:
        help = f"install a newer version of exitgate: one that reads format {number}"
    findings.error("EP207", message, part.place, help)
    return True


def _misfits(root: YamlNode, schema: Mapping[str, object]) -> Iterator[Misfit]:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend
    from referencing import Registry

    # nothing is fetched, and long lists are not compared a pair at a time
    checker = extend(Draft202012Validator, {"uniqueItems": _not_unique})  # type: ignore[no-untyped-call]
    for error in checker(_without_editor_hints(schema), registry=Registry()).iter_errors(root.plain()):
        plain: Any = error
        keys = list(plain.schema.get("properties", {})) if isinstance(plain.schema, dict) else []
        extra = isinstance(plain.schema, dict) and bool(plain.schema.get("patternProperties"))
        yield Misfit(
            str(plain.validator), plain.validator_value, keys, extra, tuple(plain.absolute_path),
            plain.instance, str(plain.message),
        )  # fmt: skip


def _not_unique(_checker: object, wanted: object, data: object, _schema: object) -> Iterator[Exception]:
    """Yield an error for a list with equal items, if the schema forbids them."""
    from jsonschema import ValidationError

    if wanted is True and isinstance(data, list) and not unique(data):
        yield ValidationError("an item is there twice")


def _without_editor_hints(schema: Any) -> Any:
    """Return the schema without what it holds for editors only, because the loader tells it better."""
    if isinstance(schema, list):
        return [
            _without_editor_hints(one)
            for one in schema
            if not isinstance(one, dict) or one.get("$comment") != TOLD
        ]
    if isinstance(schema, dict):
        kept = {key: _without_editor_hints(value) for key, value in schema.items()}
        return {key: value for key, value in kept.items() if key != "allOf" or value}
    return schema


def _report(root: YamlNode, misfit: Misfit, findings: Findings) -> None:
    part = root.at(misfit.path)
    if misfit.kind == "uniqueItems":
        _report_repeated(part, findings)
        return
    said = complaint(misfit, part)
    place = part.place
    if misfit.kind in ("required", "minProperties") and part.key is not None:
        place = part.key
    if said.key is not None and said.key in part.fields:
        place = part.fields[said.key].label
    findings.error(said.code, said.message, place, said.help)


def _report_repeated(part: YamlNode, findings: Findings) -> None:
    """Report each item of a list that equals an earlier one, at its own place."""
    first: dict[object, YamlNode] = {}
    for item in part.items:
        same = first.setdefault(frozen(item.plain()), item)
        if same is not item:
            told = f"{described(item)} is in the list twice"
            findings.error("EP205", told, item.place, "remove one of them", (("first", same.place),))


def _report_unknown(
    root: YamlNode, misfit: Misfit, findings: Findings, meant: set[tuple[Path, str]], cut: set[Path]
) -> list[Path]:
    """
    Report every key that is not in the schema, and return their paths.

    Add to `meant` what they were meant to be, and to `cut` the paths of values that YAML ended early.
    """
    part = root.at(misfit.path)
    paths = []
    for key in part.fields:
        if key in misfit.keys or (key.startswith("x-") and misfit.extra):
            continue
        ended = cut_by_comma(key, misfit.keys, part)
        if ended is not None:
            before, rests = ended
            cut.add((*misfit.path, before))
            paths += [(*misfit.path, key), (*misfit.path, before)]
            if key != rests[0]:
                continue
            said, name = ended_early(key, before, rests, part), None
        else:
            said, name = misspelt(key, misfit.keys, part)
        if name is not None:
            meant.add((misfit.path, name))
        findings.error(said.code, said.message, part.fields[key].label, said.help)
        if ended is None:
            paths.append((*misfit.path, key))
    return paths


def without(root: YamlNode, paths: frozenset[Path], here: Path = ()) -> YamlNode:
    """Return the document without the keys at the ends of `paths`."""
    if not paths:
        return root
    if root.items:
        return root.with_items([without(item, paths, (*here, n)) for n, item in enumerate(root.items)])
    if not root.fields:
        return root
    kept = {key: part for key, part in root.fields.items() if (*here, key) not in paths}
    return root.with_fields({key: without(part, paths, (*here, key)) for key, part in kept.items()})
