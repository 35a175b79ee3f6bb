"""Codes of the solver; apart from the rest, which imports z3."""

from __future__ import annotations

#: One line each; `docs` reads them.
CODES = {"EP532": "the solver and the engine disagree: a bug in exitgate"}
