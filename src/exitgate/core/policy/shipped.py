"""Policies, lexicons and schemas that come with exitgate."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


#: Levels from this file up to the folder of `pyproject.toml` in a checkout.
_CHECKOUT_LEVELS = 5

#: Folder or file -> when it was written, and what it held: compilers ask for the same ones again and again.
_KNOWN: dict[str, tuple[int, Any]] = {}

#: Begins the name of a file that comes with exitgate, or of one that was fetched, in places and paths.
ELSEWHERE = ("shipped:", "pypi:", "git+")

#: This file and a name -> where that folder was found.
_FOLDERS: dict[tuple[str, str], str] = {}


def _known(path: str, read: Callable[[str], Any]) -> Any:
    written = os.stat(path).st_mtime_ns
    known = _KNOWN.get(path)
    if known is None or known[0] != written:
        known = _KNOWN[path] = (written, read(path))
    return known[1]


def _folder(name: str) -> str:
    """
    Return the folder `policies` or `schemas`: package data, else the checkout beside `pyproject.toml`.

    An editable install has no package data: the wheel maps the two folders into the package, and
    an editable one leaves them where they are (`docs/decisions/0101-shipped-data.md`).

    Raises:
        FileNotFoundError: Neither exists: the installation is broken.
    """
    key = __file__, name
    if key not in _FOLDERS:
        _FOLDERS[key] = _found_folder(name)
    return _FOLDERS[key]


def _found_folder(name: str) -> str:
    here = os.path.abspath(__file__)
    packaged = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(here))), name)
    if os.path.isdir(packaged):
        return packaged
    root = here
    for _ in range(_CHECKOUT_LEVELS):
        root = os.path.dirname(root)
    beside = os.path.join(root, name)
    if os.path.isfile(os.path.join(root, "pyproject.toml")) and os.path.isdir(beside):
        return beside
    raise FileNotFoundError(f"exitgate is installed without its {name}: looked in {packaged} and {beside}")


def policies() -> tuple[str, ...]:
    """Return the names of the shipped policies, sorted."""
    folder = _folder("policies")
    return tuple(
        sorted(n for n in os.listdir(folder) if os.path.isfile(os.path.join(folder, n, "policy.yaml")))
    )


def path(name: str) -> str:
    """
    Return the path of a shipped policy's file.

    Raises:
        KeyError: There is none of that name.
    """
    if name not in policies():
        raise KeyError(name)
    return os.path.join(_folder("policies"), name, "policy.yaml")


def lexicons() -> tuple[str, ...]:
    """Return the names of the shipped lexicons, sorted."""
    folder = os.path.join(_folder("policies"), "lexicons")
    return _known(folder, _lexicons) if os.path.isdir(folder) else ()


def _lexicons(folder: str) -> tuple[str, ...]:
    return tuple(sorted(name[: -len(".yaml")] for name in os.listdir(folder) if name.endswith(".yaml")))


def lexicon_path(name: str) -> str:
    """
    Return the path of a shipped lexicon's file.

    Raises:
        KeyError: There is none of that name.
    """
    if name not in lexicons():
        raise KeyError(name)
    return os.path.join(_folder("policies"), "lexicons", name + ".yaml")


def schema_names() -> tuple[str, ...]:
    """Return the names of the JSON Schemas, sorted: ``policy``, ``lexicon``, ..."""
    ending = ".schema.json"
    return tuple(sorted(n[: -len(ending)] for n in os.listdir(_folder("schemas")) if n.endswith(ending)))


def schema(name: str) -> dict[str, object]:
    """
    Return a JSON Schema (2020-12) as plain data, to be read and not changed.

    Raises:
        KeyError: There is none of that name.
    """
    if name not in schema_names():
        raise KeyError(name)
    plain = _known(os.path.join(_folder("schemas"), name + ".schema.json"), _json)
    assert isinstance(plain, dict)
    return plain


def _json(path: str) -> object:
    import json

    with open(path, encoding="utf-8") as file:
        return json.load(file)
