"""The functions as they are printed: their text with the program and the policy to ask put in."""

from __future__ import annotations

import os

from exitgate.hosts.ralph.printed import quoted

FOLDER = os.path.dirname(os.path.abspath(__file__))
#: Project -> the policy that is asked where none is named.
POLICIES = {"bb3": "bb3", "doyaken": "doyaken"}


def functions(project: str, policy: str | None) -> str:
    """
    Return the bash file of a project.

    A variable EXITGATE names another program than the `exitgate` on the PATH.

    Args:
        project: `bb3` or `doyaken`.
        policy: Shipped name or path; None for the project's own scheme.
    """
    with open(os.path.join(FOLDER, f"{project}.bash"), encoding="utf-8") as file:
        return file.read().replace("@POLICY@", quoted(policy or POLICIES[project]))
