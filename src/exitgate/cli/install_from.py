"""
Where a workflow installs exitgate from: the address given, else the one that it was installed from here.

Never a bare name: `exitgate` is on no package registry yet, so anyone could publish a package of that name.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.diagnostic import ExitgateError

OPTION = "--install-from"
EXAMPLE = "git+https://HOST/OWNER/exitgate@REVISION"
#: What pip installs as it is; every other address is that of a repository.
_ARCHIVES = (".whl", ".zip", ".tar.gz")
_SCHEMES = ("https", "ssh", "file")
#: Of an address, besides letters and digits of ASCII; nothing that YAML, a shell or GitHub would read.
_PLAIN = frozenset("-._~:/?#[]@!&()+,;=%")


def address(given: str) -> str:
    """
    Return an address as pip takes it: a repository's gets ``git+``, as does ``git@HOST:OWNER/NAME``.

    Raises `ExitgateError` (64) for a bare name, another scheme, a password, and characters of no address.
    """
    from urllib.parse import urlsplit

    text = given.strip()
    host, colon, path = text.partition(":")
    if "@" in host and "/" not in host and colon and not path.startswith("//"):
        text = f"ssh://{host}/{path}"
    strange = [one for one in text if not (one.isascii() and one.isalnum()) and one not in _PLAIN]
    if strange:
        raise _wrong(given, "an address does not have " + ", ".join(sorted({_named(one) for one in strange})))
    bare = text.removeprefix("git+")
    try:
        parts = urlsplit(bare)
        secret = parts.password is not None or (parts.scheme != "ssh" and parts.username is not None)
    except ValueError:
        raise _wrong(given, "it is not an address") from None
    if "://" not in bare and "/" in bare:
        raise _wrong(given, "a path is not an address; `file://` and an absolute path is one")
    if "://" not in bare:
        raise _wrong(given, "`exitgate` is on no package registry yet: anyone could publish that name")
    if (
        parts.scheme not in _SCHEMES
        or not (parts.netloc or parts.scheme == "file")
        or not parts.path.strip("/")
    ):
        raise _wrong(given, f"it has to begin with {', '.join(f'`{one}://`' for one in _SCHEMES)} or `git+`")
    if secret:
        raise _wrong("ADDRESS", "a password or token does not belong into a workflow")
    return bare if parts.path.endswith(_ARCHIVES) else f"git+{bare}"


def is_pinned(found: str) -> bool:
    """Return whether an address of `address` names one revision or archive."""
    from urllib.parse import urlsplit

    return not found.startswith("git+") or "@" in urlsplit(found.removeprefix("git+")).path


def installed_from() -> str | None:
    """Return the address that this exitgate was installed from, if others can install from it, too."""
    from importlib.metadata import PackageNotFoundError, distribution

    from exitgate.model.diagnostic import ExitgateError

    try:
        record = json.loads(distribution("exitgate").read_text("direct_url.json") or "null")
        url, revision = str(record["url"]), record.get("vcs_info", {}).get("commit_id")
        if record.get("vcs_info", {}).get("vcs", "git") != "git" or url.startswith("file:"):
            return None
        return address(f"git+{url}@{revision}" if revision else url)
    except (PackageNotFoundError, OSError, ValueError, TypeError, KeyError, AttributeError, ExitgateError):
        return None


def _named(character: str) -> str:
    return f"`{character}`" if character.isprintable() and not character.isspace() else "white space"


def _wrong(given: str, why: str) -> ExitgateError:
    from exitgate.cli.usage import usage_error

    return usage_error(
        f"`{OPTION} {given}`: {why}", f"write the address of a repository or a wheel: `{EXAMPLE}`"
    )
