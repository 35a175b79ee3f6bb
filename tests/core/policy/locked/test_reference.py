"""How policies of packages and repositories are named, and what does not name one."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import example, given
from hypothesis import strategies as st

from exitgate.core.policy.locked.reference import Remote, Unfit, file_of, is_commit, is_range, parse

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@each(
    ("text", "source", "wanted", "path"),
    [
        ("pypi:acme-policies@^2/strict", "pypi:acme-policies", "^2", "strict"),
        ("pypi:Acme_.Policies@>=1.2 <2/a/b.yaml", "pypi:acme-policies", ">=1.2 <2", "a/b.yaml"),
        ("pypi:acme@*", "pypi:acme", "*", ""),
        ("git+https://h.org/t/p@v2#strict", "git+https://h.org/t/p@v2", "", "strict"),
        ("git+https://h.org:8443/p/@release/2#a", "git+https://h.org:8443/p@release/2", "", "a"),
        ("git+ssh://git@h.org/t/p@^2.1", "git+ssh://git@h.org/t/p@^2.1", "", ""),
        (f"git+file:///srv/p.git@{COMMIT}#x/y", f"git+file:///srv/p.git@{COMMIT}", "", "x/y"),
    ],
)
def test_names(text: str, source: str, wanted: str, path: str) -> None:
    assert parse(text) == Remote(source, wanted, path)


def test_parts_of_a_repository() -> None:
    remote = parse("git+ssh://git@h.org/t/p@^2.1#x")
    assert (remote.url, remote.revision, remote.transport) == ("ssh://git@h.org/t/p", "^2.1", "ssh")
    assert is_range(remote.revision)
    assert not is_range("2.1")
    assert is_commit(COMMIT)
    assert not is_commit(COMMIT[:12])


@each(
    ("text", "part"),
    [
        ("pypi:acme/strict", "which versions"),
        ("pypi:acme@/strict", "which versions"),
        ("pypi:acme@^x/strict", "not a version range"),
        ("pypi:-acme@1/strict", "not a name of a package"),
        ("pypi:a me@1", "not a name of a package"),
        ("pypi:../acme@1", "not a name of a package"),
        ("pypi:acme@1/", "nothing follows"),
        ("pypi:acme@1/../x", "leads upwards"),
        ("pypi:acme@1//etc/passwd", "is absolute"),
        ("pypi:acme@1/-x", "not the name of a file"),
        ("pypi:acme@1/a\\b", "not every system"),
        ("pypi:acme@1/con.yaml", "name of a device"),
        ("pypi:acme@1/" + "x" * 600, "more than 500"),
        ("git+http://h.org/p@v1", "not https, ssh or file"),
        ("git+git://h.org/p@v1", "not https, ssh or file"),
        ("git+ext::sh -c id@v1", "not https, ssh or file"),
        ("git+https://h.org/p", "which revision"),
        ("git+https://user:secret@h.org/p@v1", "user is for ssh alone"),
        ("git+ssh://git:secret@h.org/p@v1", "user is for ssh alone"),
        ("git+ssh://-oProxyCommand=id/p@v1", "not a name of a host"),
        ("git+ssh://-x@h.org/p@v1", "user is for ssh alone"),
        ("git+https:///p@v1", "not a name of a host"),
        ("git+file://host/p@v1", "not a name of a host"),
        ("git+https://h.org/--upload-pack=id@v1", "not the path"),
        ("git+https://h.org/a/../b@v1", "not the path"),
        ("git+https://h.org/a b@v1", "not the path"),
        ("git+https://h.org/p@--upload-pack=id", "not a tag"),
        ("git+https://h.org/p@-v1", "not a tag"),
        ("git+https://h.org/p@a..b", "not a tag"),
        ("git+https://h.org/p@a:b", "not a tag"),
        ("git+https://h.org/p@", "not a tag"),
        ("git+https://h.org/p@v1#", "nothing follows"),
        ("git+https://h.org/p@v1#../x", "leads upwards"),
    ],
)
def test_what_is_no_name(text: str, part: str) -> None:
    with pytest.raises(Unfit, match=part):
        parse(text)


@given(st.sampled_from(["pypi:", "git+", "git+https://", "git+ssh://", "git+file:///"]), st.text(max_size=60))
@example("git+", "ssh://h/p@v1#a\n")
def test_what_is_well_formed_cannot_be_an_option_or_lead_out(start: str, rest: str) -> None:
    try:
        remote = parse(start + rest)
    except Unfit:
        return
    assert not any(one.startswith("-") for one in (*remote.name.split("/"), remote.revision))
    assert ".." not in remote.path.split("/")
    assert remote.source.isprintable()
    assert remote.source.isascii()
    assert parse(f"{remote.source}@*" if not remote.is_git else remote.source).source == remote.source


NAMES = ("strict.yaml", "both.yaml", "both/policy.yaml", "deep/policy.yaml", "LICENSE", "old.yml")


@each(
    ("path", "file"),
    [
        ("strict", "strict.yaml"),
        ("strict.yaml", "strict.yaml"),
        ("deep", "deep/policy.yaml"),
        ("old.yml", "old.yml"),
    ],
)
def test_the_file_that_a_path_means(path: str, file: str) -> None:
    assert file_of(path, NAMES) == file


@each(
    ("path", "part"),
    [("both", "means two files"), ("", "no `policy.yaml`"), ("none", "no `none/policy.yaml`")],
)
def test_no_file_or_two(path: str, part: str) -> None:
    with pytest.raises(Unfit, match=part):
        file_of(path, NAMES)
