"""
Scores the shipped policies on reports of wrong decisions.

    python benchmarks/score.py [--cases FILE ...] [--policy NAME] [--all] [--only ID ...]

Each report is an input with the right answer: decision, reason, facts. It is scored with the policy
whose scheme it speaks of (`field_reports/chosen.py`), all others with `recommended`. Wrong ones are
listed with what was wanted and got, `--all` lists every one. The exit code is 1 when a report that
rests on a fix or a seed is wrong, or fewer than 95 % of the judged ones are right.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.field_reports.cases import read_reports
from benchmarks.field_reports.judge import NOT_JUDGED, RIGHT, WRONG, Scored, score

CASES = sorted((Path(__file__).resolve().parent.parent / "tests/field_reports").glob("*.yaml"))
MUST = ("fix", "seed")
ENOUGH = 0.95


def main() -> int:
    """Score a file of reports and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--cases", type=Path, nargs="+", default=CASES, help="YAML files of reports; ours")
    parser.add_argument("--policy", help="score every report with this policy instead")
    parser.add_argument("--all", action="store_true", help="list the right ones, too")
    parser.add_argument("--only", nargs="+", default=[], help="ids of reports")
    asked = parser.parse_args()
    try:
        reports = [one for file in asked.cases for one in read_reports(file)]
    except (OSError, ValueError) as error:
        print(f"cannot read the reports: {error}", file=sys.stderr)
        return 66
    wanted = [one for one in reports if not asked.only or one.id in asked.only]
    scored = [score(one, asked.policy) for one in wanted]
    for one in scored:
        if asked.all or one.judgement != RIGHT:
            _print_one(one, every=asked.all)
    return _print_sums(scored)


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
    policies = Counter((one.policy, one.judgement) for one in scored)
    for title, counts in (("basis", rows), ("policy", policies)):
        print(f"\n{title:20} {RIGHT:>8} {WRONG:>8} {NOT_JUDGED:>11}")
        for name in sorted({name for name, _ in counts}):
            cells = [counts[name, judgement] for judgement in (RIGHT, WRONG, NOT_JUDGED)]
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
