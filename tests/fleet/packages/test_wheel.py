"""What is taken from a wheel, and what makes a wheel refused: nothing of it is ever written or run."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from pinned import STRICT
from wheels import FILES, wheel

from exitgate.core.policy.locked.files import COUNT, TOTAL, fault_of_name, is_taken
from exitgate.fleet.packages.fetched import RefusedError
from exitgate.fleet.packages.wheel import take

NAME = "acme-policies"


def archive(*members: tuple[zipfile.ZipInfo | str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", method) as made:
        for info, content in members:
            made.writestr(
                info if isinstance(info, zipfile.ZipInfo) else zipfile.ZipInfo(info), content, method
            )
    return raw.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


RIGHT = ("acme_policies/strict.yaml", STRICT.encode())


def test_what_is_taken() -> None:
    more = (
        "acme_policies/deep/tests.yaml", "acme_policies/.hidden/x.yaml", "other/x.yaml",
        "acme_policies/native.so", "acme_policies/NOTICE",
        "acme_policies-1.dist-info/COPYING", "acme_policies-1.dist-info/x.yaml",
    )  # fmt: skip
    found = take(wheel({**FILES, **dict.fromkeys(more, "a: 1\n")}), NAME)
    assert sorted(found) == [
        "NOTICE", "deep/tests.yaml", "licenses/COPYING", "licenses/LICENSE", "preset.yaml", "strict.yaml",
    ]  # fmt: skip
    assert found["strict.yaml"] == STRICT.encode()


def damaged(how: str) -> bytes:
    raw = bytearray(archive(RIGHT))
    if how == "checksum":
        at = raw.index(b"PK\x01\x02")
        raw[at + 16] ^= 1
    elif how == "method":
        raw[raw.index(b"PK\x01\x02") + 10] = 12
    elif how == "encrypted":
        raw[raw.index(b"PK\x01\x02") + 8] |= 1
    elif how == "more than it says":
        at = raw.index(b"PK\x01\x02")
        raw[at + 24 : at + 28] = struct.pack("<I", 10)
    elif how == "less than it says":
        at = raw.index(b"PK\x01\x02")
        raw[at + 24 : at + 28] = struct.pack("<I", len(STRICT) + 10)
    elif how == "another name inside":
        at = raw.index(b"strict")
        raw[at : at + 6] = b"strong"
    elif how == "a NUL":
        at = raw.rindex(b"strict")
        raw[at : at + 6] = b"stri\0t"
    elif how == "cut":
        del raw[-30:]
    return bytes(raw)


HOW = (
    "checksum", "method", "encrypted", "more than it says", "less than it says", "another name inside",
    "a NUL", "cut",
)  # fmt: skip


@each("how", HOW)
def test_damage(how: str) -> None:
    with pytest.raises(RefusedError):
        take(damaged(how), NAME)


@each(
    ("members", "part"),
    [
        ((RIGHT, ("../../x.py", b"")), "leads upwards"),
        ((RIGHT, ("acme_policies/../../x.yaml", b"")), "leads upwards"),
        ((RIGHT, ("/etc/x.yaml", b"")), "is absolute"),
        ((RIGHT, ("C:/x.yaml", b"")), "not every system"),
        ((RIGHT, ("acme_policies\\x.yaml", b"")), "not every system"),
        ((RIGHT, ("acme_policies/aux.yaml", b"")), "name of a device"),
        ((RIGHT, ("acme_policies/STRICT.yaml", b"")), "where case does not count"),
        ((RIGHT, ("acme_policies/strict.yaml/x.yaml", b"")), "a file and a folder"),
        ((RIGHT, ("/".join("a" * 9), b"")), "more than"),
        ((RIGHT, (special("acme_policies/l.yaml", stat.S_IFLNK | 0o777), b"/etc/passwd")), "is a link"),
        ((RIGHT, (special("x", stat.S_IFLNK | 0o777), b"/etc/passwd")), "is a link"),
        ((RIGHT, (special("x", stat.S_IFCHR | 0o666), b"")), "is a link, a device"),
        ((RIGHT, (special("x", stat.S_IFIFO | 0o666), b"")), "is a link, a device"),
        ((RIGHT, ("acme_policies/bomb.yaml", b"\0" * 3_000_000)), "times as large"),
        ((RIGHT, *((f"acme_policies/{n}.yaml", b"") for n in range(COUNT))), "more than 1000 files"),
        ((RIGHT, *((f"x/{n}", b"") for n in range(5000))), "more than 5000 members"),
        ((("acme_policies/x.py", b""),), "no YAML file below `acme_policies/`"),
        ((("other/strict.yaml", b""),), "no YAML file below"),
    ],
)  # fmt: skip
def test_what_is_refused(members: tuple[tuple[zipfile.ZipInfo | str, bytes], ...], part: str) -> None:
    with pytest.raises(RefusedError, match=part):
        take(archive(*members), NAME)


def test_a_member_twice() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        raw = archive(RIGHT, RIGHT)
    with pytest.raises(RefusedError, match="in it twice"):
        take(raw, NAME)


def test_too_many_bytes_together() -> None:
    members = [(f"acme_policies/{n}.yaml", bytes(range(256)) * 15_000) for n in range(5)]
    with pytest.raises(RefusedError, match="have more than"):
        take(archive(*members, method=zipfile.ZIP_STORED), NAME)


PARTS = st.sampled_from(
    ["acme_policies", "..", ".", "", "a", "A", "x.yaml", "X.yaml", "LICENSE", "nul", "a\\b", "é", "c:"]
)
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
MODES = st.sampled_from([0, stat.S_IFREG | 0o644, stat.S_IFLNK | 0o777, stat.S_IFDIR | 0o755, stat.S_IFSOCK])


@given(st.lists(st.tuples(NAMES, MODES, st.binary(max_size=40)), max_size=5))
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_any_archive_is_refused_or_gives_files_with_plain_names(
    members: list[tuple[str, int, bytes]],
) -> None:
    raw = archive(RIGHT, *((special(name, mode), content) for name, mode, content in members))
    given = {name: content for name, _, content in members}
    try:
        found = take(raw, NAME)
    except RefusedError:
        return
    for name, content in found.items():
        assert not fault_of_name(name)
        assert is_taken(name)
        assert name == "strict.yaml" or given[f"acme_policies/{name}"] == content
    assert len({name.casefold() for name in found}) == len(found)
    assert not any(stat.S_ISLNK(mode) or stat.S_ISSOCK(mode) for _, mode, _ in members)


@given(st.data())
def test_any_damage_is_refused_or_changes_nothing(data: st.DataObject) -> None:
    raw = bytearray(wheel())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(raw)), st.integers(0, len(raw))))
    before = {zlib.crc32(content) for content in take(wheel(), NAME).values()}
    try:
        found = take(bytes(raw[:cut]), NAME)
    except RefusedError:
        return
    assert sum(map(len, found.values())) <= TOTAL
    assert not any(map(fault_of_name, found))
    assert {zlib.crc32(content) for content in found.values()} <= before | {0}


@given(st.binary(max_size=200))
def test_any_bytes_at_all(raw: bytes) -> None:
    with pytest.raises(RefusedError):
        take(raw, NAME)
