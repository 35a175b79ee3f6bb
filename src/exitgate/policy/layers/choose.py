"""Which policy decides, and which of its profiles."""

from __future__ import annotations

import os

from exitgate import system
from exitgate.model.place import Place
from exitgate.model.value import Value
from exitgate.policy import shipped
from exitgate.policy.layers.places import COMMAND_LINE, DEFAULT, PROJECT, shown
from exitgate.policy.library import is_path
from exitgate.policy.parameters import COMMAND_LINE as TYPED
from exitgate.policy.provenance import Setting
from exitgate.policy.reach import is_within, reach_of
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.findings import Findings
    from exitgate.policy.layers.documents import Layer
    from exitgate.policy.layers.places import Asked
    from exitgate.policy.layers.scopes import Scope
    from exitgate.policy.part import Part
    from exitgate.policy.provenance import Chain


class Chosen(Value):
    """
    The policy that decides.

    Args:
        reference: Name or path as `exitgate.policy.compile.load_policy` takes it; None after an error.
        chain: Who named one.
        others: References of policies that lower layers named.
        seen: For each layer the policy that decides as far as it and those below it say.
    """

    __slots__ = ("chain", "others", "reference", "seen")

    def __init__(
        self, reference: str | None, chain: Chain, others: tuple[str, ...], seen: tuple[str | None, ...]
    ) -> None:
        self.reference = reference
        self.seen = seen
        self.chain = chain
        self.others = others


def choose_policy(asked: Asked, layers: Sequence[Layer], findings: Findings) -> Chosen:
    """
    Return the policy that the highest layer names; report a missing one (EP810).

    A path in a file starts from that file's folder, one that was typed from the working directory.
    """
    chain = [Setting(DEFAULT, asked.default, None)]
    references: list[str | None] = [asked.default]
    seen: list[str | None] = []
    for layer in layers:
        part = layer.section.get("policy")
        if part is not None:
            chain.append(Setting(layer.read.layer, part.text, part.place))
            references.append(_reference(part, layer, asked))
        seen.append(references[-1])
    if asked.policy is not None:
        chain.append(Setting(COMMAND_LINE, asked.policy, Place(TYPED)))
        references.append(asked.policy)
    elif len(references) > 1 and references[-1] is None:
        part, layer = _last(layers)
        _report_missing(part, layer, asked, findings)
    others = tuple(reference for reference in references[:-1] if reference is not None)
    return Chosen(references[-1], tuple(chain), others, tuple(seen))


def _last(layers: Sequence[Layer]) -> tuple[Part, Layer]:
    found = [layer for layer in layers if layer.section.get("policy") is not None]
    return found[-1].section.fields["policy"], found[-1]


def _path(part: Part, layer: Layer) -> str:
    return os.path.abspath(os.path.join(layer.folder, os.path.expanduser(part.text)))


def _reference(part: Part, layer: Layer, asked: Asked) -> str | None:
    """Return the arguments for `load_policy`, or None if there is nothing to load."""
    if not is_path(part.text):
        return part.text if part.text in shipped.policies() else None
    path = _path(part, layer)
    if not os.path.exists(path) or _leads_out(path, layer, asked):
        return None
    name = shown(path, asked.root)
    return name if is_path(name) and not name.startswith("~") else path


def _leads_out(path: str, layer: Layer, asked: Asked) -> bool:
    """Return whether the project's own settings name a file outside its repository."""
    return layer.read.layer == PROJECT and not is_within(path, reach_of(layer.folder, asked.root))


def _report_missing(part: Part, layer: Layer, asked: Asked, findings: Findings) -> None:
    if not is_path(part.text):
        help = suggestion(part.text, shipped.policies(), "shipped policies")
        if os.path.isfile(_path(part, layer)):
            help = f"a path has a `/`: write `./{part.text}`"
        findings.error("EP810", f"there is no policy `{part.text}`", part.place, help)
        return
    path = _path(part, layer)
    if _leads_out(path, layer, asked):
        help = "move the policy into the repository, or name it on the command line"
        findings.error("EP444", f"`{part.text}` leads out of the project", part.place, help)
        return
    help = f"a path is relative to the folder of this file; looked for it at `{shown(path, asked.root)}`"
    from_above = os.path.join(os.path.dirname(layer.folder), os.path.expanduser(part.text))
    if os.path.isfile(from_above):
        right = system.relative(from_above, layer.folder)
        help = f"a path is relative to the folder of this file: write `{right}`"
    findings.error("EP810", f"there is no policy file `{part.text}`", part.place, help)


def choose_profile(
    asked: Asked, scopes: Sequence[Scope], profiles: Sequence[str], findings: Findings
) -> tuple[Chain, int]:
    """
    Return who chose the profile, and the scope of its values.

    The chain goes from low to high; the last is in force, none when it is empty. The values of a
    profile rank below the settings of the scope that chose it, and above all lower ones. A typed
    one ranks above all scopes.

    `project.type` counts where the policy has a profile of that name, and gives way to `profile:` of
    the same layer. Reports a profile that the policy does not have (EP478).
    """
    chain: list[Setting] = []
    at = 0
    for number, scope in enumerate(scopes):
        before = len(chain)
        if scope.type is not None and scope.type.text in profiles:
            chain.append(Setting(scope.kind, scope.type.text, scope.type.place))
        part = scope.section.get("profile")
        if part is not None:
            chain.append(Setting(scope.kind, part.text, part.place))
        at = number if len(chain) > before else at
    if asked.profile is not None:
        chain.append(Setting(COMMAND_LINE, asked.profile, Place(TYPED)))
        at = len(scopes)
    if chain and chain[-1].value not in profiles:
        name = str(chain[-1].value)
        help = suggestion(name, profiles, "profiles")
        findings.error("EP478", f"the policy has no profile `{name}`", chain[-1].place, help)
    return tuple(chain), at
