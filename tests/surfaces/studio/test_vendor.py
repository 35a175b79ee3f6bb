"""What the page takes from others: named with version and licence, unchanged, without `eval`."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WEB = ROOT / "src/exitgate/surfaces/studio/web"
VENDOR = WEB / "vendor"
FILES = json.loads((VENDOR / "manifest.json").read_text(encoding="utf-8"))["files"]
LOCK = json.loads((ROOT / "scripts/web/package-lock.json").read_text(encoding="utf-8"))["packages"]
FREE = {"MIT", "BSD-3-Clause", "BSD-2-Clause", "ISC", "Apache-2.0"}


def test_every_file_is_in_the_manifest() -> None:
    there = {path.name for path in VENDOR.iterdir()}
    assert there == {*FILES, "manifest.json"}


@pytest.mark.parametrize("name", FILES)
def test_no_file_was_changed_by_hand(name: str) -> None:
    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == FILES[name]["sha256"]


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".js")])
def test_each_package_is_locked_and_its_licence_is_there(name: str) -> None:
    licences = (VENDOR / "LICENSES.txt").read_text(encoding="utf-8")
    assert FILES[name]["packages"]
    for one in FILES[name]["packages"]:
        assert LOCK[f"node_modules/{one['name']}"]["version"] == one["version"]
        assert one["license"] in FREE
        assert f"{one['name']} {one['version']} ({one['license']})\n" in licences
        assert (
            "Copyright" in licences.partition(f"{one['name']} {one['version']} (")[2].partition("-" * 78)[0]
        )


def test_the_lock_names_each_package_by_hash_and_no_address() -> None:
    packages = {name: one for name, one in LOCK.items() if name}
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert [name for name, one in packages.items() if "resolved" in one] == []
    wanted = json.loads((ROOT / "scripts/web/package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert wanted == {name: LOCK[f"node_modules/{name}"]["version"] for name in wanted}


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".js")])
def test_no_file_evaluates_text_or_asks_another_host(name: str) -> None:
    text = (VENDOR / name).read_text(encoding="utf-8")
    assert not re.search(r"\beval\(|new Function\b|\bimportScripts\b|document\.write\b", text)
    # Names of XML's spaces are no addresses.
    assert set(re.findall(r"https?://[\w.-]+", text)) <= {"http://www.w3.org"}
