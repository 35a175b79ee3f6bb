"""Consent: it covers the definitions and what has to pass, and only the user's own record gives it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from cases import each
from defined import policy
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.probes import trust
from exitgate.core.system import folders, portable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.core.policy.compiled import CompiledPolicy

Plain = dict[str, object]
COMMANDS = st.lists(st.text(max_size=6), min_size=1, max_size=3)
DEFINITIONS = st.fixed_dictionaries(
    {"command": COMMANDS},
    optional={
        "timeout": st.sampled_from(["1m", "60s", 60, 60.5]),
        "reads": st.sampled_from(["exit_status", {"junit": "a.xml"}, {"json": "-"}]),
        "expect": st.dictionaries(
            st.sampled_from(["/a", "/b"]), st.none() | st.booleans() | st.integers(0, 1)
        ),
        "environment": st.lists(st.sampled_from(["A", "B"]), max_size=2),
        "judge": st.sampled_from(["all is done", "all is done."]),
    },
)
NAMES = st.sampled_from(["tests", "lint", "goal"])
PROBES = st.dictionaries(NAMES, DEFINITIONS, max_size=3)
LISTS = st.lists(NAMES, unique=True, max_size=3)


ONE = policy({"tests": {"command": ["make", "test"], "timeout": "10m"}})


def exact(value: object) -> str:
    return json.dumps(value, sort_keys=True)


@given(PROBES, PROBES, LISTS, LISTS)
def test_the_digest_is_another_exactly_where_what_it_covers_is(
    one: Plain, other: Plain, listed: list[str], relisted: list[str]
) -> None:
    before, after = policy(one, listed), policy(other, relisted)
    same = exact(one) == exact(other) and sorted(listed) == sorted(relisted)
    digests = [trust.digest_of(trust.covered(each)) for each in (before, after)]
    assert (digests[0] == digests[1]) is same


@given(PROBES, LISTS, st.data())
def test_each_difference_is_named(probes: Plain, listed: list[str], data: st.DataObject) -> None:
    """One key of one probe, a probe, or the list is another: the differences name it and nothing else."""
    changed, relisted = {name: dict(cast("Plain", one)) for name, one in probes.items()}, list(listed)
    kind = data.draw(st.sampled_from(["key", "new", "gone", "list"] if probes else ["new", "list"]))
    name = data.draw(st.sampled_from(sorted(probes))) if kind in ("key", "gone") else "another"
    if kind == "key":
        changed[name]["timeout"] = "3h"
    elif kind == "gone":
        del changed[name]
    elif kind == "new":
        changed[name] = {"command": ["rm", "-r", "."]}
    else:
        relisted.append("another")
    before, after = trust.covered(policy(probes, listed)), trust.covered(policy(changed, relisted))
    found = trust.compare(before, after)
    assert len(found) == 1
    assert f"`{name}`" in found[0]
    assert {"key": "another `timeout`", "new": "is new", "gone": "is gone", "list": "has to pass"}[
        kind
    ] in found[0]
    assert trust.compare(after, after) == ()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def own(tmp_path: Path) -> dict[str, str]:
    """The user's environment, with a state folder of its own."""
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


def state(of: CompiledPolicy, root: Path, own: Mapping[str, str]) -> str:
    return trust.look(of, str(root), own).state


def test_what_was_allowed_is_allowed_and_nothing_else(
    project: Path, own: dict[str, str], tmp_path: Path
) -> None:
    assert state(ONE, project, own) == trust.MISSING
    path = trust.allow(ONE, str(project), own, 1.0)
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert state(ONE, project, own) == trust.ALLOWED
    again = tmp_path / "again"
    again.symlink_to(project)
    assert state(ONE, again, own) == trust.ALLOWED  # the same folder
    other = tmp_path / "other"
    other.mkdir()
    assert state(ONE, other, own) == trust.MISSING
    assert state(policy({}, []), project, own) == trust.CHANGED  # also where nothing is asked any more
    assert state(policy({}, []), other, own) == trust.NOTHING
    assert trust.revoke(str(project), own)
    assert not trust.revoke(str(project), own)
    assert state(ONE, project, own) == trust.MISSING


def test_a_change_says_what_it_was(project: Path, own: dict[str, str]) -> None:
    trust.allow(ONE, str(project), own, 1.0)
    found = trust.look(policy({"tests": {"command": ["true"], "timeout": "10m"}}, []), str(project), own)
    assert found.state == trust.CHANGED
    assert found.differences == (
        "what has to pass for `verified` was `tests`, now nothing",
        "the probe `tests` has another `command`: `make test`, now `true`",
    )


def test_the_variable_allows_the_very_digest(project: Path, own: dict[str, str]) -> None:
    digest = trust.digest_of(trust.covered(ONE))
    assert state(ONE, project, {**own, trust.VARIABLE: digest}) == trust.ALLOWED
    assert state(ONE, project, {**own, trust.VARIABLE: ""}) == trust.MISSING
    for wrong in ("1", digest[:-1], digest.upper() + " ", "*", digest + digest):
        assert state(ONE, project, {**own, trust.VARIABLE: wrong}) == trust.CHANGED, wrong
    later = policy({"tests": {"command": ["make", "tests"], "timeout": "10m"}})
    nothing = policy({}, [])
    for other in (later, nothing):
        said = trust.look(other, str(project), {**own, trust.VARIABLE: digest})
        assert said.state == trust.CHANGED
        assert said.differences == (
            f"`EXITGATE_TRUST` allows `{digest}`, and what is here has the digest"
            f" `{trust.digest_of(trust.covered(other))}`",
        )
    assert state(ONE, project, {trust.VARIABLE: digest}) == trust.ALLOWED  # no home is needed in CI


