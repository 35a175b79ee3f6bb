"""
The files of a git repository at one commit: asked of git in a folder of its own, with nothing run from there.

No working tree is written, so no filter and no hook has anything to do; no submodule is looked at. The only
transport is the one that the URL names, and git reads no settings but those of its command line.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time

from exitgate.core.policy.extending.semver import accepts
from exitgate.core.policy.locked import files
from exitgate.core.policy.locked.files import Refused, is_taken, shown
from exitgate.core.policy.locked.lock_file import Locked
from exitgate.core.policy.locked.reference import is_commit, is_range
from exitgate.core.policy.locked.unpacked import padded
from exitgate.core.system.child import AnswerError, LateError, answer_of, found
from exitgate.core.system.portable import WINDOWS
from exitgate.fleet.packages.fetched import Fetched, FetchError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.core.policy.locked.reference import Remote


#: Seconds that all questions about one repository may take; bytes of what git answers, and of what it writes.
TIME_LIMIT, ANSWER_LIMIT, DISK_LIMIT = 120.0, 64_000_000, 512_000_000
#: Settings of each command line.
_SETTINGS = (
    "protocol.allow=never",
    "protocol.version=2",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.fsmonitor=false",
    "core.askPass=false",
    "credential.helper=",
    "init.defaultBranch=none",
    "init.templateDir=",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "fetch.fsckObjects=true",
    "transfer.fsckObjects=true",
    "transfer.bundleURI=false",
    "maintenance.auto=false",
    "gc.auto=0",
    "advice.detachedHead=false",
)
#: Variables that git gets: where programs and keys are, how the network is reached.
_KEPT = (
    "PATH", "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY",
    "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "TMPDIR", "SYSTEMROOT", "USERPROFILE",
)  # fmt: skip
#: No question to a person, no key of a host that is not known, nothing forwarded.
_SSH = (
    "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes -oForwardAgent=no -oClearAllForwardings=yes"
    " -oPermitLocalCommand=no -oConnectTimeout=20"
)
#: Has a program write no file beyond a number of blocks, and becomes that program.
_BOUNDED = 'ulimit -f "$1" && shift && exec "$@"'
_BLOCK = 512
_LINK, _FILES = "120000", ("100644", "100755")
_LARGE_FILES = b"version https://git-lfs.github.com/spec/"
_REF = re.compile(rb"([0-9a-f]{40})\t(refs/(?:heads|tags)/[\x21-\x7e]{1,200})")
_TAG = re.compile(r"v?[0-9]{1,9}(?:\.[0-9]{1,9}){0,2}")


def fetch(remote: Remote, pinned: Locked | None, environment: Mapping[str, str]) -> Fetched:
    """
    Return the files of a repository.

    Args:
        remote: URL and revision.
        pinned: The commit that is wanted; None for the one that the revision means now.
        environment: Of the user.

    Raises:
        FetchError: It cannot be reached in time, has no such revision, or something that is refused.
    """
    if found("git") is None:
        raise FetchError("git is not installed", "install it, or name a package: `pypi:NAME@VERSIONS/PATH`")
    folder = tempfile.mkdtemp(prefix="exitgate-git-")
    try:
        return _Repository(remote, folder, environment).fetched(pinned)
    except Refused as refused:
        raise RefusedError(str(refused)) from refused
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Repository:
    """One repository, and the folder in which git keeps what it fetched."""

    def __init__(self, remote: Remote, folder: str, environment: Mapping[str, str]) -> None:
        self._remote = remote
        self._folder = folder
        self._deadline = time.monotonic() + TIME_LIMIT
        self._environment = {name: environment[name] for name in _KEPT if name in environment} | {
            "GIT_ALLOW_PROTOCOL": remote.transport,
            "GIT_ASKPASS": "false",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_SSH_COMMAND": _SSH,
            "GIT_SSH_VARIANT": "ssh",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }
        if "SSL_CERT_FILE" in environment:
            self._environment["GIT_SSL_CAINFO"] = environment["SSL_CERT_FILE"]

    def fetched(self, pinned: Locked | None) -> Fetched:
        commit, tag = (pinned.commit, pinned.tag) if pinned is not None else self._resolved()
        self._git("init", "--quiet", "--bare", self._folder)
        self._inside(
            "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
            "--end-of-options", self._remote.url, commit,
        )  # fmt: skip
        if self._inside("rev-parse", "--verify", f"{commit}^{{commit}}").decode() != f"{commit}\n":
            raise FetchError(f"`{self._remote.url}` did not give the commit {commit}")
        contents = self._contents(dict(self._blobs(commit)))
        entry = Locked(self._remote.source, files.digest_of(contents), commit=commit, tag=tag)
        return Fetched(entry, contents, "git has no signatures that sigstore knows: not verified")

    def _resolved(self) -> tuple[str, str]:
        """Return the commit that the revision means now, and the tag that was chosen from a range."""
        wanted = self._remote.revision
        if is_commit(wanted):
            return wanted, ""
        listed = self._git("ls-remote", "--heads", "--tags", "--end-of-options", self._remote.url)
        lines = filter(None, map(_REF.fullmatch, listed.splitlines()))
        refs = {fits[2].decode(): fits[1].decode() for fits in lines}
        if is_range(wanted):
            tags = [name.removeprefix("refs/tags/") for name in refs if name.startswith("refs/tags/")]
            fitting = [one for one in tags if _TAG.fullmatch(one) and accepts(wanted, _version(one))]
            if not fitting:
                raise FetchError(
                    f"no tag of `{self._remote.url}` is in `{wanted}`", "tags are versions: `v2.1.0`"
                )
            newest = max(fitting, key=lambda one: (tuple(map(int, _version(one).split("."))), one))
            return _peeled(f"refs/tags/{newest}", refs), newest
        found = [name for name in (f"refs/tags/{wanted}", f"refs/heads/{wanted}") if name in refs]
        if not found:
            raise FetchError(f"`{self._remote.url}` has no tag and no branch `{wanted}`")
        if len(found) > 1 and _peeled(found[0], refs) != refs[found[1]]:
            raise FetchError(f"`{wanted}` is a tag and a branch of `{self._remote.url}`", "name the commit")
        return _peeled(found[0], refs), ""

    def _blobs(self, commit: str) -> Iterator[tuple[str, str]]:
        """Yield name and id of the files that are taken; Refused for a link among them, or too much."""
        sizes: dict[str, int] = {}
        listed = self._inside("ls-tree", "-r", "-l", "-z", "--full-tree", commit)
        for line in listed.split(b"\0"):
            about, _, raw = line.partition(b"\t")
            name = raw.decode("utf-8", "surrogateescape")
            if not about or not is_taken(name):
                continue
            mode, _kind, id, size = about.decode("ascii").split()
            if mode not in _FILES:
                raise Refused(f"`{shown(name)}` is {'a link' if mode == _LINK else 'not a file'}")
            sizes[name] = int(size)
            yield name, id
        files.check(sizes)

    def _contents(self, blobs: Mapping[str, str]) -> dict[str, bytes]:
        if not any(name.endswith((".yaml", ".yml")) for name in blobs):
            raise Refused("there is no YAML file in it")
        ids = list(dict.fromkeys(blobs.values()))
        with tempfile.TemporaryFile() as questions:
            questions.write("".join(f"{id}\n" for id in ids).encode("ascii"))
            questions.seek(0)
            answers = self._inside("cat-file", "--batch", reads=questions)
        by_id, at = {}, 0
        for id in ids:
            end = answers.index(b"\n", at)
            told, kind, size = answers[at:end].decode("ascii").split()
            if told != id or kind != "blob":
                raise Refused("git did not give what was asked for")
            by_id[id] = answers[end + 1 : end + 1 + int(size)]
            at = end + 1 + int(size) + 1
        for name, id in blobs.items():
            if by_id[id].startswith(_LARGE_FILES):
                raise Refused(f"`{shown(name)}` is kept by Git LFS, which is not asked")
        return {name: by_id[id] for name, id in blobs.items()}

    def _inside(self, *words: str, reads: object = None) -> bytes:
        return self._git(f"--git-dir={self._folder}", *words, reads=reads)

    def _git(self, *words: str, reads: object = None) -> bytes:
        """Return what git answers. Raises FetchError where it fails, or does not answer in time."""
        program = found("git")
        assert program is not None
        settings = [*_SETTINGS, f"protocol.{self._remote.transport}.allow=always"]
        line = [
            program,
            "--no-pager",
            "--no-replace-objects",
            *(part for one in settings for part in ("-c", one)),
        ]
        url = self._remote.url
        try:
            code, answer, complaint = answer_of(
                bounded([*line, *words]),
                self._environment,
                self._deadline,
                ANSWER_LIMIT,
                reads,  # type: ignore[arg-type]
            )
        except LateError as error:
            raise FetchError(f"`{url}` took longer than {TIME_LIMIT:g} s") from error
        except AnswerError as error:
            raise FetchError(f"`{url}` cannot be read: {error}") from error
        if code != 0:
            said = complaint.decode("utf-8", "replace").strip().rpartition("\n")[2].removeprefix("fatal: ")
            raise FetchError(f"`{url}` cannot be read: {shown(said) or 'git failed'}")
        return answer


def bounded(words: Sequence[str]) -> list[str]:
    """Return a command line that writes no large file; on Windows, which has no such limit, itself."""
    if WINDOWS:
        return list(words)
    return ["/bin/sh", "-c", _BOUNDED, "sh", str(DISK_LIMIT // _BLOCK), *words]


def _version(tag: str) -> str:
    return padded(tag.removeprefix("v"))


def _peeled(name: str, refs: Mapping[str, str]) -> str:
    """Return the commit of a reference, of the tag itself where it is one with a message."""
    return refs.get(f"{name}^{{}}", refs[name])
