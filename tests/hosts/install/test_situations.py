"""Every host in every situation of its settings file: installed, installed again, taken out."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from install_texts import HOST_IDS, theirs, wanted

from exitgate.hosts.install.inspect import HOSTS
from exitgate.hosts.install.json_edit import parse
from exitgate.hosts.install.settings_text import entries

if TYPE_CHECKING:
    from install_place import Place

    from exitgate.hosts.install.host import Host


def others(host: Host) -> dict[str, object]:
    """Settings of somebody else: other keys, another event, a hook for the host's first event."""
    hooks = {"before": [theirs(host)], host.events[0]: [theirs(host)]}
    return {"$schema": "https://example.com", **host.head, "hooks": hooks, "z": {"b": [1, 2], "a": None}}


#: Situation -> the bytes of the file, made for a host; None for no file.
SITUATIONS = {
    "no file": lambda _: None,
    "no byte": lambda _: b"",
    "a line end alone": lambda _: b"\n",
    "an empty object": lambda _: b"{}\n",
    "an object with a line": lambda _: b"{\n}",
    "other settings": lambda _: b'{\n    "theme": "dark",\n    "list": [\n        1\n    ]\n}\n',
    "other hooks there": lambda host: json.dumps(others(host), indent=2).encode() + b"\n",
    "all on one line": lambda host: json.dumps(others(host)).encode(),
    "as tight as can be": lambda host: json.dumps(others(host), separators=(",", ":")).encode(),
    "tabs": lambda host: json.dumps(others(host), indent="\t").encode(),
    "Windows line ends": lambda host: json.dumps(others(host), indent=4).replace("\n", "\r\n").encode(),
    "a byte-order mark": lambda host: b"\xef\xbb\xbf" + json.dumps(others(host), indent=2).encode(),
    "empty hooks": lambda host: json.dumps({**host.head, "hooks": {}}, indent=2).encode(),
    "an empty list": lambda host: json.dumps({**host.head, "hooks": {host.events[0]: []}}, indent=3).encode(),
    "comments": lambda _: (
        b'// mine\n{\n  "theme": "dark", // for the eyes\n  /* "hooks": {"Stop": 1}, */\n  "last": "// none" '
        b"// with the last value\n  // and below it\n}\n// the end\n"
    ),
    "letters of the world": lambda _: '{\n  "größe": "日本 \\u00e9 😀"\n}\n'.encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", HOST_IDS)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_in_again_and_out(name: str, situation: str, place: Place) -> None:
    host = HOSTS[name]
    raw = SITUATIONS[situation](host)
    if raw is not None:
        place.write(name, raw).chmod(0o640)
    before = place.everything()

    shown = place("install", name)
    assert shown.code == 0
    assert place.everything() == before, "nothing is written without --yes"
    assert f"nothing was written; `exitgate install {name} --yes` writes it\n" in shown.err

    done = place("install", name, "--yes")
    assert done.code == 0
    assert done.out == shown.out + f"\nwrote {host.project}\n"
    path = place.settings(name)
    new = path.read_bytes()
    ours = [one for one in entries(host, parse(new.decode())) if one.ours]
    assert [one.event for one in ours] == list(host.events)
    assert {json.dumps(one.node.plain()) for one in ours} == {json.dumps(host.entry(wanted(host)))}
    if raw is not None:
        assert path.stat().st_mode & 0o777 == 0o640
        kept = iter(new.decode())
        assert all(character in kept for character in raw.decode()), "everything that was there is there"

    again = place("install", name, "--yes")
    assert (again.code, again.out) == (0, "")
    assert again.err.endswith("nothing to write: the hook is already there\n")
    assert path.read_bytes() == new

    assert place("uninstall", name).code == 0
    assert path.read_bytes() == new
    out = place("uninstall", name, "--yes")
    assert out.code == 0
    assert place.everything() == before
    none = place("uninstall", name, "--yes")
    assert (none.code, none.out, none.err) == (0, "", "nothing to remove\n")
    assert not list((place.home / ".local").rglob("*.json")), "no receipt is left"


BROKEN = {
    "half a file": (b'{"hooks": {', "1:12"),
    "a comma too many": (b'{\n  "a": 1,\n}\n', "2:9"),
    "a comma too few": (b'{\n  "a": 1\n  "b": 2\n}\n', "3:3"),
    "single quotes": (b"{'a': 1}", "1:2"),
    "two values": (b"{} {}", "1:4"),
    "a word": (b'{"a": yes}', "1:7"),
    "no number": (b'{"a": NaN}', "1:7"),
    "an open text": (b'{"a": "b\n}', "1:7"),
    "an open comment": (b'{"a": 1 /* }', "1:9"),
    "too deep": (b'{"a": ' + b"[" * 300 + b"]" * 300 + b"}", "1:207"),
}


@pytest.mark.parametrize("name", ["claude-code", "cursor"])
@pytest.mark.parametrize("situation", BROKEN)
@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_broken_json_is_never_written(name: str, situation: str, verb: str, place: Place) -> None:
    raw, at = BROKEN[situation]
    place.write(name, raw)
    ran = place(verb, name, "--yes")
    assert (ran.code, ran.out) == (65, "")
    assert place.settings(name).read_bytes() == raw
    assert "error[EP565]" in ran.err
    assert f"{HOSTS[name].project}:{at}\n" in ran.err
    assert "^" in ran.err
    if verb == "install":
        said = " ".join(ran.err.split())
        assert json.dumps(HOSTS[name].document(wanted(HOSTS[name]))) in said, "the snippet to paste"


WRONG = {
    "settings in an array": (b"[]\n", "should be an object, and is an array"),
    "settings that are a word": (b"true\n", "should be an object, and is `true`"),
    "hooks in an array": (b'{"hooks": []}\n', "`hooks` should be an object, and is an array"),
    "hooks of nothing": (b'{"hooks": null}\n', "`hooks` should be an object, and is `null`"),
    "an object for a list": (
        b'{"hooks": {"EVENT": {}}}\n',
        "`hooks.EVENT` should be an array, and is an obj",
    ),
    "a text for a list": (b'{"hooks": {"EVENT": "x"}}\n', '`hooks.EVENT` should be an array, and is `"x"`'),
}


@pytest.mark.parametrize("name", HOST_IDS)
@pytest.mark.parametrize("situation", WRONG)
def test_something_else_where_hooks_belong(name: str, situation: str, place: Place) -> None:
    raw, message = WRONG[situation]
    event = HOSTS[name].events[0]
    raw = raw.replace(b"EVENT", event.encode())
    place.write(name, raw)
    ran = place("install", name, "--yes")
    assert (ran.code, ran.out) == (65, "")
    assert "error[EP566]" in ran.err
    assert message.replace("EVENT", event) in " ".join(ran.err.split())
    assert place.settings(name).read_bytes() == raw
    assert place("uninstall", name, "--yes").code == 65


@pytest.mark.parametrize("name", HOST_IDS)
def test_a_link_keeps_pointing(name: str, place: Place) -> None:
    behind = place.home / "dotfiles.json"
    behind.write_bytes(b'{\n  "a": 1\n}\n')
    behind.chmod(0o600)
    path = place.settings(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(behind)
    assert place("install", name, "--yes").code == 0
    assert path.is_symlink()
    assert "exitgate hook" in behind.read_text(encoding="utf-8")
    assert behind.stat().st_mode & 0o777 == 0o600
    assert place("uninstall", name, "--yes").code == 0
    assert path.is_symlink()
    assert behind.read_bytes() == b'{\n  "a": 1\n}\n'


@pytest.mark.parametrize("name", HOST_IDS)
def test_what_is_no_file_to_write(name: str, place: Place) -> None:
    path = place.write(name, b"{}\n")
    path.chmod(0o444)
    ran = place("install", name, "--yes")
    assert (ran.code, ran.out) == (73, "")
    assert f"`{HOSTS[name].project}` is read-only" in ran.err
    path.unlink()
    path.symlink_to("nowhere")
    assert "is a broken link" in place("install", name, "--yes").err
    path.unlink()
    path.mkdir()
    assert "is not a file" in place("install", name, "--yes").err
    path.rmdir()
    os.mkfifo(path)
    assert "is not a file" in place("install", name, "--yes").err
    path.unlink()
    path.write_bytes(b'{"a": "\xff"}')
    ran = place("install", name, "--yes")
    assert (ran.code, ran.out) == (74, "")
    assert "is not UTF-8: byte 8" in ran.err
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("a file", encoding="utf-8")
    assert "is below a file" in place("install", name, "--yes").err
