"""Attacks, and a page on which one stands wherever a transcript or a policy can put a text."""

from __future__ import annotations

from pathlib import Path

from page_runs import POLICY, iteration, plan, played, written

from exitgate.recordings.model import FileChange, Provenance, ToolCall
from exitgate.recordings.page.assemble import page
from exitgate.recordings.page.render import html

ATTACKS = (
    "</script><script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)' x='",
    "<svg/onload=alert(1)>",
    "<a href='javascript:alert(1)'>here</a>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% for x in (1, 2) %}x{% endfor %}",
    "<!--", "]]>", "<![CDATA[", "&lt;b&gt;", "&#60;script&#62;",
    "<base href=//evil.example><meta http-equiv=refresh content=0>",
    "\x1b[2J\x1b]0;title\x07\x1b[31m",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200f",
    "a\x00b\x0bc\x7f", "lone \ud800 and \udfff", "\ufeff\u2028\u2029", "x" * 200_000,
)  # fmt: skip


def hostile_page(folder: Path, text: str) -> str:
    """Return a page on which `text` stands wherever a transcript or a policy can put one."""
    short = text[:300]
    answer = {
        "status": short, "reason": text, "failing": [text, short] * 30, "evidence": [[short, 1, text]] * 30,
        "notes": [text], "why": {"rule": text, "facts": [text]}, "reused": short, "seconds": 10**400,
    }  # fmt: skip
    one = iteration(
        1, f"{text}\nError: {text}\n", plan=f"- [ ] {short}\n- [x] {short}\n", error_kind=short,
        tool_calls=(ToolCall(short, {"x": text}, text),), files_changed=(FileChange(short),),
        record={"cost": 0.1, "error": short, "is_error": True}, prompt=text,
        not_known={"git": short, "circuit": short},
        probes={short: answer, "tests": answer},
    ).but(provenance=Provenance(short, 1))  # fmt: skip
    runs = {
        short or "r": [
            one,
            iteration(2, None, not_known={"response": short}),
            iteration(3, text, plan=plan(1, 2)),
        ]
    }
    found, policies = played(runs, ["recommended"], title=short, how="failed", why=short)
    quoted = "".join(c if c.isprintable() and c not in '"\\{}' else " " for c in text)[:200]
    bad = POLICY.replace("title: Four rules", f'title: "{quoted}"').replace(
        '"{errors.count} errors"', f'"{quoted}"'
    )
    more, loaded = played(runs, [written(folder, bad)], title=short)
    policies |= loaded
    return html(page(type(found)((*found.results, *more.results), notes=(short,)), policies))
