"""
What the user allowed: a file of the user's own, which no project, preset or policy can name.

`exitgate plugins allow` writes it beside the settings. It holds, by name of the distribution, the digest of
its files.
"""

from __future__ import annotations

import os

from exitgate import opening, system
from exitgate.model.quick_json import dumps, loads
from exitgate.model.value import Value
from exitgate.plugins.content import Unfit, is_same
from exitgate.plugins.project import is_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from exitgate.plugins.content import Stamp

NAME = "plugins.json"
FORM = 1
_LIMIT = 8_000_000
_OTHERS_WRITE = 0o022
#: Seconds that a change waits for another one.
WAIT = 10.0


class Permission(Value):
    """
    One distribution that the user allowed.

    Args:
        distribution, version: As it calls itself.
        digest: Of its files.
        root: Folder that it is imported from, without links.
        tops: Its files and folders directly below the root.
        points: Id of an extractor -> its module.
        files: Stamps of its files when it was allowed.
    """

    __slots__ = ("digest", "distribution", "files", "points", "root", "tops", "version")

    def __init__(
        self,
        distribution: str,
        version: str,
        digest: str,
        root: str,
        tops: Sequence[str],
        points: Mapping[str, str],
        files: Sequence[Stamp] | Sequence[list[Any]],
    ) -> None:
        self.distribution = distribution
        self.version = version
        self.digest = digest
        self.root = root
        self.tops = tuple(tops)
        self.points = dict(points)
        self.files: tuple[Stamp, ...] = tuple(
            (str(path), int(size), int(written), int(changed), int(node))
            for path, size, written, changed, node in files
        )

    def why_not(self, folders: Sequence[str]) -> str:
        """
        Return why it may not run now, as a sentence part behind its name; empty where it may.

        Args:
            folders: Those of the project (`exitgate.plugins.project`): nothing is imported from there.
        """
        if os.path.realpath(self.root) != self.root:
            return "is behind a link by now"
        if is_inside(self.root, folders):
            return "is inside the project, from where nothing is imported"
        try:
            same = is_same(self.root, self.tops, self.files, self.digest)
        except Unfit as unfit:
            return f"cannot be checked: {unfit}"
        return "" if same else "changed since you allowed it"


def place(environment: Mapping[str, str]) -> str:
    """Return the path of the file, whether it exists or not."""
    return os.path.join(system.settings_folder(environment), NAME)


def read(environment: Mapping[str, str], folders: Sequence[str]) -> dict[str, Permission]:
    """
    Return what the user allowed, by distribution.

    Raises:
        Unfit: The file is not the user's alone: inside the project, another user's, writable by others, a
            link; or it is not one that `exitgate plugins allow` wrote.
    """
    path = place(environment)
    if is_inside(path, folders) and os.path.lexists(path):
        raise Unfit(f"`{path}` is inside the project; permissions are the user's own")
    try:
        descriptor = opening.reading(path, limit=_LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise Unfit(f"`{path}` cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        above = os.path.dirname(path)
        for one, status in ((path, os.fstat(descriptor)), (above, os.stat(above))):
            if system.owner(status) != system.user() or system.rights(status) & _OTHERS_WRITE:
                raise Unfit(f"other users can write to `{one}`, which `chmod go-w` would end")
        raw = opening.all_of(descriptor, _LIMIT)
    finally:
        os.close(descriptor)
    try:
        plain = loads(raw.decode("utf-8"))
        assert isinstance(plain, dict)
        assert plain["form"] == FORM
        return {name: _permission(name, one) for name, one in plain["allowed"].items()}
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError) as error:
        raise Unfit(f"`{path}` is not as `exitgate plugins allow` writes it") from error


def _permission(name: str, plain: Mapping[str, Any]) -> Permission:
    """Return a permission as it was written. Raises TypeError or AssertionError for anything else."""
    one = Permission(name, **plain)
    texts = (one.version, one.digest, one.root, *one.tops, *one.points, *one.points.values())
    assert all(isinstance(text, str) and "\0" not in text for text in texts)
    assert os.path.isabs(one.root)
    return one


def change(
    environment: Mapping[str, str],
    folders: Sequence[str],
    edit: Callable[[dict[str, Permission]], None],
) -> str:
    """
    Change what is allowed, for this user alone; return the path of the file.

    One process at a time: what another one allowed meanwhile is kept.

    Args:
        environment, folders: As for `read`.
        edit: Changes the permissions, by distribution, as they are now. What it raises is raised.

    Raises:
        Unfit: As `read`.
        OSError: It cannot be written; TimeoutError where another process does not finish.
    """
    import time

    path = place(environment)
    folder = os.path.dirname(path)
    opening.make_folder(folder)
    lock = opening.writing(os.path.join(folder, f"{NAME}.lock"), read=True)
    try:
        try:
            system.lock_until(lock, time.monotonic() + WAIT)
        except BlockingIOError:
            raise TimeoutError(f"another process has kept it locked for {WAIT:g} s") from None
        permissions = read(environment, folders)
        edit(permissions)
        plain = {
            one.distribution: {
                key: getattr(one, key) for key in Permission.__slots__ if key != "distribution"
            }
            for one in permissions.values()
        }
        opening.replace_in(folder, NAME, dumps({"form": FORM, "allowed": plain}).encode("utf-8"))
    finally:
        os.close(lock)
    return path
