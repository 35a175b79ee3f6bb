"""Where the resident process of this user listens, if one does. On the path of every check."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


#: Switches the use off (`off`), or names the one process that may decide by its number.
VARIABLE, OFF = "EXITGATE_SERVE", "off"
#: The socket in the folder.
SOCKET = "serve.sock"
#: Where a resident process was asked: that it decided, or why it did not. `-v` and `--log-level` show it.
note = ""


def folder_of(environment: Mapping[str, str]) -> str:
    """
    Return the folder of the socket: below XDG_RUNTIME_DIR, else below the user's cache.

    Raises:
        exitgate.core.system.folders.Refused: The cache is switched off, or has no place.
    """
    above = environment.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(above):
        return os.path.join(above, "exitgate")
    from exitgate.core.system.folders import place

    return os.path.join(place(environment), "serve")


def folder_with_socket(environment: Mapping[str, str]) -> str:
    """Return the folder in which something may be listening, the empty text where nothing can be."""
    if os.name == "nt" or environment.get(VARIABLE) == OFF:
        return ""
    if not os.path.isabs(environment.get("XDG_RUNTIME_DIR", "")):
        from exitgate.core.system.folders import Refused

        try:
            folder = folder_of(environment)
        except Refused:
            return ""
    else:
        folder = folder_of(environment)
    try:
        os.lstat(os.path.join(folder, SOCKET))
    except (OSError, ValueError):
        return ""
    return folder
