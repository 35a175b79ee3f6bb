from __future__ import annotations

import pytest
from cases import each

from exitgate.testing.cases.load import ExpansionError, column, expand


@each(
    ("name", "path"),
    [
        ("tasks.percent", ("facts", "tasks.percent")),
        ("confidence", ("facts", "confidence")),
        ("$min_completion", ("set", "min_completion")),
        ("verdict", ("expect", "verdict")),
        ("history.tasks.done", ("history", "tasks.done")),
        ("sources.response", ("sources", "response")),
        ("expect.facts.tasks.percent", ("expect", "facts", "tasks.percent")),
        ("expect.pending.stagnation", ("expect", "pending", "stagnation")),
        ("expect.undetermined", ("expect", "undetermined")),
        ("stage", ("stage",)),
    ],
)
def test_columns(name: str, path: tuple[str, ...]) -> None:
    assert column(name) == path


def test_a_case_without_table_is_itself() -> None:
    case = {"name": "a", "facts": {"x": 1}, "expect": {"verdict": "EXIT"}}
    (written,) = expand(case, ("tests", 0))
    assert written.case == case
    assert written.spot("expect", "verdict") == ("tests", 0, "expect", "verdict")


def test_rows_times_grid() -> None:
    case = {
        "name": "m",
        "facts": {"c": 1},
        "table": {"columns": ["x", "verdict"], "rows": [[1, "EXIT"], [2, None]]},
        "grid": {"$p": [5, 6]},
        "expect": {"firm": True},
    }
    found = list(expand(case, ("tests", 3)))
    assert [w.case["name"] for w in found] == [
        "m [x 1, $p 5]",
        "m [x 1, $p 6]",
        "m [x 2, $p 5]",
        "m [x 2, $p 6]",
    ]
    assert found[1].case["facts"] == {"c": 1, "x": 1}
    assert found[1].case["set"] == {"p": 6}
    assert found[0].case["expect"] == {"firm": True, "verdict": "EXIT"}
    assert found[2].case["expect"] == {"firm": True}
    assert found[0].spot("expect", "verdict") == ("tests", 3, "table", "rows", 0, 1)
    assert found[3].spot("set", "p") == ("tests", 3, "grid", "$p", 1)
    assert found[0].spot("facts", "c") == ("tests", 3, "facts", "c")
    assert case["facts"] == {"c": 1}


def test_names_of_rows() -> None:
    case = {"name": "m", "table": {"columns": ["name", "x"], "rows": [["low", 1]]}}
    assert [w.case["name"] for w in expand(case, ())] == ["m [low]"]


@pytest.mark.parametrize(
    ("case", "message", "path"),
    [
        (
            {"name": "m", "table": {"columns": ["x", "y"], "rows": [[1]]}},
            "1 cell for 2",
            ("table", "rows", 0),
        ),
        (
            {"name": "m", "facts": {"x": 1}, "table": {"columns": ["x"], "rows": [[1]]}},
            "in the case and",
            ("table", "rows", 0, 0),
        ),
        ({"name": "m", "grid": {"x": list(range(200)), "y": list(range(100))}}, "20000 cases", ()),
    ],
)
def test_trouble(case: dict[str, object], message: str, path: tuple[object, ...]) -> None:
    with pytest.raises(ExpansionError, match=message) as caught:
        list(expand(case, ()))
    assert caught.value.path == path
