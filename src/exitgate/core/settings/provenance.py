"""Who set what: every effective value with the whole chain of layers that wrote one."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.compiled import CompiledPolicy

    #: What the layers wrote for one thing, from low to high; the last is in force.
    Chain = tuple["Setting", ...]


class Setting(Value):
    """
    One layer's word on one thing.

    Args:
        layer: One of `exitgate.core.settings.files.LAYERS`, or ``default``.
        value: Run-time value of a parameter; mode of a rule, or ``disabled``; items of a list; a name.
        place: Where it is written, or None where no file says it.
        why: The reason given, or empty.
        until: The date given, ``2027-03-01``, or empty.
    """

    __slots__ = ("layer", "place", "until", "value", "why")

    def __init__(
        self, layer: str, value: object, place: Location | None, why: str = "", until: str = ""
    ) -> None:
        self.layer = layer
        self.value = value
        self.place = place
        self.why = why
        self.until = until


class Read(Value):
    """A file that was read as a layer: the kind of layer, its name, its path, the digest of its bytes."""

    __slots__ = ("digest", "file", "layer", "path")

    def __init__(self, layer: str, file: str, path: str, digest: str) -> None:
        self.layer = layer
        self.file = file
        self.path = path
        self.digest = digest


class Settled(Value):
    """
    A policy with all layers applied, and who set what.

    Args:
        policy: Ready to decide.
        chosen: Who chose the policy; values are references as written.
        profile: Who chose a profile; empty when none is in force.
        mode: Who set a mode for the whole policy; empty if it is not set.
        parameters: Parameter -> chain; the first entry is the policy's default.
        rules: Rule -> chain of modes, for every rule of the policy, disabled ones included.
        lists: List -> chain, for every list of the policy.
        profiles: Names of the policy's profiles.
        read: Files of settings that were read, from low to high.
        files: Path -> hex digest of every file that was read, policies and lexicons included.
        hooks: Key below `hooks:` -> chain, for every key that a layer has.
        changes: Path, such as ``rules.stagnation.when``, -> chain, for every value of rules, facts,
            conditions and views, and for those of lexicons and sources that a layer set.
        lexicons: Names of the lexicons that the policy reads.
    """

    __slots__ = (
        "changes", "chosen", "files", "hooks", "lexicons", "lists", "mode", "parameters", "policy", "profile",
        "profiles", "read", "rules",
    )  # fmt: skip

    def __init__(
        self,
        policy: CompiledPolicy,
        chosen: Chain,
        profile: Chain,
        mode: Chain,
        parameters: Mapping[str, Chain],
        rules: Mapping[str, Chain],
        lists: Mapping[str, Chain],
        profiles: tuple[str, ...],
        read: tuple[Read, ...],
        files: Mapping[str, str],
        hooks: Mapping[str, Chain] | None = None,
        changes: Mapping[str, Chain] | None = None,
        lexicons: tuple[str, ...] = (),
    ) -> None:
        self.policy = policy
        self.chosen = chosen
        self.profile = profile
        self.mode = mode
        self.parameters = parameters
        self.rules = rules
        self.lists = lists
        self.profiles = profiles
        self.read = read
        self.files = files
        self.hooks = hooks or {}
        self.changes = changes or {}
        self.lexicons = lexicons


# Codes of diagnostics on layers; those they share with policies are in `exitgate.core.policy.codes`.

CODES = {
    "EP448": "a setting that means something else in another policy",
    "EP449": "settings of a scheme that was not chosen",
    "EP479": "the date of an exception has passed",
    "EP484": "settings in a place that exitgate does not read",
    "EP485": "a setting that only another policy has",
    "EP486": "a rule change without effect, or one that contradicts itself",
    "EP487": "no such rule",
    "EP488": "a preset that cannot be used",
    "EP489": "two variables set one parameter",
    "EP507": "an unknown time zone",
    "EP508": "a probe that is not defined",
    "EP509": "a probe that cannot be asked",
}
