"""Instants of streams, under the name that readers of other formats know them by."""

from __future__ import annotations

from exitgate.transcripts.instants import instant as seconds

__all__ = ["seconds"]
