"""A JSON file of the project of which one value is read, and when it was written."""

from __future__ import annotations

import time

from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe import json_file


def read(name: str, options: JsonObject, root: str) -> Source:
    """
    Return the source `name`, the text of the option `file`, as `exitgate.core.observe.json_file` reads it.

    A file that was written within the tick of the file system's clock has no time to go by: it was written
    now.
    """
    found = json_file.read(name, options, root)
    if found.text is None or found.written:
        return found
    return found.but(written=f"0.{time.time_ns()}")
