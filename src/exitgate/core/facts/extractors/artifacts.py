"""`artifacts`: files that the work is to leave behind: there, large enough, holding what they must."""

from __future__ import annotations

from exitgate.core.facts import records
from exitgate.core.facts.records import count
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.json_object import objects_of
from exitgate.core.model.value import BOOL, COUNT, SIGNATURE, TEXT, Type, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "artifacts"
SOURCE = "artifacts"
OPTIONS: dict[str, object] = {
    "files": {
        "description": "Files below the project; `*` and `?` in a path are wildcards, and "
        "then one matching file is enough.",
        "type": "array",
        "minItems": 1,
        "maxItems": 100,
        "uniqueItems": True,
        "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 500,
            "pattern": "^(?!/)(?!.*(^|/)\\.\\.(/|$))",
        },
        "examples": [["dist/index.html", "docs/*.md"]],
    },
    "min_size": {
        "description": "Minimum size of a file, in bytes.",
        "type": "integer",
        "minimum": 0,
        "default": 1,
        "examples": [100],
    },
    "contains": {
        "description": "Texts that each file must contain literally to count.",
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": 1000},
        "maxItems": 20,
        "examples": [["</html>"]],
    },
}

_NOT_LOOKED = "they cannot be read"
_SPECS = (
    FactSpec("present", COUNT, "Matching files that exist.", _NOT_LOOKED, low=0, read=False),
    FactSpec("all", BOOL, "Each entry of `files` has a matching file.", _NOT_LOOKED, read=False),
    FactSpec(
        "missing",
        Type("list", item=TEXT),
        "The entries of `files` without a matching file.",
        _NOT_LOOKED,
        read=False,
    ),
    FactSpec("size", COUNT, "Total size of the matching files, in bytes.", _NOT_LOOKED, low=0, read=False),
    FactSpec(
        "content",
        SIGNATURE,
        "A hash of the names and contents of the matching files.",
        f"{_NOT_LOOKED}, or none matches",
        read=False,
    ),
)


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """
    Return the facts on the files in the source's record.

    The record has under `found`, for each entry of `files`, a list of files with `path`, `size` in bytes,
    `digest`, and under `lacks` the texts of `contains` that are not in it.
    """
    given = iteration.source(source)
    record = records.record_of(given)
    found = None if record is None else record.get("found")
    if not isinstance(found, dict):
        reason = given.reason or f"{source} is not a record of files"
        return tuple(Fact(f"{prefix}.{s.name}", Unknown(reason, f"{prefix}.{s.name}")) for s in _SPECS)
    fitting: dict[str, JsonObject] = {}
    missing = []
    spoilt = []
    for entry in records.names(options.get("files")):
        seen = objects_of(found.get(entry))
        good = [f for f in seen if _fits(f, options)]
        fitting |= {str(f.get("path")): f for f in good}
        if not good:
            missing.append(entry)
            spoilt += [str(f.get("path")) for f in seen]
    paths = sorted(fitting)
    shown, refused = records.shown(source, paths, "fits"), records.shown(source, spoilt, "does not match")
    name = f"{prefix}.content"
    content = "\n".join(f"{path} {fitting[path].get('digest')}" for path in paths)
    return (
        Fact(f"{prefix}.present", len(paths), shown),
        Fact(f"{prefix}.all", not missing, refused or shown),
        Fact(f"{prefix}.missing", tuple(missing), refused),
        Fact(f"{prefix}.size", sum(count(fitting[path].get("size")) or 0 for path in paths), shown),
        Fact(name, _digest(content) if paths else Unknown("no file matches", name), shown),
    )


def _fits(file: JsonObject, options: JsonObject) -> bool:
    size = count(file.get("size"))
    if size is None or size < options.whole("min_size", 1):
        return False
    return not (options.get("contains") and file.get("lacks") != [])


def _digest(text: str) -> str:
    from exitgate.core.system.digest import hex_digest

    return hex_digest(text.encode("utf-8", "surrogatepass"))
