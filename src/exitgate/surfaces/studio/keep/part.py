"""What a page can have written: labels, settings, policies, tests."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from msgspec import Struct

from exitgate.analysis.yaml_values import NotEditableError, has_content
from exitgate.core.model.decision import CLASSES
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.core.probes.trust import asks, covered
from exitgate.core.system.folders import folders_up
from exitgate.recordings.scoring.edited_labels import with_label
from exitgate.recordings.scoring.labels import FILE_NAME, Label, Labels, stop_of
from exitgate.recordings.scoring.labels import read as read_labels
from exitgate.surfaces.studio.http.app import Action
from exitgate.surfaces.studio.keep.cases import change_of_tests
from exitgate.surfaces.studio.keep.difference import diff
from exitgate.surfaces.studio.keep.files import (
    Change,
    Keeper,
    Place,
    Proposal,
    named_place,
    project_place,
    read,
)
from exitgate.surfaces.studio.keep.policy_text import change_of_policy
from exitgate.surfaces.studio.keep.settings import change_of_settings, text_of
from exitgate.surfaces.studio.workspace.asked import Part, body_as, column_of
from exitgate.surfaces.studio.workspace.column import Column
from exitgate.surfaces.studio.workspace.refusal import refusal
from exitgate.surfaces.studio.workspace.renewal import renew
from exitgate.surfaces.studio.workspace.run_page import results_of
from exitgate.surfaces.studio.workspace.workspace import Workspace

PROJECT, POLICY = "project", "policy"
#: Characters of a note, a reason, a name.
LONGEST = 2000
CONSENT = (
    "This changes which commands verify the work: consent to run them is void. "
    "Look at them with `exitgate trust`."
)


class _Draft(Struct, frozen=True, forbid_unknown_fields=True):
    """A draft to save, where to, and why rules do not decide."""

    policy: str
    target: str
    why: str = ""


class _Case(Struct, frozen=True, forbid_unknown_fields=True):
    """A decision that is to be a test, and what the test is called."""

    n: int
    at: int
    policy: str
    name: str


class _Ticket(Struct, frozen=True, forbid_unknown_fields=True):
    """Changes that are confirmed."""

    ticket: str


class _Labelled(Struct, frozen=True, forbid_unknown_fields=True):
    """A label of a run: `4`, `4-5`, `never`; None takes it away."""

    n: int
    stop: str | None
    classes: tuple[str, ...] = ()
    note: str = ""


def keeping(workspace: Workspace) -> Part:
    """Return what a page can have written, below the project and into the labels that were named."""
    keep = _Keep(workspace)
    actions = {
        "keep-draft": keep.draft,
        "keep-test": keep.test,
        "keep-confirm": keep.confirm,
        "keep-undo": keep.undo,
        "label": keep.label,
    }
    return Part({"kept": keep.kept}, {name: Action(do, writes=True) for name, do in actions.items()})


class _Keep:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._keeper = Keeper()
        #: The root of the repository, or the working folder where there is none.
        self._project = folders_up(os.curdir, os.environ)[-1]

    def kept(self, *_: object) -> object:
        """Return what would be taken back next."""
        last = self._keeper.last
        return {"undo": [] if last is None else _paths(last.changes)}

    def draft(self, body: JsonObject) -> object:
        """Show what saving a draft would change."""
        asked = body_as(_Draft, body)
        column = column_of(self._workspace, asked.policy)
        if not column.is_draft:
            raise refusal(f"`{column.name}` is as it is saved", "change something first")
        why = asked.why.strip()[:LONGEST]
        if (column.draft.disabled or column.draft.shadow) and not why:
            raise refusal(
                "a rule that does not decide needs a reason", "write why, for those who read it later"
            )
        changes = self._changes(column, asked.target, why)
        remarks = [CONSENT] if _covers_other(column) else []
        if asked.target == PROJECT and not column.origin.in_force:
            name = column.settled.policy.name
            remarks.append(
                f"These settings count where `{name}` decides in this project. "
                "Here it was named, and is shown as it was written."
            )
        return self._shown(self._keeper.propose(changes, remarks, self._renew))

    def _changes(self, column: Column, target: str, why: str) -> Sequence[Change]:
        if target == POLICY:
            return [change_of_policy(column, self._project, why)]
        if target != PROJECT:
            raise refusal(f"`{target[:80]}` is not a place to save", f"`{PROJECT}` or `{POLICY}`")
        if column.draft.text is not None:
            raise refusal("a text is saved to the policy's own file", f"save to `{POLICY}`")
        return [change_of_settings(column, self._project, why)]

    def test(self, body: JsonObject) -> object:
        """Show what making a decision a test would change."""
        asked = body_as(_Case, body)
        column = column_of(self._workspace, asked.policy)
        name = " ".join(asked.name.split())[:LONGEST]
        lines = self._workspace.lines
        if not 0 < asked.n <= len(lines):
            raise refusal("no such run", "go back to the runs")
        if not name:
            raise refusal("a test needs a name", "say what should happen, and when")
        line = lines[asked.n - 1]
        if not 0 < asked.at <= line.run.iterations:
            raise refusal(f"the run has no iteration {asked.at}", f"from 1 to {line.run.iterations}")
        try:
            result = results_of(line, {column.name: column.settled.policy})[0]
        except LookupError as error:
            raise refusal(str(error), "start the studio again") from None
        decided = result.decided[: asked.at]
        change = change_of_tests(column, self._project, name, decided, self._workspace.mask)
        return self._shown(self._keeper.propose([change]))

    def confirm(self, body: JsonObject) -> object:
        """Write what was shown."""
        found = self._keeper.confirm(body_as(_Ticket, body).ticket)
        return {"written": _paths(found.changes)}

    def undo(self, body: JsonObject) -> object:
        """Take back what was written last."""
        if body:
            raise refusal("this needs nothing", "load the page again")
        return {"written": _paths(self._keeper.undo().changes)}

    def label(self, body: JsonObject) -> object:
        """Write a label at once."""
        asked = body_as(_Labelled, body)
        workspace = self._workspace
        if not 0 < asked.n <= len(workspace.lines):
            raise refusal("no such run", "go back to the runs")
        line = workspace.lines[asked.n - 1]
        with workspace.lock:
            before = workspace.labelled.of(line.run.id)
            written = line.run.id if before is None else before.run
            label = _label(asked, written, line.run.iterations)
            place = self._labels()
            old = read(place)
            own = workspace.labelled.own
            if own is None and old is not None:
                raise refusal(f"`{place.path}` is there already", f"start the studio with `-l {place.path}`")
            text = _relabelled("" if old is None else text_of(old, place.path), place.path, written, label)
            file = place.whole if own is None else own.file
            workspace.labelled.check(_read(text.encode(), file))

            def read_again() -> None:
                raw = read(place)
                self._take(_read(raw or b"", file))

            change = Change(place, old, text.encode())
            if (old or b"") == change.new:
                if own is not None:  # it may have been written into the file meanwhile
                    read_again()
                return {"written": []}
            proposal = self._keeper.propose([change], (), read_again)
            self._keeper.confirm(proposal.ticket)
        return {"written": [place.path]}

    def _take(self, known: Labels) -> None:
        """Take the user's own labels as they now are, and tell which rows that changes."""

        workspace = self._workspace
        with workspace.lock:
            before = {line.n: workspace.labelled.json(line.run.id) for line in workspace.lines}
            workspace.labelled.take(known)
            workspace.revision += 1
            mask = workspace.mask
            rows = [
                workspace.row(line, mask)
                for line in workspace.lines
                if workspace.labelled.json(line.run.id) != before[line.n]
            ]
        workspace.publish({"type": "rows", "revision": workspace.revision, "rows": rows})

    def _labels(self) -> Place:
        """Return the file of labels: the one that was named, or one beside the runs."""
        own = self._workspace.labelled.own
        if own is not None:
            return named_place(own.file)
        folder = _folder_of(next(iter(self._workspace.paths), os.curdir))
        try:
            return project_place(self._project, os.path.join(folder, FILE_NAME))
        except ExitgateError:
            # Sessions of agents are elsewhere: their labels are the project's.
            return project_place(self._project, os.path.join(self._project, FILE_NAME))

    def _renew(self) -> None:
        self._workspace.notes = (*self._workspace.notes, *renew(self._workspace))

    def _shown(self, found: Proposal) -> Mapping[str, object]:
        mask = self._workspace.mask
        files = [
            {"path": one.place.path, "new": one.old is None, "diff": diff(one, mask.cover)}
            for one in found.changes
        ]
        return {"ticket": found.ticket, "files": files, "remarks": list(found.remarks)}


