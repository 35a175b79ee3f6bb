"""Why an exporter failed: it says so to Python's logging, and to no other process."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

_LOGGER = "opentelemetry"
_LIMIT = 300


class Reasons(logging.Handler):
    """Listens to OpenTelemetry's own log while it is entered."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what is said."""
        self.add(record.getMessage())

    def add(self, text: str) -> None:
        """Keep a reason."""
        self._texts.append(text)

    def text(self) -> str:
        """Return the first reason, which is the nearest to the cause, in one line."""
        first = self._texts[0] if self._texts else "no reason given"
        return " ".join(first.split())[:_LIMIT]

    def __enter__(self) -> Reasons:
        logger = logging.getLogger(_LOGGER)
        self._before = logger.propagate
        logger.propagate = False
        logger.addHandler(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        logger = logging.getLogger(_LOGGER)
        logger.removeHandler(self)
        logger.propagate = self._before
