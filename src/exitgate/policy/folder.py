"""The policy that a folder means: its `policy.yaml`, else the only file in it that is a policy."""

from __future__ import annotations

import os

from exitgate import opening

FILE_NAME = "policy.yaml"
ENDINGS = (".yaml", ".yml")
#: A policy file has this key at the beginning of a line.
KEY = b"policy:"
#: Files of a folder that are looked into; a folder with more is not a folder of policies.
MOST = 200


def policies_in(folder: str) -> list[str]:
    """Return the names of the policy files in a folder: ``policy.yaml`` alone where there is one."""
    try:
        names = sorted(name for name in opening.names(folder, links=True) if name.endswith(ENDINGS))
    except OSError:
        return []
    return [FILE_NAME] if FILE_NAME in names else [n for n in names[:MOST] if _is_policy(folder, n)]


def _is_policy(folder: str, name: str) -> bool:
    from exitgate.policy.library import Unreadable, read_bytes

    try:
        content = read_bytes(os.path.join(folder, name))
    except (Unreadable, OSError):
        return False
    return content.startswith(KEY) or b"\n" + KEY in content
