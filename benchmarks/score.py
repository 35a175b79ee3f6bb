"""
Scores the shipped policies: on reports of wrong decisions, on shapes of recordings, on recorded loops.

    python benchmarks/score.py [--cases FILE ...] [--shapes FOLDER] [--corpus FOLDER]
                               [--policy NAME] [--all] [--only ID ...]

Without any of the three the reports and shapes under `tests/` are scored. Each report is an input with the
right answer: decision, reason, facts. It is scored with the policy whose scheme it speaks of
(`field_reports/chosen.py`), all others with `recommended`. Recorded runs are walked by every policy;
`benchmarks/stops.py` says what shapes and a corpus are. What is wrong is listed with what was wanted and got,
of recorded runs for `recommended` or `--policy` only; `--all` lists every one. One table ends it: for each
policy the right ones, and how many of the others stop too early, too late, not at all, in a wrong class, or
are wrong otherwise. The exit code is 1 when a report that rests on a fix or a seed is wrong, when fewer than
95 % of the judged ones are right, or when `recommended` stops a recorded run too early.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.field_reports.cases import read_reports
from benchmarks.field_reports.judge import NOT_JUDGED, RIGHT, WRONG, Scored, score
from benchmarks.stops import CLASS, UNREAD, corpus_stops, shape_stops

from exitgate.core.policy.shipped import policies
from exitgate.recordings.scoring.scores import LATE, MISSED, PREMATURE

TESTS = Path(__file__).resolve().parent.parent / "tests"
CASES = sorted((TESTS / "field_reports").glob("*.yaml"))
SHAPES = TESTS / "transcripts" / "shapes"
MUST = ("fix", "seed")
ENOUGH = 0.95
MAIN = "recommended"
OTHER = "otherwise"
KINDS = (RIGHT, PREMATURE, LATE, MISSED, CLASS, OTHER, UNREAD, NOT_JUDGED)


def main() -> int:
    """Score what is given and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--cases", type=Path, nargs="+", help="YAML files of reports")
    parser.add_argument("--shapes", type=Path, help="folder of shapes")
    parser.add_argument("--corpus", type=Path, help="folder of loops with a RUNS.csv")
    parser.add_argument("--policy", help="score everything with this policy instead")
    parser.add_argument("--all", action="store_true", help="list the right ones, too")
    parser.add_argument("--only", nargs="+", default=[], help="ids of reports")
    asked = parser.parse_args()
    if not (asked.cases or asked.shapes or asked.corpus):
        asked.cases, asked.shapes = CASES, None if asked.only else SHAPES
    rows: Counter[tuple[str, str, str]] = Counter()
    try:
        bad = _cases(asked, rows) if asked.cases else 0
        bad = max(bad, _runs(asked, rows))
    except (OSError, ValueError) as error:
        print(f"cannot read the input: {error}", file=sys.stderr)
        return 66
    _print_table(rows)
    return bad


def _cases(asked: argparse.Namespace, rows: Counter[tuple[str, str, str]]) -> int:
    """Score the reports, and return the exit code that they call for."""
    reports = [one for file in asked.cases for one in read_reports(file)]
    wanted = [one for one in reports if not asked.only or one.id in asked.only]
    scored = [score(one, asked.policy) for one in wanted]
    for one in scored:
        rows["reports", one.policy, _kind(one)] += 1
        if asked.all or one.judgement != RIGHT:
            _print_one(one, every=asked.all)
    return _print_sums(scored)


def _kind(one: Scored) -> str:
    """Return how a report is wrong: by its decision where that is, else by its reason or facts."""
    if one.judgement != WRONG:
        return one.judgement
    wrong = {part.what for part in one.parts if part.judgement == WRONG}
    if "decision" in wrong:
        return PREMATURE if one.report.decision == "CONTINUE" else MISSED
    return CLASS if "reason" in wrong else OTHER


def _runs(asked: argparse.Namespace, rows: Counter[tuple[str, str, str]]) -> int:
    """Score the recorded runs, and return the exit code that they call for."""
    names = [asked.policy] if asked.policy else sorted(policies(), key=lambda name: name != MAIN)
    found = [("shapes", one) for one in (shape_stops(asked.shapes, names) if asked.shapes else ())]
    found += [("loops", one) for one in (corpus_stops(asked.corpus, names) if asked.corpus else ())]
    for what, one in found:
        rows[what, one.policy, one.kind] += 1
        if asked.all or (one.kind != RIGHT and one.policy == names[0]):
            print(f"{one.kind.upper():12} {one.run} ({what}, {one.policy}): {one.detail}")
    return int(any(one.kind == PREMATURE and one.policy == MAIN for _, one in found))


def _print_table(rows: Counter[tuple[str, str, str]]) -> None:
    kinds = [kind for kind in KINDS if any(key[2] == kind for key in rows)]
    print(f"\n{'policy':27}{'on':8}" + "".join(f"{kind:>13}" for kind in kinds))
    for what in dict.fromkeys(what for what, _, _ in rows):
        for name in sorted({name for on, name, _ in rows if on == what}, key=lambda n: (n != MAIN, n)):
            print(f"{name:27}{what:8}" + "".join(f"{rows[what, name, kind]:13}" for kind in kinds))


def _print_one(one: Scored, *, every: bool) -> None:
    report = one.report
    about = f"{report.id} ({report.basis}, {report.kind}, {one.policy}): {report.title}"
    print(f"{one.judgement.upper():10} {about}")
    if one.decided:
        print(f"{'':10}   decided {one.decided}")
    for part in one.parts:
        if every or part.judgement != RIGHT:
            print(f"{'':10}   {part.judgement:10} {part.what}: {part.detail}")


def _print_sums(scored: list[Scored]) -> int:
    rows = Counter((one.report.basis, one.judgement) for one in scored)
    print(f"\n{'basis':20} {RIGHT:>8} {WRONG:>8} {NOT_JUDGED:>11}")
    for name in sorted({name for name, _ in rows}):
        cells = [rows[name, judgement] for judgement in (RIGHT, WRONG, NOT_JUDGED)]
        print(f"{name:20} {cells[0]:8} {cells[1]:8} {cells[2]:11}")
    judged = [one for one in scored if one.judgement != NOT_JUDGED]
    right = sum(one.judgement == RIGHT for one in judged)
    share = right / len(judged) if judged else 0.0
    failed = [one.report.id for one in scored if one.report.basis in MUST and one.judgement == WRONG]
    not_judged = len(scored) - len(judged)
    print(f"\n{right} of {len(judged)} judged reports are right ({share:.1%}); {not_judged} not judged")
    if failed:
        print(f"wrong although a fix or a seed says so: {', '.join(failed)}")
    return 1 if failed or share < ENOUGH else 0


if __name__ == "__main__":
    sys.exit(main())
