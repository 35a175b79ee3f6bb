"""Rows of points whose sum ends at the same end of its range either way."""

from __future__ import annotations

from pathlib import Path

from small_policies import compiled, rule

from exitgate.analysis.mutation.registry import mutants

FLAG = """\
  flag:
    points:
      - {when: tasks.present, add: 1, because: a plan}
      - {when: tasks.complete, add: 3, because: done}
      - {when: status.signal, add: -1, because: said}
    range: [0, 1]
"""


def test_a_row_that_always_reaches_the_end_is_not_moved_beyond_it(tmp_path: Path) -> None:
    policy = compiled(tmp_path, FLAG + rule("flag == 1"))
    afters = [one.after for one in mutants(policy, ["points"], "flag") if one.after.startswith("add")]
    assert afters == [
        "add 0 when tasks.present",
        "add 2 when tasks.present",  # with the row that takes away it makes a difference
        "add -2 when status.signal",
        "add 0 when status.signal",
    ]
