"""Files that are not the agent's work: they do not count as changes of the working tree."""

from __future__ import annotations

import os

from exitgate.core.model.json_object import JsonObject, object_of
from exitgate.core.state.discover import circuit_place, state_dir, text_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.observe.sources import Begun
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.request import Request


#: Files left out at earlier checks that a run continues leaving out; the oldest are forgotten first.
LIMIT = 64

FIELD = "left_out"

#: What a probe reads in place of a file.
STANDARD_OUTPUT = "-"
#: Files that the agent is meant to change.
_OF_THE_AGENT = ("plan", "diff")


def left_out(request: Request, policy: CompiledPolicy, begun: Begun) -> tuple[str, ...]:
    """
    Return the files and folders, absolute, that git facts do not look at.

    They are the state directory, the files that the loop itself writes (response, output, task,
    state of an external breaker, sources given by name), and those of earlier checks of the run: a
    loop that names each response anew must not look like an agent that writes files.
    """
    earlier = begun.baseline.texts(FIELD) if begun.baseline is not None else ()
    own = [os.path.abspath(path) for path in _files(request, policy)]
    written = written_by_probes(policy)
    if written:
        from exitgate.core.settings.files import project_folder

        folder = project_folder(request.root, os.environ)
        own += [os.path.abspath(os.path.join(folder, path)) for path in written]
    if policy.views:
        from exitgate.core.views.mapping import places_in

        own += [os.path.abspath(path) for path in places_in(policy.views, request.root)]
    return (os.path.abspath(state_dir(request)), *dict.fromkeys((*earlier, *own)))


def written_by_probes(policy: CompiledPolicy) -> list[str]:
    """Return the paths below the root that probes write: their reports, and what their definitions name."""
    found: list[str] = []
    for plain in object_of(policy.layers.get("probes")).values():
        probe = object_of(plain)
        reports = object_of(probe.get("reads")).own_texts()
        found += [path for path in (*reports, *probe.texts("writes")) if path != STANDARD_OUTPUT]
    return found


def with_left_out(baseline: JsonObject, paths: tuple[str, ...]) -> JsonObject:
    """Return what git facts of the next iteration compare with, knowing what was left out."""
    return JsonObject({**baseline, FIELD: list(paths[1:][-LIMIT:])})


def _files(request: Request, policy: CompiledPolicy) -> list[str]:
    names = {"response", "output", "task", *request.sources}.difference(_OF_THE_AGENT)
    places = [text_place(request, name, policy).path for name in sorted(names)]
    places += [
        circuit_place(request, policy, entry.source).path
        for entry in policy.extractions
        if entry.extractor == "circuit"
    ]
    return [path for path in places if path is not None and path != "-"]
