"""Evidence in the text that is shown: by its span, else by its excerpt; secrets hidden."""

from __future__ import annotations

from pathlib import Path

from page_runs import POLICY, iteration, plan, played, written

from exitgate.core.facts.text.secrets import Mask
from exitgate.core.model.fact import Evidence
from exitgate.recordings.model import RecordedIteration
from exitgate.recordings.page.assemble import page
from exitgate.recordings.page.evidence import Found, Shown, placed
from exitgate.recordings.page.view import Iteration, Segment

NOTHING = Mask(())


def shown(folder: Path, *runs: RecordedIteration, text: str = POLICY, policy: str | None = None) -> Iteration:
    path = policy or written(folder, text)
    found, policies = played({"r": list(runs)}, [path])
    return page(found, policies).runs[0].iterations[-1]


def marked(one: Iteration, kind: str = "counted") -> list[str]:
    return [part.text for part in one.response if part.kind == kind]


def test_what_counts_is_marked_where_it_stands(tmp_path: Path) -> None:
    one = shown(tmp_path, iteration(1, "All went well.\nError: disk full\nGoing on.", plan=plan(1, 4)))
    assert marked(one) == ["Error: disk full"]
    (piece,) = (piece for piece in one.evidence if piece.number)
    assert "errors.count" in piece.facts
    assert (piece.where, piece.excerpt) == ("response:2", "")
    assert Segment("counted", "Error: disk full", (piece.number,)) in one.response


def test_what_a_guard_refused_is_marked_in_another_way(tmp_path: Path) -> None:
    said = "I ticked two boxes.\n\nNot all tasks are complete yet.\n"
    one = shown(tmp_path, iteration(1, said, plan=plan(1, 4)), policy="recommended")
    refused = [piece for piece in one.evidence if piece.number and piece.guard]
    assert [piece.guard for piece in refused] == ["negated"]
    assert marked(one, "refused") == ["all tasks are complete"]
    assert "all tasks are complete" not in marked(one)


def test_evidence_of_the_output_is_shifted_into_the_response(tmp_path: Path) -> None:
    said = "Done.\n\n---RALPH_STATUS---\nSTATUS: BLOCKED\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---"
    one = shown(
        tmp_path, iteration(1, said, output="Before that: STATUS: IN_PROGRESS\n\n" + said, plan=plan(1, 4)),
        policy="recommended",
    )  # fmt: skip
    assert "STATUS: BLOCKED" in marked(one)


def test_a_span_that_does_not_fit_falls_back_to_the_excerpt() -> None:
    wrong = Evidence("response", 1, 1, 400, 410, "disk full")
    lost = Evidence("response", 1, 1, 400, 410, "not there")
    spans, pieces, left = placed(
        [Found(wrong, ["errors.count"], True), Found(lost, ["errors.count"], False)],
        Shown("response", "so the disk full error came", -1),
        NOTHING,
    )
    assert spans == [(7, 16, 1, True)]
    assert [(piece.number, piece.excerpt) for piece in pieces] == [(1, ""), (0, "not there")]
    assert left == 0


def test_a_long_piece_is_listed_and_not_marked() -> None:
    text = "x" * 500
    spans, (piece,), _ = placed(
        [Found(Evidence("response", 1, 1, 0, 500, text), ["signature"], True)],
        Shown("response", text, 0),
        NOTHING,
    )
    assert spans == []
    assert (piece.number, len(piece.excerpt)) == (0, 100)


def test_secrets_are_hidden_everywhere(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    runs = [iteration(1, f"Error: cannot push with {secret}", plan=plan(1, 4))]
    found, policies = played({"r": runs}, ["recommended"], title=f"push {secret}")
    assert secret not in repr(page(found, policies))


def test_what_is_unread_says_why(tmp_path: Path) -> None:
    reason = {"response": "the recording is cut off"}
    one = shown(tmp_path, iteration(1, None, not_known=reason, plan=plan(1, 4)))
    assert (one.silent, one.response) == ("the recording is cut off", ())
    assert shown(tmp_path, iteration(1, "", plan=plan(1, 4))).silent == "the response is empty"
    only = shown(tmp_path, iteration(1, None, output="Still typing", plan=plan(1, 4)))
    assert (only.source, only.response) == ("output", (Segment("text", "Still typing"),))


def test_a_response_said_before_is_told(tmp_path: Path) -> None:
    runs = [iteration(at, f"{'Same' if at != 2 else 'Other'} words.", plan=plan(1, 4)) for at in (1, 2, 3)]
    assert shown(tmp_path, *runs).same_as == 1
    assert shown(tmp_path, *runs[:2]).same_as == 0
