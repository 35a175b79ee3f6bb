"""What people read about wrong conditions: every block of the golden tables, and every code."""

from cases import each
from golden import blocks, told

from exitgate.core.language.codes import CODES

SYNTAX = blocks("syntax_errors.txt")
CHECK = blocks("check_errors.txt")


@each("block", SYNTAX, ids=lambda block: block.split("\n")[0])
def test_syntax(block):
    assert told(block.split("\n")[0], checked=False) == block
    assert " EP3" in block


@each("block", CHECK, ids=lambda block: block.split("\n")[0])
def test_names_and_types(block):
    assert told(block.split("\n")[0], checked=True) == block
    assert "\n" in block


def test_every_code_is_shown_somewhere():
    shown = {code for code in CODES if any(f" {code} " in block for block in SYNTAX + CHECK)}
    elsewhere = {"EP301", "EP302", "EP303", "EP419"}  # test_parse.py, test_measure.py
    assert shown | elsewhere == set(CODES)
    assert not shown & elsewhere
