"""The lock file: the same text for the same entries, and every fault of one at its place."""

from __future__ import annotations

import jsonschema
import pytest
from cases import each
from hypothesis import example, given
from hypothesis import strategies as st

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.locked.lock_file import Lock, Locked, Signer, lock_of, text_of
from exitgate.core.policy.yaml.document import load_yaml

COMMIT, SHA = "1" * 40, "2" * 64
PACKAGE = Locked(
    "pypi:acme", "3" * 64, "2.10", "acme-2.10-py3-none-any.whl", SHA, signer=Signer("https://i", "x: #y")
)
REPOSITORY = Locked("git+https://h.org/p@^2", "4" * 64, commit=COMMIT, tag="v2.0.1")
RIGHT = text_of(["policies"], [PACKAGE, REPOSITORY])


def read(text: str) -> Lock:
    findings = Findings()
    lock = lock_of(load_yaml(text, "l").root, "/p/.bb3/policies.lock", findings)
    findings.raise_errors()
    assert lock is not None
    return lock


def test_written_and_read() -> None:
    lock = read(RIGHT)
    assert lock.also == ("policies",)
    assert lock.project == "/p"
    assert text_of(lock.also, lock.entries.values()) == RIGHT
    assert text_of(reversed(lock.also), reversed(lock.entries.values())) == RIGHT
    assert lock.entries["pypi:acme"].signer == PACKAGE.signer
    assert lock.entries[REPOSITORY.source].tag == "v2.0.1"
    assert read(text_of((), ())).entries == {}
    jsonschema.validate(load_yaml(RIGHT, "l").data, shipped.schema("lock"))


def test_a_change_of_one_thing_is_a_change_of_its_lines() -> None:
    newer = text_of(["policies"], [PACKAGE.but(version="2.11", digest="5" * 64), REPOSITORY])
    before, after = RIGHT.splitlines(), newer.splitlines()
    assert len(before) == len(after)
    assert [new for old, new in zip(before, after, strict=True) if old != new] == [
        '    version: "2.11"',
        f"    digest: sha256:{'5' * 64}",
    ]


def test_names_of_files() -> None:
    assert PACKAGE.named("a/b.yaml") == "pypi:acme@2.10/a/b.yaml"
    assert REPOSITORY.named("b.yaml") == "git+https://h.org/p@^2#b.yaml"
    assert (PACKAGE.pinned, REPOSITORY.pinned) == ("2.10", f"v2.0.1 {COMMIT[:12]}")


@each(
    ("old", "new", "place", "part"),
    [
        ("lock: 1", "lock: 2", "l:2:7", "only `1`"),
        ("lock: 1", "lock: 1\nmore: 1", "l:3:1", "more"),
        ("sources:", "sources: 1\nx:", "l:5:10", "expected a list"),
        ('version: "2.10"', "version: 2.10", "l:11:14", "expected"),
        ('version: "2.10"', 'versio: "2.10"', "l:11:5", "versio"),
        ('sha256: "', 'sha256: "X', "l:13:13", "hex digits"),
        ("digest: sha256:3", "digest: sha255:3", "l:14:13", "hex digits"),
        ('source: "pypi:acme"', 'source: "pypi:Acme"', "l:10:5", "not a source"),
        ('source: "pypi:acme"', 'source: "pypi:acme@1"', "l:10:5", "not a source"),
        ('source: "pypi:acme"', 'source: "npm:acme"', "l:10:5", "begins with neither"),
        ("^2", "^2#x", "l:6:5", "not spelled"),
        ("https://h", "ext::h", "l:6:5", "not https"),
        ('    wheel: "acme-2.10-py3-none-any.whl"\n', "", "l:10:5", "`wheel` is missing"),
        ("    tag:", '    version: "1"\n    tag:', "l:7:5", "does not belong here"),
        ('  - "policies"', '  - "../x"', "l:4:5", "leads upwards"),
        ("git+https://h.org/p@^2", "pypi:acme", "l:", "twice|missing|belong"),
        ("lock: 1", "lock: 1\nlock: 1", "l:3:1", "lock"),
        ("lock: 1", "lock: &a 1", "l:2:7", "anchor"),
    ],
)
def test_faults_at_their_places(old: str, new: str, place: str, part: str) -> None:
    assert RIGHT.count(old) >= 1
    with pytest.raises(ExitgateError, match=part) as caught:
        read(RIGHT.replace(old, new, 1))
    assert any(str(one.place).startswith(place) for one in caught.value.diagnostics), caught.value


PIECES = st.sampled_from(
    [
        *RIGHT.splitlines(),
        "",
        '  - source: "pypi:acme"',
        "    digest: [",
        "sources: []",
        "a: *b",
        "? x",
        "- - -",
        "{",
        "\0",
    ]
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=12).map("\n".join))
@example("")
@example(RIGHT.replace("pypi:acme", "pypi:" + "a" * 600))
def test_any_text_is_a_lock_file_or_has_faults_with_places(text: str) -> None:
    check_or_report(text)


@given(st.integers(0, len(RIGHT) - 1), st.integers(0, 12), st.text(max_size=6))
def test_any_edit_of_a_lock_file_too(at: int, length: int, instead: str) -> None:
    check_or_report(RIGHT[:at] + instead + RIGHT[at + length :])


def check_or_report(text: str) -> None:
    try:
        lock = read(text)
    except ExitgateError as error:
        assert error.exit_code == 65
        for one in error.diagnostics:
            assert one.place is not None
            assert one.place.line >= 1
            assert one.place.column >= 1
        return
    assert read(text_of(lock.also, lock.entries.values())).entries == lock.entries
    for entry in lock.entries.values():
        assert len(entry.digest) == 64
        assert entry.version or len(entry.commit) == 40
