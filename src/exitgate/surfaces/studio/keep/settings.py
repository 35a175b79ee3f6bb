"""A draft of a policy as settings of the project: `.bb3/config.yaml` with what is not as it was."""

from __future__ import annotations

import os
from collections.abc import Mapping

from exitgate.analysis.yaml_values import NotEditableError, set_value
from exitgate.core.model.value import with_unit
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.reading import reading
from exitgate.core.settings.files import PROJECT_FILE, SettingsRequest, project_file, project_folder
from exitgate.core.settings.load import load_settled
from exitgate.core.settings.sections import SECTION
from exitgate.core.state.discover import DEFAULT_POLICY
from exitgate.surfaces.studio.keep.files import Change, project_place, read
from exitgate.surfaces.studio.workspace.column import Column
from exitgate.surfaces.studio.workspace.policies import Draft, Origin, difference
from exitgate.surfaces.studio.workspace.refusal import refusal


def change_of_settings(column: Column, project: str, why: str) -> Change:
    """
    Return the project's settings with which a policy is as it is drafted, its text apart.

    A policy that is named has its settings below `policies:`, where they count while it decides.

    Args:
        column: The policy and its draft.
        project: Folder that the studio may write in.
        why: Why rules do not decide, in a person's words; may be empty where none is disabled or in shadow.

    Raises:
        ExitgateError: The file cannot be changed, or another layer would have the last word.
    """
    origin = column.origin
    path = project_file(origin.root, os.environ)
    if path is None:
        path = os.path.join(project_folder(origin.root, os.environ), *PROJECT_FILE.split("/"))
    place = project_place(project, path)
    old = read(place)
    policy = column.settled.policy
    within: tuple[str, ...] = () if origin.in_force else ("policies", policy.name)
    text = "" if old is None else text_of(old, place.path)
    try:
        for keys, value in changed_settings(column.draft, policy, why):
            text = set_value(text, (SECTION, *within, *keys), value)
    except NotEditableError as error:
        message = f"`{place.path}` cannot be changed without a risk to what else it says: {error}"
        raise refusal(message, "change it by hand") from None
    change = Change(place, old, text.encode())
    real = None if old is None else place.whole
    found = _with_settings(column.origin, real, text)
    wrong = difference(found, column.settled.policy)
    if wrong:
        message = f"{wrong} would not be as drafted: another file, a variable or `--set` has the last word"
        raise refusal(message, "`exitgate config` shows which one")
    return change


def changed_settings(draft: Draft, policy: CompiledPolicy, why: str) -> list[tuple[tuple[str, ...], object]]:
    """Return what a draft says as paths below the section and their values."""
    found: list[tuple[tuple[str, ...], object]] = [
        ((name,), with_unit(value, policy.parameters[name].type)) for name, value in draft.values.items()
    ]
    found += [(("rules", rule, "before"), other) for rule, other in draft.before.items()]
    for rule in draft.disabled:
        found += [(("rules", rule, "disabled"), True), (("rules", rule, "why"), why)]
    for rule in draft.shadow:
        if rule not in draft.disabled:
            found += [(("rules", rule, "mode"), "shadow"), (("rules", rule, "why"), why)]
    return found


def _with_settings(origin: Origin, path: str | None, text: str) -> CompiledPolicy:
    """Return the policy as the project would have it with other settings; `path` is None for a new file."""
    if path is None:
        # Only a file that is there is looked for: a new one is tried as the layer above all files.
        return _settled(origin, text)
    return reading({path: text.encode()}, lambda: _settled(origin, ""))


def _settled(origin: Origin, layer: str) -> CompiledPolicy:
    values: Mapping[str, str] = origin.settings
    asked = SettingsRequest(DEFAULT_POLICY, origin.reference, settings=values, root=origin.root, layer=layer)
    return load_settled(asked).policy


def text_of(raw: bytes, path: str) -> str:
    """Return the text of a file. Raises `ExitgateError` where it is not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise refusal(f"`{path}` is not UTF-8", "save it as UTF-8") from None
