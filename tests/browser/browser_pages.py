"""A page in the browser with everything that should not happen written down."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page


class Watched:
    """A page with everything that should not happen written down."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.trouble: list[str] = []
        self.requests: list[str] = []
        page.on("dialog", self._dialog)
        page.on("console", lambda said: self.trouble.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        page.on("popup", lambda _: self.trouble.append("popup"))
        page.on("request", lambda asked: self.requests.append(asked.url))

    def _dialog(self, dialog: object) -> None:
        self.trouble.append("dialog")
        dialog.dismiss()  # type: ignore[attr-defined]

    def calm(self, url: str) -> None:
        """Assert that nothing was said, shown or asked for but the file itself."""
        assert self.trouble == []
        assert set(self.requests) == {url}


Opened = Callable[..., Watched]
