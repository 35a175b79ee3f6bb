"""The page's own modules: what they may not do, whom they import, and signs that the report has as well."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from exitgate.recordings.page.cells import SIGNS
from exitgate.surfaces.studio.http.app import page_files

WEB = Path(__file__).parents[3] / "src/exitgate/surfaces/studio/web"
MODULES = sorted(WEB.glob("*.js"))
#: Ways to make a text code or markup, and attributes that the content security policy stops.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|unsafe(?:HTML|SVG)|srcdoc"
    r"|[\s\"'`]style=|\son\w+=\"|setTimeout\(\s*[\"'`]|https?://"
)


def test_there_are_modules() -> None:
    assert len(MODULES) > 15


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_makes_a_text_code(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert FORBIDDEN.findall(text) == []
    assert len(text.splitlines()) <= 300


@pytest.mark.parametrize(
    "text", ["a.innerHTML = b", "html`<p style=${a}>`", "html`<p onclick=\"a()\">`", "eval(a)", "fetch('http://a')"]
)  # fmt: skip
def test_the_test_finds_it(text: str) -> None:
    assert FORBIDDEN.search(text)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_each_import_is_a_file_that_is_served(path: Path) -> None:
    served = page_files()
    for name in re.findall(r"from \"([^\"]+)\"", path.read_text(encoding="utf-8")):
        assert name.startswith("./")
        assert name.removeprefix("./") in served


def test_each_name_that_is_imported_is_exported() -> None:
    served = page_files()
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        for names, file in re.findall(r"import \{([^}]+)\} from \"\./([^\"]+)\"", text):
            exported = served[file].read_text(encoding="utf-8")
            for name in (one.split(" as ")[0].strip() for one in names.split(",") if one.strip()):
                assert re.search(
                    rf"export (?:const|class|function) {name}\b|\b(?:as )?{name}[,}}]", exported
                ), name


def test_classes_have_the_signs_of_the_report() -> None:
    text = (WEB / "words.js").read_text(encoding="utf-8")
    tones = re.findall(r"\[\"(.)\", \"(\w+)\", \"(.)\"\]", text)
    assert {name: sign for _, name, sign in tones} == SIGNS
    assert len({letter for letter, _, _ in tones}) == len(tones)


def test_every_class_has_its_colours() -> None:
    styles = "".join(page_files()[name].read_text(encoding="utf-8") for name in ("page.css", "studio.css"))
    for name in (*SIGNS, "other"):
        assert re.search(rf"\.{name}\b[^{{}}]*\{{[^}}]*--full:", styles), name


def test_the_first_page_loads_its_own_files_alone() -> None:
    text = (WEB / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r"(?:src|href)=\"([^\"]+)\"", text)
    assert [name for name in loaded if name not in page_files() and name != "#main"] == []
    assert not re.search(r"<script(?! type=\"module\" src=)|<style|\sstyle=|\son\w+=", text)
