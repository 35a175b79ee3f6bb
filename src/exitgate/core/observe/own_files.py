"""exitgate's own files of a project: what decides, and the settings that it is chosen and set by."""

from __future__ import annotations

import os

from exitgate.core.model.json_object import array_of
from exitgate.core.settings.files import PROJECT, PROJECT_FILE, files
from exitgate.core.system.folders import LOCK_FILE, folders_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.request import Request


def own_files(request: Request, policy: CompiledPolicy) -> tuple[str, ...]:
    """
    Return the policy's file and the files of all layers of settings, absolute, each once.

    The project's is among them where there is none yet: one could be written.
    """
    found = [policy.path] if policy.path else []
    for layer, path in files(request.root, os.environ):
        if path is not None:
            found.append(path)
        elif layer == PROJECT:
            found.append(os.path.join(request.root, PROJECT_FILE))
    # a preset that a file names is known by having been read
    found += [os.path.expanduser(str(array_of(one)[1])) for one in array_of(policy.layers.get("read"))]
    if "fetched" in policy.layers:
        found += [os.path.join(folder, LOCK_FILE) for folder in folders_up(request.root, os.environ)]
    mine = (path for path in found if not path.startswith(("pypi:", "git+")))
    return tuple(dict.fromkeys(map(os.path.abspath, mine)))
