"""A policy by name or path, from the user's cache where nothing it was made of has changed."""

from __future__ import annotations

import os

from exitgate.policy.cache import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.cache import Loaded
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.policy.seen import Seen

_NOTHING: Mapping[str, str] = {}


def recall_policy(
    reference: str,
    *,
    settings: Mapping[str, str] = _NOTHING,
    base: str | None = None,
    profile: str | None = None,
) -> Loaded:
    """
    Return what `exitgate.policy.compile.load_policy` returns for the same arguments, and how it was had.

    Raises:
        ExitgateError: As `load_policy`.
    """

    def make(seen: Seen) -> CompiledPolicy:
        from exitgate.policy.compile import load_policy

        return load_policy(reference, settings=settings, base=base, profile=profile, seen=seen)

    pairs = [text for name, value in sorted(settings.items()) for text in (name, value)]
    # HOME: a policy may name files by `~`.
    home = os.environ.get("HOME", "")
    folder = os.path.abspath(base or os.getcwd())
    return load([reference, folder, home, str(profile is not None), profile or "", *pairs], make)
