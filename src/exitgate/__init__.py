"""Decides when an autonomous agent loop should stop, from versioned YAML policies."""

__version__ = "0.1.0"
__all__ = ["TEMPORARY", "Decision", "ExitgateError", "Gate", "Iteration", "__version__", "analyze", "dry_run"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.decision import Decision
    from exitgate.core.model.diagnostic import ExitgateError
    from exitgate.recordings.replay.dry_run import dry_run
    from exitgate.surfaces.in_process.analyze import analyze
    from exitgate.surfaces.in_process.directory import TEMPORARY
    from exitgate.surfaces.in_process.gate import Gate
    from exitgate.surfaces.in_process.iteration import Iteration


#: Name -> the module that has it.
_PLACES = {
    "TEMPORARY": "surfaces.in_process.directory",
    "Decision": "core.model.decision",
    "ExitgateError": "core.model.diagnostic",
    "Gate": "surfaces.in_process.gate",
    "Iteration": "surfaces.in_process.iteration",
    "analyze": "surfaces.in_process.analyze",
    "dry_run": "recordings.replay.dry_run",
}


if not TYPE_CHECKING:  # else a type checker would believe that the package has any name that is written

    def __getattr__(name: str) -> object:
        """Return what the package offers at its first use: a check must not pay for it."""
        place = _PLACES.get(name)
        if place is None:
            raise AttributeError(f"module `exitgate` has no `{name}`")
        from importlib import import_module

        found = getattr(import_module(f"exitgate.{place}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
