"""
What a project names becomes what it pins: kept as it is, fetched again, or moved to a newer version.

Each round pins what is named so far; what was fetched may name more. One version of a package serves all who
name it.
"""

from __future__ import annotations

import os

from exitgate.core.model.decision import BAD_POLICY, CANNOT_READ, FINDINGS
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.value import Value
from exitgate.core.policy.locked import store
from exitgate.core.policy.locked.files import Refused, digest_of
from exitgate.core.policy.locked.lock_file import Locked, Signer
from exitgate.core.policy.locked.unpacked import fits
from exitgate.fleet.packages import git
from exitgate.fleet.packages.attestations import signer_of
from exitgate.fleet.packages.fetched import Fetched, FetchError, RefusedError
from exitgate.fleet.packages.index import newest
from exitgate.fleet.packages.wanted import named_by
from exitgate.fleet.packages.wheel import take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.locked.lock_file import Lock
    from exitgate.fleet.packages.attestations import Verify
    from exitgate.fleet.packages.index import Index, Wheel
    from exitgate.fleet.packages.wanted import Named


#: Rounds in which something new may be named.
ROUNDS = 8
CODES = {
    "EP847": "a package or repository that cannot be fetched",
    "EP848": "a package or repository that is refused",
    "EP849": "a lock file that does not pin what the project names",
}
_UNSIGNED, _UNVERIFIED = "not signed", "signed, not verified: sigstore is not installed"


class Ways(Value):
    """
    How things are fetched.

    Args:
        index: Where packages come from.
        verify: Verifies signatures; None without sigstore.
        environment: Of the user.
        accept_signer: Let another signer, or none, sign from now on.
        pinned_only: Fetch nothing but what is pinned.
    """

    __slots__ = ("accept_signer", "environment", "index", "pinned_only", "verify")

    def __init__(
        self,
        index: Index,
        verify: Verify | None = None,
        environment: Mapping[str, str] = os.environ,
        accept_signer: bool = False,
        pinned_only: bool = False,
    ) -> None:
        self.index = index
        self.verify = verify
        self.environment = environment
        self.accept_signer = accept_signer
        self.pinned_only = pinned_only


def pin(
    named: Sequence[Named], lock: Lock | None, moving: frozenset[str], ways: Ways, findings: Findings
) -> dict[str, Fetched]:
    """
    Return source -> what is pinned and in the store now.

    Args:
        named: What the project names.
        lock: What was pinned.
        moving: Sources that move to the newest version that is accepted.
        ways: How things are fetched.
        findings: Takes EP842 and EP846 of what was fetched, and what is wrong with its files.

    Raises:
        ExitgateError: EP847 (74), EP848 (65) and EP849 (69), at the place that names it.
    """
    before = lock.entries if lock is not None else {}
    found: dict[str, Fetched] = {}
    every = list(named)
    for _ in range(ROUNDS):
        grouped: dict[str, list[Named]] = {}
        for one in every:
            grouped.setdefault(one.remote.source, []).append(one)
        for source, who in sorted(grouped.items()):
            if source not in found or not all(fits(one.remote, found[source].entry) for one in who):
                found[source] = _pinned(who, before.get(source), source in moving, ways)
        more = [*named, *_more(every, found, findings)]
        findings.raise_errors()
        if {(one.remote, one.place) for one in more} == {(one.remote, one.place) for one in every}:
            return {source: found[source] for source in grouped}
        every = more
    raise _error("EP847", f"more than {ROUNDS} packages name one another", every[-1], FetchError(""))


def _more(every: Sequence[Named], found: Mapping[str, Fetched], findings: Findings) -> list[Named]:
    more: list[Named] = []
    for one in every:
        fetched = found[one.remote.source]
        more += named_by(one, fetched.entry.named(""), fetched.files, findings)
    return list({(one.remote, one.place): one for one in more}.values())


