"""The record of files that the work is to leave behind."""

from __future__ import annotations

import os

from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe.files import Looked, read_source
from exitgate.core.system.digest import hex_digest

#: Bytes of the largest file whose content is looked at; of a larger one only the size counts.
SIZE_LIMIT = 10_000_000
#: Bytes of contents that are looked at in one check.
TOTAL_LIMIT = 50_000_000


def read(name: str, options: JsonObject, root: str) -> Source:
    """
    Return the source `name`: for each entry of `files` what is there, with size and digest.

    A file whose content is not looked at lacks every text of `contains`, and its digest is that of its
    size; a remark says so.
    """
    looked = Looked(root)
    wanted = list(options.texts("contains"))
    found: dict[str, object] = {}
    known: dict[str, JsonObject] = {}
    left = TOTAL_LIMIT
    for pattern in options.texts("files"):
        rows = []
        for path in looked.files(pattern):
            if path not in known:
                place = os.path.join(root, path)
                known[path] = _file(path, place, wanted, min(left, SIZE_LIMIT), looked)
                left -= known[path].whole("size", 0)
            rows.append(known[path])
        found[pattern] = rows
    return Source(name, record={"found": found}, warnings=tuple(looked.remarks))


def _file(path: str, place: str, wanted: list[str], limit: int, looked: Looked) -> JsonObject:
    try:
        size = os.stat(place).st_size
    except OSError:
        size = 0
    text = read_source(path, place, limit=max(0, limit)).text if size <= limit else None
    if text is None:
        looked.remarks.append(f"the content of `{path}` was not read")
        return JsonObject(path=path, size=size, digest=f"size {size}", lacks=wanted)
    digest = hex_digest(text.encode("utf-8", "surrogatepass"))
    return JsonObject(path=path, size=size, digest=digest, lacks=[w for w in wanted if w not in text])
