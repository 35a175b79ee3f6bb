"""What is here for a setting of another project, policy by policy, or why nothing does."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Setting(Value):
    """
    A setting of another project.

    Args:
        name: As that project calls it; a `*` at its end stands for any letters.
        why: Why nothing stands for it in a policy that `to` does not name.
        to: Policy -> the parameters that take its value.
    """

    __slots__ = ("name", "to", "why")

    def __init__(self, name: str, why: str = "", to: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.name = name
        self.why = why
        self.to = to or {}

    def fits(self, name: str) -> bool:
        """Return whether `name` is this setting's."""
        return name.startswith(self.name[:-1]) if self.name.endswith("*") else name == self.name


class Project(Value):
    """
    A project whose settings can be taken over.

    Args:
        id: The word behind `exitgate import`.
        files: Where its settings lie, in the order in which they are looked for.
        policies: Policies that its settings can go to, the usual one first.
        settings: What is known of them.
        prefixes: What the names of its variables begin with; others of the environment are not its.
        aside: A remark for the head of the file, or the empty text.
        beside: File -> the name that its settings are known under here: files of the same project whose
            settings are reported and not taken over.
        strict: Whether a file without any of its settings is another tool's.
    """

    __slots__ = ("aside", "beside", "files", "id", "policies", "prefixes", "settings", "strict")

    def __init__(
        self,
        id: str,
        files: tuple[str, ...],
        policies: tuple[str, ...],
        settings: tuple[Setting, ...],
        prefixes: tuple[str, ...] = (),
        aside: str = "",
        beside: Mapping[str, str] | None = None,
        strict: bool = False,
    ) -> None:
        self.id = id
        self.files = files
        self.policies = policies
        self.settings = settings
        self.prefixes = prefixes
        self.aside = aside
        self.beside = beside or {}
        self.strict = strict

    def setting(self, name: str) -> Setting | None:
        """Return what is known of a setting, or None."""
        return next((one for one in self.settings if one.fits(name)), None)
