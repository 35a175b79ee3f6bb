"""Tables of outcomes as programs write them, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings.scoring.calibration import load_outcomes


def table(folder: Path, text: str) -> str:
    path = folder / "o.csv"
    path.write_bytes(text.encode())
    return str(path)


@pytest.mark.parametrize(
    "text",
    [
        "id,solved\na,1\nb,0\n",
        "id;solved;note\na;1;x, y\nb;0;z\n",
        "note\tid\tsolved\n\ta\tTRUE\n\tb\tno\n",
        '\ufeff"id";"solved"\r\n"a";"yes"\r\n"b";"no"\r\n',
        "id,solved\n\na,1.0\nb,False,more\nc\nd,\n",
    ],
)
def test_forms_of_a_table(tmp_path: Path, text: str) -> None:
    assert load_outcomes(table(tmp_path, text), "id", "solved").of == {"a": True, "b": False}


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        ("id,id,solved\na,b,1\n", "there are 2 columns `id`", 65),
        ("solved\n1\n", "there is no column `id`", 65),
        ("", "there is no column `id`", 65),
        ('id,solved\n"a,1\n', "cannot be read: unexpected end of data", 65),
        ("id,solved\n" + "a,maybe\n" * 7, "neither true nor false", 65),
    ],
)
def test_tables_that_cannot_be_used(tmp_path: Path, text: str, said: str, code: int) -> None:
    with pytest.raises(ExitgateError) as caught:
        load_outcomes(table(tmp_path, text), "id", "solved")
    assert said in caught.value.diagnostics[0].message
    assert caught.value.exit_code == code


def test_how_many_wrong_cells_are_not_told_one_by_one(tmp_path: Path) -> None:
    with pytest.raises(ExitgateError) as caught:
        load_outcomes(table(tmp_path, "id,solved\n" + "a,maybe\n" * 7), "id", "solved")
    assert [d.message for d in caught.value.diagnostics[5:]] == ["2 more like these"]
