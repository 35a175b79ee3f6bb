"""JSON the quick way is JSON as the package has it, also in a process that never loaded the package."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.model import quick_json

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
DAMAGED = ['{"a": 1', "{broken", '{"a" 1}', "[1,", '"open', "nul", "", "  ", "1 2", '"\t"', "[1]]", "\x00"]


@given(PLAIN)
@settings(max_examples=300, deadline=None)
def test_what_it_writes_the_package_reads_and_the_other_way_round(value: object) -> None:
    assert json.loads(quick_json.dumps(value)) == value
    assert quick_json.dumps(value) == json.dumps(value, separators=(",", ":"))
    assert quick_json.loads(json.dumps(value, indent=1)) == value


@given(st.text() | st.sampled_from(DAMAGED) | PLAIN.map(json.dumps).map(lambda t: t[: len(t) // 2]))
@settings(max_examples=300, deadline=None)
def test_it_refuses_what_the_package_refuses(text: str) -> None:
    try:
        want: object = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):
            quick_json.loads(text)
        return
    found = quick_json.loads(text)
    assert found == want or found != found


def test_damage_is_a_value_error_where_the_package_was_never_loaded() -> None:
    code = (
        "import sys; from exitgate.model.quick_json import loads\n"
        "assert 'json' not in sys.modules\n"
        f"for text in {DAMAGED!r}:\n"
        "    try: loads(text)\n"
        "    except ValueError: pass\n"
        "    else: raise SystemExit('accepted ' + repr(text))\n"
    )
    for text in DAMAGED:
        one = code.replace(repr(DAMAGED), repr([text]))
        ran = subprocess.run([sys.executable, "-c", one], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, (text, ran.stderr[-300:])


def test_infinite_numbers_are_refused_where_other_programs_read() -> None:
    with pytest.raises(ValueError):
        quick_json.dumps_finite([float("inf")])
