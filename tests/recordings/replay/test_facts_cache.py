"""Facts that are kept: the same results without reading, and read anew whenever anything is not as it was."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judged_loops import loop, policy
from sessions_on_disk import session

from exitgate.core.model.fact import Evidence, Fact
from exitgate.core.model.value import Unknown
from exitgate.recordings.replay import facts_cache, transcript
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.facts_cache import FactsCache
from exitgate.recordings.replay.stored_runs import Columns, Read

WORDS = ["unsure", "likely", "certain", "unsure"]


class Counting:
    """Counts how many transcripts are read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read: list[str] = []
        real = transcript._read

        def read(found, *rest):
            self.read.append(os.path.basename(found.place.path))
            return real(found, *rest)

        monkeypatch.setattr(transcript, "_read", read)

    def again(self) -> list[str]:
        found, self.read = self.read, []
        return found


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Counting:
    return Counting(monkeypatch)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    loop(tmp_path / "runs", "loop", WORDS)
    session(tmp_path / "runs", "session", WORDS)
    policy(tmp_path)
    return tmp_path


def asked(place: Path, *names: str, **more):
    cache = FactsCache(str(place / "cache"), subagents=more.get("subagents", False))
    named = [f"{place / 'sure.yaml'}{name}" for name in names or ("",)]
    return dry_run([str(place / "runs")], named, cache=cache, **more)


def test_the_second_time_nothing_is_read_and_everything_is_the_same(place: Path, count: Counting) -> None:
    plain = dry_run([str(place / "runs")], [str(place / "sure.yaml")])
    count.again()
    first = asked(place)
    assert count.again() == ["loop", "session.jsonl"]
    second = asked(place)
    assert count.again() == []
    assert plain.results == first.results == second.results
    assert first.notes == second.notes == plain.notes
    assert first.remarks == second.remarks == ()


def test_other_parameters_of_rules_need_no_reading(place: Path, count: Counting) -> None:
    asked(place)
    count.again()
    found = asked(place, ":enough=50", ":patience=2", to_the_end=True)
    assert count.again() == []
    named = [f"{place / 'sure.yaml'}{name}" for name in (":enough=50", ":patience=2")]
    assert found.results == dry_run([str(place / "runs")], named, to_the_end=True).results


def test_an_option_of_an_extractor_needs_reading_once(place: Path, count: Counting) -> None:
    asked(place)
    count.again()
    for _ in range(2):
        asked(place, ":word=certain")
    assert count.again() == ["loop", "session.jsonl"]
    asked(place)
    asked(place, "", ":word=certain")
    assert count.again() == []


def test_policies_that_share_entries_share_what_was_found(place: Path, count: Counting) -> None:
    other = (place / "sure.yaml").read_text(encoding="utf-8").replace("patience: {", "calm: {")
    other = other.replace("$patience", "$calm").replace("policy: sure", "policy: calm")
    (place / "sure.yaml-calm").write_text(other, encoding="utf-8")
    asked(place)
    count.again()
    found = asked(place, "-calm")
    assert [result.stop.iteration for result in found.results if result.stop is not None] == [3, 3]
    assert count.again() == []


@pytest.mark.parametrize("what", ["appended", "touched", "replaced", "a file beside it"])
def test_what_changed_is_read_again(place: Path, count: Counting, what: str) -> None:
    asked(place)
    count.again()
    path = place / "runs" / "session.jsonl"
    text = path.read_text(encoding="utf-8")
    if what == "appended":
        session(place / "runs", "session", [*WORDS, "certain"])
    elif what == "touched":
        os.utime(path, ns=(1, 1))
    elif what == "replaced":
        before = path.stat()
        path.write_text(text.replace("certain", "notsure"), encoding="utf-8")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    else:
        loop(place / "runs", "loop-2", WORDS)
    found = asked(place)
    assert count.again() == (["loop-2"] if what == "a file beside it" else ["session.jsonl"])
    assert found.results == dry_run([str(place / "runs")], [str(place / "sure.yaml")]).results


