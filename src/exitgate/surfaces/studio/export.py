"""The studio as files: the same page, with its answers beside it."""

from __future__ import annotations

import os
from itertools import permutations

from exitgate.core.system import safe_files
from exitgate.surfaces.studio.http.app import Api, page_files
from exitgate.surfaces.studio.http.json_text import json_bytes
from exitgate.surfaces.studio.workspace.refusal import refusal

#: Policies of which each pair is compared.
COMPARED = 8
#: Where the page reads that its answers are files.
_SERVER, _FOLDER = b'<meta name="studio" content="server">', b'<meta name="studio" content="folder">'


def export(api: Api, folder: str) -> int:
    """
    Write the studio into a new or empty folder, and return how many files that are.

    Raises:
        ExitgateError: 64 where the folder is not empty, 73 where it cannot be written.
    """
    try:
        if not safe_files.make_folder(folder) and safe_files.names(folder):
            help = "name a new folder"
            message = f"`{folder}` is not empty"
            raise refusal(message, help, 64)
        return _written(api, folder)
    except OSError as error:
        message = f"`{folder}` cannot be written: {safe_files.trouble(error)}"
        raise refusal(message, "name another folder", 73) from error


def _written(api: Api, folder: str) -> int:
    state = api.reads["state"]("", {})
    runs = api.reads["runs"]("", {})
    assert isinstance(state, dict)
    assert isinstance(runs, dict)
    files = {name: one.read_bytes() for name, one in page_files().items()}
    page = files["index.html"]
    assert _SERVER in page
    files["index.html"] = page.replace(_SERVER, _FOLDER)
    files["data/state.json"] = json_bytes({**state, "static": True, "read_only": True, "loading": None})
    files["data/runs.json"] = json_bytes(runs)
    for at, one in enumerate(state["policies"]):
        files[f"data/policies/{at}.json"] = json_bytes(api.reads["policy"](one["name"], {}))
    names = [one["name"] for one in state["policies"]][:COMPARED]
    for (at, a), (other, b) in permutations(enumerate(names), 2):
        files[f"data/compare/{at}-{other}.json"] = json_bytes(api.reads["compare"]("", {"a": a, "b": b}))
    for name in {os.path.dirname(one) for one in files} | {"data/runs"}:
        safe_files.make_folder(os.path.join(folder, name), 0o755)
    for name, content in files.items():
        _write(folder, name, content)
    for row in runs["rows"]:
        # One at a time: all pages together may be larger than the memory.
        _write(
            folder, f"data/runs/{row['n']}.html", (api.fragment(row["n"]) or "").encode("utf-8", "replace")
        )
    return len(files) + len(runs["rows"])


def _write(folder: str, name: str, content: bytes) -> None:
    safe_files.replace(os.path.join(folder, *name.split("/")), content, mode=0o644)
