"""Decides when an autonomous agent loop should stop, from versioned YAML policies."""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__", "dry_run"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.dryrun.dry_run import dry_run


def __getattr__(name: str) -> object:
    """Return `dry_run` at its first use: a check must not pay for it."""
    if name != "dry_run":
        raise AttributeError(f"module `exitgate` has no `{name}`")
    from exitgate.dryrun.dry_run import dry_run as found

    globals()[name] = found
    return found
