"""A studio over a project, asked as a page asks it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Event

from exitgate.core.model.json_object import JsonObject
from exitgate.recordings.scoring.labels import load
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.workspace.api import api_of
from exitgate.surfaces.studio.workspace.policies import Origin
from exitgate.surfaces.studio.workspace.workspace import Workspace

EXAMPLES = Path(__file__).parents[4] / "examples" / "transcripts"
PATIENCE = 120
SETTINGS = """\
# how our loops end
exit_decision:
  policy: bb3
  min_confidence: 65   # our agents hedge
other_tool: {keep: [this]}
"""
OURS = """\
policy: ours
format: 1
version: 1.0.0
title: Ours
extends: bb3
# what we tuned
parameters:
  min_completion: {default: 85}  # since spring
rules:
  # nobody reads these
  - id: too_many_errors
    mode: warn
"""


class Desk:
    """A studio over a project, asked as a page asks it."""

    def __init__(self, project: Path, labels: tuple[str, ...], policies: Mapping[str, str | None]) -> None:
        self.project = project
        self.events: list[Mapping[str, object]] = []
        self._done = Event()
        origins = [Origin(name, reference, {}, ".") for name, reference in policies.items()]
        marks = [load(str(project / one)) for one in labels]
        self.workspace = Workspace([str(project / "runs")], origins, marks, publish=self._hear)
        self.workspace.load()
        self.api = api_of(self.workspace, Events(), read_only=False)

    def _hear(self, event: Mapping[str, object]) -> None:
        self.events.append(event)
        if event["type"] in ("done", "failed"):
            self._done.set()

    def post(self, action: str, /, **body: object) -> dict[str, object]:
        found = self.api.actions[action].do(JsonObject(body))
        assert isinstance(found, dict)
        return found

    def drafted(self, policy: str, **draft: object) -> None:
        """Change a policy, and wait until all runs are decided."""
        self._done.clear()
        assert "diagnostics" not in self.post("draft", policy=policy, draft=draft)
        assert self._done.wait(PATIENCE)

    def proposed(self, policy: str, target: str, why: str = "") -> dict[str, object]:
        return self.post("keep-draft", policy=policy, target=target, why=why)

    def text(self, path: str) -> str:
        return (self.project / path).read_text(encoding="utf-8")
