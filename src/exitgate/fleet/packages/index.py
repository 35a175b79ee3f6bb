"""
Wheels of a Python index: an https server with the JSON of the simple API, or a folder of wheels.

Which index it is, the user says: the command line, `EXITGATE_INDEX_URL` or `PIP_INDEX_URL`. No project does,
and there is never a second one: a package of the same name elsewhere is not looked at.
"""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urljoin

from exitgate.core.model.json_object import JsonObject, object_of
from exitgate.core.model.value import Value
from exitgate.core.policy.extending.semver import accepts
from exitgate.core.policy.locked.reference import canonical
from exitgate.core.policy.locked.unpacked import padded
from exitgate.core.system import safe_files
from exitgate.fleet.packages.fetched import FetchError, RefusedError
from exitgate.fleet.packages.web import Web, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol

    class Index(Protocol):
        """Where wheels come from."""

        def wheels(self, name: str) -> list[Wheel]:
            """Return the wheels of a package that run everywhere, in no order. Raises FetchError."""

        def content(self, wheel: Wheel) -> bytes:
            """Return a wheel whose SHA-256 is the one that is listed. Raises FetchError."""

        def provenance(self, wheel: Wheel) -> bytes:
            """Return the attestations of a wheel, empty for none. Raises FetchError."""


#: The index where the user names none.
DEFAULT = "https://pypi.org/simple/"
VARIABLES = ("EXITGATE_INDEX_URL", "PIP_INDEX_URL")
#: Bytes of a list of files, of a wheel, of its attestations.
LISTING, WHEEL, PROVENANCE = 32_000_000, 16_000_000, 4_000_000
#: Begins an index that is a folder of wheels, absolute or from here.
_FOLDER = "file:"
_JSON = "application/vnd.pypi.simple.v1+json"
#: A wheel that runs everywhere, without a build number.
_WHEEL = re.compile(r"([A-Za-z0-9_.]{1,100})-([0-9A-Za-z.!+_]{1,50})-[A-Za-z0-9_.]{1,50}-none-any\.whl")
_VERSION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}){0,2}")
_SHA = re.compile(r"[0-9a-f]{64}")


class Wheel(Value):
    """
    A wheel that an index lists.

    Args:
        file: Its name.
        version: From its name.
        url: Where it is; a path for one of a folder.
        sha256: What it has to have.
        provenance: URL of its attestations; empty for none.
        yanked: It is taken if it is pinned already, not otherwise.
    """

    __slots__ = ("file", "provenance", "sha256", "url", "version", "yanked")

    def __init__(
        self, file: str, version: str, url: str, sha256: str, provenance: str = "", yanked: bool = False
    ) -> None:
        self.file = file
        self.version = version
        self.url = url
        self.sha256 = sha256
        self.provenance = provenance
        self.yanked = yanked


def index_of(named: str | None, environment: Mapping[str, str]) -> Index:
    """
    Return the index that the user names.

    Args:
        named: On the command line; None for none.
        environment: May name one.

    Raises:
        FetchError: It is neither https nor a folder.
    """
    url = named or next(filter(None, (environment.get(name) for name in VARIABLES)), DEFAULT)
    if url.startswith(_FOLDER):
        return Folder(unquote(url.removeprefix(_FOLDER).removeprefix("//")))
    return Simple(url if url.endswith("/") else f"{url}/")


class Simple:
    """An index over https."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._web = Web(url)

    def wheels(self, name: str) -> list[Wheel]:
        """Return what the index lists under a canonical name."""
        answer = self._web.get(f"{self._url}{name}/", LISTING, _JSON)
        listed = _plain(answer.content, shown(answer.url))
        found = []
        for one in listed.objects("files"):
            file, url = one.text("filename", ""), one.text("url", "")
            sha256 = one.object("hashes").text("sha256", "")
            version = version_of(file, name)
            if version and _SHA.fullmatch(sha256):
                signed = one.text("provenance")
                provenance = urljoin(answer.url, signed) if signed else ""
                yanked = one.get("yanked") not in (None, False)
                found.append(Wheel(file, version, urljoin(answer.url, url), sha256, provenance, yanked))
        return found

    def content(self, wheel: Wheel) -> bytes:
        """Return a wheel; one that is not what is listed is refused."""
        return _verified(self._web.get(wheel.url, WHEEL).content, wheel)

    def provenance(self, wheel: Wheel) -> bytes:
        """Return its attestations, empty if the index says there are none."""
        return self._web.get(wheel.provenance, PROVENANCE).content if wheel.provenance else b""


class Folder:
    """A folder of wheels, without the network."""

    def __init__(self, path: str) -> None:
        self._path = path

    def wheels(self, name: str) -> list[Wheel]:
        """Return those whose file name is that of the package."""
        from hashlib import sha256

        try:
            files = sorted(safe_files.names(self._path, links=True))
        except OSError as error:
            raise FetchError(f"`{self._path}` cannot be read: {safe_files.trouble(error)}") from error
        found = []
        for file in files:
            version = version_of(file, name)
            if version:
                path = os.path.join(self._path, file)
                found.append(Wheel(file, version, path, sha256(_content(path)).hexdigest()))
        return found

    def content(self, wheel: Wheel) -> bytes:
        """Return a wheel, as it was listed."""
        return _verified(_content(wheel.url), wheel)

    def provenance(self, wheel: Wheel) -> bytes:  # noqa: ARG002 - a folder has none
        """Return nothing: a folder has no attestations."""
        return b""


def version_of(file: str, name: str) -> str:
    """Return the version of a wheel of a package that runs everywhere; empty for any other file."""
    fits = _WHEEL.fullmatch(file)
    if fits is None or canonical(fits[1]) != name or not _VERSION.fullmatch(fits[2]):
        return ""
    return fits[2]


def newest(name: str, wheels: Iterable[Wheel], wanted: Sequence[str]) -> Wheel:
    """
    Return the newest wheel whose version is in all ranges.

    Raises:
        FetchError: There is none.
    """
    offered = [one for one in wheels if not one.yanked]
    found = sorted(offered, key=lambda one: (_numbers(one.version), one.file))
    fitting = [one for one in found if all(accepts(range, padded(one.version)) for range in wanted)]
    if fitting:
        return fitting[-1]
    ranges = " and ".join(f"`{one}`" for one in wanted)
    if not found:
        raise FetchError(
            f"the index has no wheel of `{name}` that runs everywhere",
            "what is fetched is never built: publish a wheel such as `NAME-1.0.0-py3-none-any.whl`",
        )
    versions = list(dict.fromkeys(one.version for one in reversed(found)))[:5]
    raise FetchError(f"no version of `{name}` is in {ranges}", f"there are {', '.join(versions)}")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, padded(version).split(".")))


def _plain(content: bytes, name: str) -> JsonObject:
    """Return a JSON object. Raises FetchError for anything else."""
    import json

    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        help = "exitgate reads the JSON of the simple API (PEP 691)"
        raise FetchError(f"`{name}` did not answer with JSON", help) from error
    return object_of(found)


def _content(path: str) -> bytes:
    try:
        return safe_files.content(path, WHEEL)
    except OSError as error:
        raise FetchError(f"`{path}` cannot be read: {safe_files.trouble(error)}") from error


def _verified(content: bytes, wheel: Wheel) -> bytes:
    from hashlib import sha256

    found = sha256(content).hexdigest()
    if found != wheel.sha256:
        raise RefusedError(f"`{wheel.file}` has the SHA-256 {found}, not {wheel.sha256}")
    return content
