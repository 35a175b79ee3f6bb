"""For every key of `expect:` values that are right and values that are wrong, of two cases."""

from __future__ import annotations

GIVEN = """\
  - name: a case
    sources:
      plan: "- [x] first\\n- [x] second\\n- [ ] third\\n"
    earlier:
      - plan: "- [x] first\\n- [ ] second\\n- [ ] third\\n"
      - plan: "- [x] first\\n- [x] second\\n- [ ] third\\n"
    expect: {%s}
"""

#: Key -> right values and wrong ones, for the case above.
RIGHT_AND_WRONG = {
    "verdict": (["CONTINUE"], ["EXIT"]),
    "class": (["~"], ["complete", "stuck"]),
    "outcome": (["otherwise"], ["plan_complete", "other"]),
    "rule": (["~"], ["enough", "still", "open"]),
    "message": (["[]"], ["tick"]),
    "advice": (["{exact: ''}"], ["Rest.", "{exact: Rest.}"]),
    "escalation": (["[]"], ["Look"]),
    "firm": (["false"], ["true"]),
    "blind": (["false"], ["true"]),
    "undetermined": (["[open]"], ["[]", "[open, enough]", "[enough]"]),
    "alternatives": (["[open]"], ["[]", "[still]"]),
    "shadows": (["[would_stop]"], ["[]", "[enough]"]),
    "warnings": (["[few_left]", "['Only 1']"], ["[]", "['Only 2']", "[few_left, 'Only 1']"]),
    "facts": (
        ["{tasks.done: 2, tasks.percent: 66.67, circuit.state: unknown, left: 1}"],
        [
            "{tasks.done: 3}",
            "{tasks.percent: 66.6}",
            "{circuit.state: OPEN}",
            "{tasks.done: unknown}",
            "{left: 2}",
        ],
    ),
    "evidence": (
        ["{tasks.done: second}", "{tasks.done: [first, second]}", "{tasks.present: []}"],
        ["{tasks.done: third}", "{tasks.done: [first, third]}", "{tasks.done: []}"],
    ),
    "rejected": (["{tasks.done: []}"], ["{tasks.done: fenced}"]),
    "pending": (["{still: 1 of 3}", "{enough: ~}"], ["{still: 2 of 3}", "{still: ~}", "{enough: 1 of 3}"]),
}
WINNING = """\
  - name: a case
    facts: {circuit.state: CLOSED, tasks.done: 5, tasks.total: 5}
    expect: {%s}
"""
WINNING_RIGHT_AND_WRONG = {
    "verdict": (["EXIT"], ["CONTINUE"]),
    "class": (["complete"], ["~", "stuck"]),
    "outcome": (["plan_complete"], ["enough"]),
    "rule": (["enough"], ["~", "open"]),
    "message": (["5 of 5", "['5', of]", "{exact: 5 of 5}"], ["4 of 5", "[of, '4']", "{exact: 5 of}"]),
    "advice": (["Rest."], ["Work."]),
    "escalation": (["5 tasks"], ["6 tasks", "{exact: 5 tasks}"]),
    "firm": (["true"], ["false"]),
    "facts": (["{tasks.percent: 100, tasks.open: 0}"], ["{tasks.percent: 99}"]),
}