def test_a_change_in_the_middle_is_seen_though_size_and_time_are_the_same(
    tmp_path: Path, count: Counting
) -> None:
    policy(tmp_path)
    path = session(tmp_path / "runs", "talk", ["unsure", "unsure", "unsure"], padding=10_000)
    assert [result.stop for result in asked(tmp_path).results] == [None]
    count.again()
    whole, status = path.read_bytes(), path.stat()
    with path.open("r+b") as file:
        # in place: the same file, the same number of bytes, the same time of change
        file.seek(whole.index(b"unsure", len(whole) // 2))
        file.write(b"sure, ")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    asked(tmp_path)
    assert count.again() == ["talk.jsonl"]


def test_a_new_file_of_a_loop_is_seen(place: Path, count: Counting) -> None:
    asked(place)
    count.again()
    old = place / "runs" / "loop" / "claude_output_2026-01-01_10-04-00.log"
    new = old.with_name("claude_output_2026-01-01_10-05-00.log")
    new.write_bytes(old.read_bytes())
    assert {result.run.id: result.run.iterations for result in asked(place).results}["loop"] == 5
    assert count.again() == ["loop"]


def files(place: Path) -> list[Path]:
    return sorted((place / "cache").iterdir())


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_damage_is_told_and_the_transcript_read(place: Path, data: st.DataObject) -> None:
    shutil.rmtree(place / "cache", ignore_errors=True)
    expected = asked(place)
    path = data.draw(st.sampled_from(files(place)))
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    kind = data.draw(st.sampled_from(["cut", "flipped", "empty"]))
    flipped = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    path.write_bytes({"cut": whole[:at], "flipped": flipped, "empty": b""}[kind])
    found = asked(place)
    assert found.results == expected.results
    assert all("the facts kept of" in note for note in found.remarks)
    assert found.notes == expected.notes
    assert asked(place).remarks == ()


def test_an_entry_with_a_right_digest_and_other_contents_is_damage(place: Path) -> None:
    expected = asked(place)
    for path in files(place):
        for rest in (
            b"[]\n{}",
            b'[]\n{"runs": [[1, 2, 3]], "problems": []}\n' + b"0" * 32 + b" [1, 2]",
            b"\xff",
            *_columns_of(path, b'[{"names": [null], "facts": 1}, 0]'),
            *_columns_of(path, b"[" * 5_000 + b"]" * 5_000),
        ):
            path.write_bytes(facts_cache._head(rest) + b"\n" + rest)
            found = asked(place)
            assert found.results == expected.results
            assert (len(found.remarks), found.notes) == (1, expected.notes)


def _columns_of(path: Path, column: bytes) -> list[bytes]:
    """Return an entry whose first two lines are right and whose facts are `column`."""
    head, runs, *rest = path.read_bytes().split(b"\n")[1:]
    return [b"\n".join([head, runs, *(line[: facts_cache._KEY] + b" " + column for line in rest)])]


def test_a_name_that_is_no_unicode_is_no_crash(place: Path, count: Counting) -> None:
    os.rename(place / "runs" / "session.jsonl", os.fsencode(place / "runs") + b"/\xff\xfe.jsonl")
    plain = dry_run([str(place / "runs")], [str(place / "sure.yaml")])
    for jobs in (1, 2, 1):
        found = asked(place, jobs=jobs)
        assert found.results == plain.results
        assert len(found.results) == 2
        assert [remark.endswith("not all of it is Unicode") for remark in found.remarks] == [True]
    assert count.again() == ["loop", "\udcff\udcfe.jsonl"] * 2 + ["\udcff\udcfe.jsonl"]


def test_the_cache_is_the_users_own(place: Path) -> None:
    asked(place)
    assert stat.S_IMODE((place / "cache").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in files(place)} == {0o600}
    (place / "cache").chmod(0o777)
    found = asked(place)
    assert len(found.results) == 2
    assert any("other users can write" in note for note in found.remarks)


def test_another_python_finds_facts_of_its_own(
    place: Path, count: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(place)
    monkeypatch.setattr(facts_cache, "_PYTHON", "cpython-999")
    count.again()
    asked(place)
    assert count.again() == ["loop", "session.jsonl"]


def test_the_cache_is_bounded(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked(place)
    sizes = [path.stat().st_size for path in files(place)]
    monkeypatch.setattr(facts_cache, "TOTAL", sum(sizes) // 2)
    monkeypatch.setattr(facts_cache, "_ROUND", 1)
    os.utime(place / "runs" / "session.jsonl", ns=(1, 1))
    asked(place)
    assert sum(path.stat().st_size for path in files(place)) <= sum(sizes) // 2
    monkeypatch.setattr(facts_cache, "BYTES", 100)
    assert len(asked(place).results) == 2


def test_neither_responses_nor_secrets_are_kept(tmp_path: Path) -> None:
    key = "AKIA" + "Q7RT2WZX9PLM4KJB"
    session(tmp_path / "runs", "s", [f"a very long story about {key}\nError: {key} was refused"])
    dry_run([str(tmp_path / "runs")], ["recommended"], cache=FactsCache(str(tmp_path / "cache")))
    kept = b"".join(path.read_bytes() for path in files(tmp_path))
    assert key.encode() not in kept
    assert b"a very long story" not in kept


def test_sub_agents_are_a_matter_of_their_own(place: Path, count: Counting) -> None:
    asked(place)
    count.again()
    asked(place, subagents=True)
    assert count.again() == ["loop", "session.jsonl"]


values = st.one_of(
    st.booleans(), st.integers(-5, 5), st.sampled_from([0.0, 1.0, 2.5, 100.0]), st.text(max_size=3),
    st.lists(st.text(max_size=2), max_size=3).map(tuple),
    st.builds(Unknown, st.text(max_size=3), st.just("a.b")),
)  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from(["a", "a.b", "c"]), values, max_size=3), max_size=8))
def test_columns_give_back_what_they_were_given(iterations) -> None:
    columns = Columns()
    for one in iterations:
        columns.add(Fact(n, v, (Evidence("response", 1, 1, 0, 1, "x"),), note="n") for n, v in one.items())
    found = Read(columns.plain())
    read = [found.facts(at) for at in range(len(iterations))]
    assert [{name: (type(f.value), f.value) for name, f in row.items()} for row in read] == [
        {name: (type(value), value) for name, value in one.items()} for one in iterations
    ]
