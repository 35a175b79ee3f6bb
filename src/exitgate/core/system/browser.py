"""The user's browser."""

from __future__ import annotations

import os
import sys


def open_page(address: str) -> bool:
    """
    Open an address in the user's browser, and return whether there is one that has a window.

    A browser that would take the terminal is left alone, unless the environment names it in `BROWSER`. May
    wait some seconds for a browser that starts.
    """
    import webbrowser

    named = "BROWSER" in os.environ
    screen = "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    if not (named or screen or sys.platform in ("win32", "darwin")):
        return False
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return False
    if type(found) is webbrowser.GenericBrowser and not named:
        return False
    return found.open(address)
