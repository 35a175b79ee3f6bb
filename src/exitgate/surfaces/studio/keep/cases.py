"""A decision on a recorded run as a case of tests.yaml: "make this a test"."""

from __future__ import annotations

import os
from collections.abc import Sequence

from exitgate.core.engine.program import Program
from exitgate.core.facts.text.secrets import Mask
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.recordings.replay.replay import Decided
from exitgate.surfaces.studio.keep.files import Change, project_place, read
from exitgate.surfaces.studio.keep.settings import text_of
from exitgate.surfaces.studio.workspace.column import Column
from exitgate.surfaces.studio.workspace.refusal import refusal
from exitgate.testing.as_test import as_test
from exitgate.testing.mutants.examples import check_cases, new_file, with_cases

#: Where cases for a policy without a file of its own are, from the project's folder.
TESTS = ".bb3/tests.yaml"
#: Iterations that a case may need; conditions look back no further.
MOST = 200


def change_of_tests(
    column: Column, project: str, name: str, decided: Sequence[Decided], mask: Mask
) -> Change:
    """
    Return the policy's tests with one more case, which passes: what the policy decides on an iteration.

    Args:
        column: The policy, with its draft.
        project: Folder that the studio may write in.
        name: What the case is called.
        decided: The iterations, the one that matters last.
        mask: Hides secrets.

    Raises:
        ExitgateError: No case leads to this decision; the tests as they would be do not all pass.
    """
    policy = column.settled.policy
    records = tuple(one.record for one in decided[-MOST:])
    case = mask.mask(as_test(name, Program(policy), records, decided[-1].decision))
    own = column.origin.file()
    if own is None:
        path, reference = os.path.join(project, *TESTS.split("/")), policy.name
    else:
        path, reference = os.path.join(os.path.dirname(own), "tests.yaml"), os.path.basename(own)
    place = project_place(project, path)
    old = read(place)
    if old is None:
        new = new_file(reference, [case])
    else:
        new = with_cases(text_of(old, place.path), place.path, [case])
        *names, added = _names(new)
        if added in names:
            raise refusal(f"`{place.path}` has a case of this name", "give it another name")
    check_cases(new, place.whole)
    return Change(place, old, new.encode())


def _names(text: str) -> list[object]:
    """Return what the cases of a file of tests are called, in order."""
    tests = load_yaml(text, "").root.at(("tests",))
    return [None if (name := one.get("name")) is None else name.value for one in tests.items]
