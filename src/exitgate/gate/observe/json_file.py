"""A JSON file of the project."""

from __future__ import annotations

import os

from exitgate.gate.observe.files import read_source
from exitgate.gate.observe.own_files import Looked
from exitgate.model.iteration import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Bytes of the largest file that is read.
SIZE_LIMIT = 10_000_000


def read(name: str, options: Mapping[str, object], root: str) -> Source:
    """Return the source `name`, the text of the option `file`; one that leads out is told and not read."""
    path = str(options.get("file", ""))
    looked = Looked(root)
    place = path if root == "." else os.path.join(root, path)
    if os.path.lexists(place) and not looked.inside(path):
        (remark,) = looked.remarks
        return Source(name, path=place, reason=remark, warnings=(remark,))
    source = read_source(name, place, limit=SIZE_LIMIT)
    if source.text is None and not source.absent:
        return Source(name, path=place, reason=source.reason, warnings=(*source.warnings, source.reason))
    return source