def _pinned(who: Sequence[Named], old: Locked | None, moving: bool, ways: Ways) -> Fetched:
    """Return one source, pinned and kept. Raises ExitgateError at the first place that names it."""
    first = who[0]
    stays = old is not None and not moving and all(fits(one.remote, old) for one in who)
    if ways.pinned_only and not stays:
        message = f"`{first.remote.source}` is not pinned as it is named here"
        raise _error("EP849", message, first, FetchError("", "run `exitgate policies lock`"))
    try:
        if stays and old is not None:
            return _again(first, old, ways)
        if first.remote.is_git:
            fetched = git.fetch(first.remote, None, ways.environment)
        else:
            name, ranges = first.remote.name, [one.remote.wanted for one in who]
            wheel = newest(name, ways.index.wheels(name), sorted(set(ranges)))
            fetched = _package(first, wheel, old, ways)
        store.keep(fetched.files, ways.environment)
    except RefusedError as refused:
        raise _error("EP848", f"`{first.remote.source}` is refused: {refused}", first, refused) from refused
    except FetchError as error:
        raise _error("EP847", f"`{first.remote.source}` cannot be fetched: {error}", first, error) from error
    except Refused as refused:
        message = f"`{first.remote.source}` cannot be kept: {refused}"
        raise _error("EP847", message, first, FetchError("")) from refused
    return fetched


def _again(named: Named, old: Locked, ways: Ways) -> Fetched:
    """Return what is pinned: from the store, or fetched once more and compared with its digest."""
    remark = "verified when it was pinned" if old.signer is not None else "not verified"
    try:
        return Fetched(old, store.load(old.digest, ways.environment), remark)
    except Refused:
        if named.remote.is_git:
            files = git.fetch(named.remote, old, ways.environment).files
        else:
            listed = ways.index.wheels(named.remote.name)
            wheel = next((one for one in listed if (one.file, one.sha256) == (old.wheel, old.sha256)), None)
            if wheel is None:
                raise FetchError(
                    f"the index has no `{old.wheel}` with the SHA-256 that is pinned",
                    f"look at why, then run `exitgate policies update {named.remote.name}`",
                ) from None
            files = take(ways.index.content(wheel), named.remote.name)
        if digest_of(files) != old.digest:
            help = "undo the edit of the lock file"
            raise RefusedError("its digest is not the one of the lock file", help) from None
        store.keep(files, ways.environment)
        return Fetched(old, files, remark)


def _package(named: Named, wheel: Wheel, old: Locked | None, ways: Ways) -> Fetched:
    """Return one version of a package that was not pinned before."""
    files = take(ways.index.content(wheel), named.remote.name)
    signer, remark = _signed(wheel, ways)
    if old is not None and old.signer not in (None, signer) and not ways.accept_signer:
        was, now = _who(old.signer), _who(signer) if signer is not None else remark
        help = "if that is right, run it again with `--accept-signer`"
        raise RefusedError(f"{old.version} was signed by {was}; {wheel.version} is {now}", help)
    entry = Locked(
        named.remote.source, digest_of(files), wheel.version, wheel.file, wheel.sha256, signer=signer
    )
    return Fetched(entry, files, remark)


def _signed(wheel: Wheel, ways: Ways) -> tuple[Signer | None, str]:
    """Return who signed a wheel, and what to say about it. Raises FetchError for a bad signature."""
    raw = ways.index.provenance(wheel)
    if not raw:
        return None, _UNSIGNED
    if ways.verify is None:
        return None, _UNVERIFIED
    signer = signer_of(raw, wheel.file, wheel.sha256, ways.verify)
    return signer, f"signed by {_who(signer)}"


def _who(signer: Signer | None) -> str:
    return "" if signer is None else f"{signer.identity} ({signer.issuer})"


def _error(code: str, message: str, named: Named, error: FetchError) -> ExitgateError:
    exit_code = {"EP847": CANNOT_READ, "EP849": FINDINGS}.get(code, BAD_POLICY)
    return ExitgateError([Diagnostic(code, message, named.place, error.help)], exit_code)
