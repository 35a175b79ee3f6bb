"""A policy as the studio changes it: where it comes from, and a draft that no file has yet."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Mapping

from msgspec import Struct

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.reading import reading
from exitgate.core.policy.sections.parameters import RESERVED
from exitgate.core.settings.files import SET_PREFIX, SettingsRequest
from exitgate.core.settings.load import load_settled, settled_as_written
from exitgate.core.settings.provenance import Settled
from exitgate.core.state.discover import DEFAULT_POLICY
from exitgate.core.system import safe_files
from exitgate.surfaces.studio.workspace.refusal import refusal

#: Why a rule does not decide in a draft: settings ask for a reason.
WHY = "tried in the studio"
#: Bytes of a policy's text.
LARGEST = 1 << 20
#: Values that a draft can give a parameter.
Value = bool | int | float | str | list[int | float | str]


class Draft(Struct, frozen=True, forbid_unknown_fields=True):
    """
    A change of a policy that is not saved.

    Args:
        values: Parameter -> its value.
        before: Rule -> the rule that it is moved before, in the order in which they were moved.
        disabled: Rules that are left out.
        shadow: Rules whose decision is only recorded.
        text: The text of the policy's own file, None where it is as it is on disk.
    """

    values: Mapping[str, Value] = {}
    before: Mapping[str, str] = {}
    disabled: tuple[str, ...] = ()
    shadow: tuple[str, ...] = ()
    text: str | None = None

    def settings(self) -> dict[str, object]:
        """Return what settings would say of it below `exit_decision`; the text is not part of it."""
        rules: dict[str, dict[str, object]] = {}
        for rule, other in self.before.items():
            rules.setdefault(rule, {})["before"] = other
        for rule in self.disabled:
            rules.setdefault(rule, {}).update(disabled=True, why=WHY)
        for rule in self.shadow:
            if rule not in self.disabled:
                rules.setdefault(rule, {}).update(mode="shadow", why=WHY)
        found: dict[str, object] = dict(self.values)
        return {**found, "rules": rules} if rules else found


def difference(found: CompiledPolicy, wanted: CompiledPolicy) -> str:
    """Return what of a policy is not as wanted, in words; empty where values and rules are the same."""
    for name, one in wanted.parameters.items():
        other = found.parameters.get(name)
        if other is None or other.value != one.value:
            return f"`{name}`"
    chains = [[(rule.id, rule.mode, rule.text) for rule in one.rules] for one in (found, wanted)]
    return "" if chains[0] == chains[1] else "the order or the mode of rules"


def text_of(path: str) -> tuple[str, bool]:
    """Return the text of a policy's file, and whether that is it: else it says why it cannot be read."""
    try:
        return safe_files.content(path, LARGEST, links=True).decode("utf-8"), True
    except OSError as error:
        return f"# {path}: {error.strerror}\n", False
    except UnicodeDecodeError as error:
        return f"# {path}: {error.reason} in line {1 + error.object[: error.start].count(10)}\n", False


class Origin(Struct, frozen=True):
    """
    Where a policy comes from.

    Args:
        name: What it is called here.
        reference: Name of a shipped policy, or a path; None for the policy in force in the project.
        settings: Parameter -> text, as given on the command line.
        root: Folder of the project.
    """

    name: str
    reference: str | None
    settings: Mapping[str, str]
    root: str

    @property
    def in_force(self) -> bool:
        """Whether the files of settings count: a policy that is named is asked as it was written."""
        return self.reference is None

    def settled(self, draft: Draft = Draft()) -> Settled:  # noqa: B008
        """
        Return the policy with a draft applied, and who set what.

        Raises:
            ExitgateError: With all that is wrong with the draft, or with the policy.
        """
        for name in draft.values:
            if name in RESERVED or name.startswith("x-"):  # words of the settings, such as `policy`
                raise refusal(f"`{name}` is not a parameter", "draft a parameter of the policy")
        settings = draft.settings()
        layer = json.dumps({"exit_decision": settings}) if settings else ""
        texts: dict[str, bytes] = {}
        if draft.text is not None:
            own = self.file()
            if own is None:
                raise refusal(f"`{self.name}` has no file of its own", "change its parameters and rules")
            texts[own] = draft.text.encode("utf-8", "surrogatepass")
        return reading(texts, lambda: self._settled(layer, draft.values))

    def _settled(self, layer: str, drafted: Container[str] = ()) -> Settled:
        # What a variable or the command line sets is above a layer: a draft that sets it means its own value.
        settings = {name: text for name, text in self.settings.items() if name not in drafted}
        if self.reference is not None:
            return settled_as_written(self.reference, settings, layer, self.root)
        environment = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(SET_PREFIX) or name.removeprefix(SET_PREFIX).lower() not in drafted
        }
        asked = SettingsRequest(DEFAULT_POLICY, None, settings, self.root, environment, layer=layer)
        return load_settled(asked)

    def file(self) -> str | None:
        """Return the path of the policy's own file, links resolved; None for a shipped policy."""
        try:
            path = self._settled("").policy.path
        except ExitgateError:
            if self.reference is None or not os.path.exists(self.reference):
                return None
            path = self.reference
        return None if path.startswith(shipped.ELSEWHERE) else os.path.realpath(path)

    def text(self) -> str | None:
        """Return the text of the policy's own file; None where it has none that can be read."""
        own = self.file()
        text, readable = ("", False) if own is None else text_of(own)
        return text if readable else None
