"""The record of folders that task files are in."""

from __future__ import annotations

from exitgate.core.model.fact import Source
from exitgate.core.observe.files import Looked
from exitgate.core.system.quick_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.json_object import JsonObject


def read(name: str, options: JsonObject, root: str) -> Source:
    """
    Return the source `name` with the paths of the files that fit `open` and `done`, also as JSON text.

    A source without record says that none of the folders exists.
    """
    looked = Looked(root)
    patterns = {key: options.one_or_more(key) for key in ("open", "done")}
    folders = sorted({p.rpartition("/")[0] for group in patterns.values() for p in group})
    if not any(looked.folder(folder) for folder in folders):
        reason = "no folder " + " or ".join(f"`{folder}`" for folder in folders)
        return Source(name, reason=reason, absent=True)
    record: dict[str, object] = {
        key: sorted({path for pattern in group for path in looked.files(pattern)})
        for key, group in patterns.items()
    }
    return Source(name, text=dumps(record), record=record, warnings=tuple(looked.remarks))