def forge(path: Path, **changed: object) -> None:
    record = json.loads(path.read_bytes())
    path.write_text(json.dumps({**record, **changed}))


def of_another_root(path: Path) -> None:
    forge(path, root="/elsewhere")


def of_a_later_form(path: Path) -> None:
    forge(path, format=2)


def without_a_digest(path: Path) -> None:
    forge(path, digest=None)


def with_other_commands(path: Path) -> None:
    forge(path, covered={"probes": {"tests": {"command": ["other"]}}, "verify": {}})


def with_nothing_covered(path: Path) -> None:
    forge(path, covered={"probes": {}, "verify": {}})


def a_link(path: Path) -> None:
    path.rename(path.with_name("real"))
    path.symlink_to("real")


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def writable_by_others(path: Path) -> None:
    path.chmod(0o622)


def in_a_folder_writable_by_others(path: Path) -> None:
    path.parent.chmod(0o777)


def in_a_folder_that_is_a_link(path: Path) -> None:
    path.parent.rename(path.parents[1] / "real")
    path.parent.symlink_to("real")


def huge(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" " * 2_000_000)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def no_json(path: Path) -> None:
    path.write_bytes(b"\xff" + path.read_bytes())


def too_deep(path: Path) -> None:
    path.write_bytes(b"[" * 100_000)


def a_list(path: Path) -> None:
    path.write_bytes(b"[" + path.read_bytes() + b"]")


@each(
    "damage",
    [
        of_another_root, of_a_later_form, without_a_digest, with_other_commands,
        with_nothing_covered, a_link, a_pipe, a_folder,
        writable_by_others, in_a_folder_writable_by_others, in_a_folder_that_is_a_link, huge,
        empty, no_json, too_deep, a_list,
    ],
    ids=lambda one: one.__name__,
)  # fmt: skip
def test_no_other_record_gives_consent(damage: Callable[[Path], None], tmp_path: Path) -> None:
    project, own = tmp_path / "project", {"XDG_STATE_HOME": str(tmp_path / "state")}
    project.mkdir()
    path = Path(trust.allow(ONE, str(project), own, 1.0))
    damage(path)
    found = trust.look(ONE, str(project), own)
    assert found.state in (trust.MISSING, trust.CHANGED)
    assert found.reason
    # nor does it hide that there was one, where nothing is asked any more
    assert trust.look(policy({}, []), str(project), own).state == trust.CHANGED
    assert trust.look(policy({}, []), str(tmp_path), own).state == trust.NOTHING


@each("number", range(40))
def test_no_damaged_byte_allows_something_else(number: int, tmp_path: Path) -> None:
    """A record of other commands stays one of other commands, no matter which of its bytes is another."""
    project, own = tmp_path / "project", {"XDG_STATE_HOME": str(tmp_path / "state")}
    project.mkdir()
    path = Path(trust.allow(policy({"tests": {"command": ["other"]}}), str(project), own, 1.0))
    raw = bytearray(path.read_bytes())
    raw[number * len(raw) // 40] ^= 1 << number % 8
    path.write_bytes(raw)
    assert trust.look(ONE, str(project), own).state != trust.ALLOWED


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_belongs_to_another_user_gives_none(
    what: str, project: Path, own: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = trust.allow(ONE, str(project), own, 1.0)
    theirs = os.stat(path if what == "file" else os.path.dirname(path)).st_ino
    owner = portable.owner
    monkeypatch.setattr(portable, "owner", lambda status: 4321 if status.st_ino == theirs else owner(status))
    assert trust.look(ONE, str(project), own).state == trust.MISSING
    assert "another user" in trust.look(ONE, str(project), own).reason


@each("value", ["", "state", ".", "../state", "~/state"])
def test_a_folder_that_depends_on_where_one_is_gives_none(value: str, tmp_path: Path) -> None:
    """A relative XDG_STATE_HOME would be a folder of the project."""
    with pytest.raises(folders.Refused):
        trust.allow(ONE, str(tmp_path), {"XDG_STATE_HOME": value}, 1.0)
    lost = {"XDG_STATE_HOME": value, "HOME": value}
    assert trust.look(ONE, str(tmp_path), lost).state == trust.MISSING
    assert trust.look(policy({}, []), str(tmp_path), lost).state == trust.NOTHING


def test_the_record_does_not_come_from_the_project(project: Path) -> None:
    """A clone that brings a record at the place where this user's would be gives no consent with it."""
    own = {"XDG_STATE_HOME": str(project / ".state")}
    with pytest.raises(folders.Refused, match="in the project"):
        trust.allow(ONE, str(project), own, 1.0)
    assert state(ONE, project, own) == trust.MISSING


@each("name", trust.AGENTS)
def test_an_agent_is_recognised(name: str) -> None:
    assert trust.agent_in({"PATH": "/bin", name: "1"}) == name
    assert trust.agent_in({"PATH": "/bin", name: ""}) == ""
