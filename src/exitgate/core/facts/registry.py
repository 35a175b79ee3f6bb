"""
The extractors there are, by id.

Modules are imported when a policy uses them: a check pays for what it asks. Adding an extractor is
one file in `extractors/`, one test, one line here.
"""

from __future__ import annotations

from exitgate.core.model.json_object import one_or_more

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from exitgate.core.model.fact import Fact, FactSpec, Iteration
    from exitgate.core.model.json_object import JsonObject

    class Extractor(Protocol):
        """What a module in `extractors/` offers; see `docs/contributing/architecture.md`."""

        NAME: str
        SOURCE: str
        OPTIONS: dict[str, object]

        def specs(self, options: JsonObject) -> tuple[FactSpec, ...]:
            """Return the facts behind the prefix, under these options."""

        def extract(
            self, prefix: str, source: str, options: JsonObject, iteration: Iteration
        ) -> tuple[Fact, ...]:
            """Return a fact for each of `specs(options)`; never raises on any text."""


#: Id, as written under `extract:` -> module.
EXTRACTORS: dict[str, str] = {
    "artifacts": "exitgate.core.facts.extractors.artifacts",
    "checklist": "exitgate.core.facts.extractors.checklist",
    "circuit": "exitgate.core.facts.extractors.circuit",
    "clock": "exitgate.core.facts.extractors.clock",
    "day": "exitgate.core.facts.extractors.day",
    "denials": "exitgate.core.facts.extractors.denials",
    "error_lines": "exitgate.core.facts.extractors.error_lines",
    "git": "exitgate.core.facts.extractors.git",
    "graded_words": "exitgate.core.facts.extractors.graded_words",
    "infrastructure": "exitgate.core.facts.extractors.infrastructure",
    "json": "exitgate.core.facts.extractors.json",
    "json_file": "exitgate.core.facts.extractors.json_file",
    "limits": "exitgate.core.facts.extractors.limits",
    "matching_lines": "exitgate.core.facts.extractors.matching_lines",
    "output": "exitgate.core.facts.extractors.output",
    "phrases": "exitgate.core.facts.extractors.phrases",
    "plan_changes": "exitgate.core.facts.extractors.plan_changes",
    "probe": "exitgate.core.facts.extractors.probe",
    "probes": "exitgate.core.facts.extractors.probes",
    "progress": "exitgate.core.facts.extractors.progress",
    "promise": "exitgate.core.facts.extractors.promise",
    "questions": "exitgate.core.facts.extractors.questions",
    "repeated_calls": "exitgate.core.facts.extractors.repeated_calls",
    "result": "exitgate.core.facts.extractors.result",
    "run": "exitgate.core.facts.extractors.run",
    "signature": "exitgate.core.facts.extractors.signature",
    "similarity": "exitgate.core.facts.extractors.similarity",
    "status_block": "exitgate.core.facts.extractors.status_block",
    "tampering": "exitgate.core.facts.extractors.tampering",
    "task_file": "exitgate.core.facts.extractors.task_file",
    "tests": "exitgate.core.facts.extractors.tests",
    "tools": "exitgate.core.facts.extractors.tools",
    "work_summary": "exitgate.core.facts.extractors.work_summary",
}

#: What fills entries that name no extractor: `load` knows them, no policy does.
_DECLARED: dict[str, str] = {"given": "exitgate.core.facts.given"}

#: Prefix that every policy has without naming it under `facts:` -> id.
BUILT_IN: dict[str, str] = {
    "circuit": "circuit",
    "clock": "clock",
    "day": "day",
    "git": "git",
    "output": "output",
    "result": "result",
    "run": "run",
}

#: Id -> options that name files of the project; the source of such an entry has the entry's own name.
OWN_FILES: dict[str, tuple[str, ...]] = {
    "artifacts": ("files",),
    "json": ("file",),
    "json_file": ("file",),
    "task_file": ("open", "done"),
}

#: Id -> sources that it looks at beside its own, where they are there.
BESIDE: dict[str, tuple[str, ...]] = {
    "denials": ("tool_calls",),
    "error_lines": ("tool_calls",),
    "tampering": ("plan", "tool_calls"),
    "tests": ("tool_calls",),
    "tools": ("tool_calls",),
}

#: Id -> option without which it does not look at them.
BESIDE_WHERE: dict[str, str] = {"error_lines": "tool_results"}

#: Ids whose facts ask the world -> option that names the probes.
ASKING: dict[str, str] = {"probe": "name", "probes": "of"}

#: Ids whose facts rest on other facts: the engine computes them once those are there.
COMPUTED = frozenset(("progress",))


def beside(id: str, options: JsonObject) -> tuple[str, ...]:
    """Return the sources that an extractor looks at beside its own, under these options."""
    asked = BESIDE_WHERE.get(id)
    return BESIDE.get(id, ()) if asked is None or options.flag(asked) else ()


def probes_asked(id: str, options: JsonObject) -> tuple[str, ...]:
    """Return the names of the probes that an extractor asks under these options; none for all others."""
    return one_or_more(options.get(ASKING[id])) if id in ASKING else ()


def own_files(id: str) -> tuple[str, ...]:
    """Return the options of an extractor that name files of the project; none for one without."""
    return OWN_FILES.get(id, ("file",) if "." in id else ())


def names() -> tuple[str, ...]:
    """Return the ids of all extractors, sorted."""
    return tuple(sorted(EXTRACTORS))


def load(id: str) -> Extractor:
    """
    Return the extractor's module; for an id with a dot what stands for one of another package.

    Raises KeyError for an id that is not registered.
    """
    if "." in id:
        from exitgate.core.plugins.extractor import Plugged

        return Plugged(id)
    module: Extractor = __import__(EXTRACTORS.get(id) or _DECLARED[id], fromlist=["extract"])
    return module
