"""
The files of a wheel that are taken, in memory: nothing is built, installed, imported or written.

They are the YAML files below the folder that is called like the package, and its terms of use. A member that
no honest wheel has makes the whole wheel refused, even if it would not be taken.
"""

from __future__ import annotations

import io
import stat
import zipfile
import zlib

from exitgate.core.policy.locked import files
from exitgate.core.policy.locked.files import Refused, fault_of_name, is_taken, shown
from exitgate.fleet.packages.fetched import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


#: Members that are looked at, how many bytes all of them say to have, and how far one may be compressed.
MEMBERS, WHOLE, RATIO = 5000, 64 * 1024 * 1024, 200
#: Bytes of a member that may be compressed as far as it likes.
_SMALL = 64 * 1024
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: Where the terms of use are kept among the files.
TERMS = "licenses/"
#: What a damaged archive makes the library raise.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError, ValueError,
    LookupError, ArithmeticError, MemoryError, TypeError,
)  # fmt: skip


def take(raw: bytes, name: str) -> dict[str, bytes]:
    """
    Return name -> content of the files that are taken from a wheel.

    Args:
        raw: The wheel.
        name: Canonical name of the package.

    Raises:
        RefusedError: It is damaged, has a member that is refused, too much of something, or nothing to take.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            found = dict(_members(archive, name))
            sizes = {kept: member.file_size for kept, member in found.items()}
            files.check(sizes)
            contents = {kept: _content(archive, member) for kept, member in found.items()}
    except Refused as refused:
        raise RefusedError(str(refused)) from refused
    except _DAMAGE as error:
        raise RefusedError(f"it is not a sound archive: {shown(str(error))}") from error
    if not any(kept.endswith((".yaml", ".yml")) for kept in contents):
        help = "policies of a package are in the folder that is called like it, with `_` for `-`"
        raise RefusedError(f"there is no YAML file below `{folder_of(name)}`", help)
    return contents


def folder_of(name: str) -> str:
    """Return the folder of a wheel from which names start."""
    return name.replace("-", "_") + "/"


def _members(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Yield the members that are taken, each with the name it gets; Refused for any that is not right."""
    members = archive.infolist()
    if len(members) > MEMBERS:
        raise Refused(f"it has more than {MEMBERS} members")
    if sum(one.file_size for one in members) > WHOLE:
        raise Refused(f"its members have more than {WHOLE} bytes")
    names: set[str] = set()
    for one in members:
        _check(one)
        if not one.is_dir():
            if one.filename in names:
                raise Refused(f"`{shown(one.filename)}` is in it twice")
            names.add(one.filename)
            kept = _kept(one.filename, name)
            if kept:
                yield kept, one
    files.check_distinct(sorted(names))


def _check(member: zipfile.ZipInfo) -> None:
    """Raise Refused for a member that is neither a plain file nor a folder, or grows too much."""
    name = member.filename
    fault = fault_of_name(name.removesuffix("/")) if member.orig_filename == name else "has a NUL"
    if fault:
        raise Refused(f"the name `{shown(member.orig_filename)}` {fault}")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or (kind == stat.S_IFDIR) > member.is_dir():
        raise Refused(f"`{shown(name)}` is a link, a device or something else than a file")
    if member.flag_bits & _ENCRYPTED or member.compress_type not in _METHODS:
        raise Refused(f"`{shown(name)}` is encrypted, or compressed in an unusual way")
    if member.file_size > max(_SMALL, RATIO * member.compress_size):
        raise Refused(f"`{shown(name)}` becomes more than {RATIO} times as large")


def _kept(name: str, package: str) -> str:
    """Return the name that a member gets among the files; empty for one that is not taken."""
    folder = folder_of(package)
    if name.startswith(folder):
        inner = name.removeprefix(folder)
        return inner if is_taken(inner) else ""
    above, _, inner = name.partition("/")
    if not above.endswith(".dist-info"):
        return ""
    inner = inner.removeprefix(TERMS)
    return TERMS + inner if is_taken(inner) and not inner.endswith((".yaml", ".yml")) else ""


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return what a member holds, never more than it says."""
    with archive.open(member) as stream:
        content = stream.read(member.file_size + 1)
    if len(content) != member.file_size:
        raise Refused(f"`{shown(member.filename)}` has another size than it says")
    return content
