"""New files as a unified diff."""

from __future__ import annotations

from exitgate.report.safe import safe_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.report.style import Style


def new_file_text(path: str, text: str, style: Style, note: str = "") -> str:
    """
    Return the diff that makes a file of `text`, fit for a terminal.

    With a `note`, the note stands in the place of the lines: for files that a program wrote.
    """
    lines = text.splitlines()
    head = [style.paint("strong", "--- /dev/null"), style.paint("strong", f"+++ {safe_line(path)}")]
    counted = style.paint("place", f"@@ -0,0 +1,{len(lines)} @@")
    if note:
        return "\n".join([*head, f"{counted} {note}"]) + "\n"
    return "\n".join([*head, counted, *(style.paint("true", "+" + safe_line(line)) for line in lines)]) + "\n"