def _covers_other(column: Column) -> bool:
    """Return whether consent to commands covers something else under the draft."""
    before, after = column.saved.policy, column.settled.policy
    return (asks(before) or asks(after)) and covered(before) != covered(after)


def _read(raw: bytes, file: str) -> Labels:
    """Return the labels of a file, none of an empty one. Raises `ExitgateError` as `labels.read`."""
    text = text_of(raw, file)
    return read_labels(text, file) if has_content(text) else Labels((), file)


def _folder_of(path: str) -> str:
    """Return the last folder on a way that is there: globs and addresses have parts that are not."""
    if os.path.isdir(path):
        return path
    above = os.path.dirname(path)
    return os.curdir if above in ("", path) else _folder_of(above)


def _paths(changes: Sequence[Change]) -> list[str]:
    return [one.place.path for one in changes]


def _relabelled(text: str, file: str, run: str, label: Label | None) -> str:
    """Return the text of a file of labels with another label for a run."""
    try:
        return with_label(text, file, run, label)
    except NotEditableError as error:
        message = f"`{file}` cannot be changed without a risk to what else it says: {error}"
        raise refusal(message, "change it by hand") from None


def _label(asked: _Labelled, run: str, iterations: int) -> Label | None:
    if asked.stop is None:
        return None
    bounds = stop_of(asked.stop)
    if bounds is None or bounds[1] > iterations:
        raise refusal(
            f"`{asked.stop[:80]}` is not a stop of this run", f"`4`, `4-5`, `never`; at most {iterations}"
        )
    unknown = [one for one in asked.classes if one not in CLASSES]
    if unknown:
        raise refusal(f"`{unknown[0][:80]}` is not a class", f"one of {', '.join(CLASSES)}")
    note = " ".join(asked.note.split())[:LONGEST]
    if bounds == (0, 0):
        if asked.classes:
            raise refusal("a run that should not have stopped has no class", "leave out the class")
        return Label(run, None, None, never=True, note=note)
    return Label(run, *bounds, classes=tuple(dict.fromkeys(asked.classes)), note=note)
