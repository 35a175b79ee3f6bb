# ruff: noqa: E501, RUF001 - lines as programs print them
"""A program that is not whole could not start; in prose and in what tests print it counts for nothing."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import document, resolved

from exitgate.core.facts.extractors import infrastructure
from exitgate.core.facts.turn.trouble import watch
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject

OPTIONS = JsonObject(lexicon=resolved("infrastructure"))
KNOWN = watch(OPTIONS)
NOON = 1_893_499_200.0

#: Whole outputs of programs that could not start.
OUTPUTS = {
    "node": "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\n"
    "Error: Cannot find module '/opt/node_modules/grist/bin/grist.js'\n"
    "    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)\n"
    "    at node:internal/main/run_main_module:36:49 {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\n"
    "Node.js v22.11.0\n",
    "node, required": "internal/modules/cjs/loader.js:905\n  throw err;\n  ^\n\nError: Cannot find module '@own/grist'\n"
    "Require stack:\n- /opt/node_modules/grist/bin/grist.js\n",
    "node, esm": "node:internal/modules/esm/resolve:275\n    throw new ERR_MODULE_NOT_FOUND(\n          ^\n\n"
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'sieve' imported from /opt/node_modules/grist/cli.mjs\n",
    "node, version": "You are running Node.js v16.0.0. Grist requires Node.js v20 or higher.",
    "python -m": "/usr/local/bin/python3.13: No module named grist",
    "python -m, no main": "/usr/bin/python: No module named grist.__main__; 'grist' is a package and cannot be"
    " directly executed",
    "python, file": "python3: can't open file '/opt/grist.py': [Errno 2] No such file or directory",
    "python, script": 'Traceback (most recent call last):\n  File "/opt/bin/grist", line 5, in <module>\n'
    "    from grist.main import main\nModuleNotFoundError: No module named 'grist'\n",
    "python, metadata": "importlib.metadata.PackageNotFoundError: No package metadata was found for grist",
    "glibc": "grist: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by grist)\n" * 2,
    "ld.so": "grist: error while loading shared libraries: libmill.so.2: cannot open shared object file:"
    " No such file or directory",
    "musl": "Error loading shared library libmill.so.2: No such file or directory (needed by /opt/bin/grist)\n"
    "Error relocating /opt/bin/grist: grind: symbol not found",
    "dyld": "dyld[77]: Library not loaded: /opt/lib/libmill.2.dylib\n  Referenced from: <0A-1B> /opt/bin/grist\n"
    "  Reason: tried: '/opt/lib/libmill.2.dylib' (no such file)",
    "machine": "zsh: bad CPU type in executable: grist",
    "windows, dll": "The code execution cannot proceed because MILL140.dll was not found. Reinstalling the program may"
    " fix this problem.",
    "windows, policy": "File C:\\npm\\grist.ps1 cannot be loaded because running scripts is disabled on this system.",
    "npx": "npm error code E404\nnpm error 404 Not Found - GET https://registry.example.org/@own%2fgrist - Not found\n"
    "npm error 404\nnpm error 404  '@own/grist@*' is not in this registry.\nnpm error 404\n"
    "npm error 404 Note that you can also install from a\nnpm error 404 tarball, folder, http url, or git folder.\n"
    "npm error A complete log of this run can be found in: /home/ann/.npm/_logs/x.log",
    "npx, version": "npm ERR! code ETARGET\nnpm ERR! notarget No matching version found for @own/grist@9.",
    "npx, not asked": 'npm error npx canceled due to missing packages and no YES option: ["grist@1"]',
    "pnpm": " ERR_PNPM_FETCH_404  GET https://registry.example.org/grist: Not Found - 404",
    "bunx": "error: could not determine executable to run for package grist",
    "yarn": 'error Couldn\'t find package "grist" on the "npm" registry.',
    "uvx": "  × No solution found when resolving tool dependencies:\n  ╰─▶ Because grist was not found in the package"
    " registry and you require grist, we can conclude that your requirements are unsatisfiable.",
    "uvx, executable": "An executable named `grist` is not provided by package `mill`.\n"
    "The following executables are available:\n- mill",
    "pipx": "'grist' executable script not found in package 'mill'.\nAvailable executable scripts:\n    mill",
    "pip": "ERROR: Could not find a version that satisfies the requirement grist (from versions: none)\n"
    "ERROR: No matching distribution found for grist",
    "docker": "Unable to find image 'grist:latest' locally\n"
    "docker: Error response from daemon: pull access denied for grist",
    "docker, none": "Cannot connect to the Docker daemon at unix:///run/docker.sock. Is the docker daemon running?",
    "pyenv": "pyenv: grist: command not found\n\nThe `grist' command exists in these Python versions:\n  3.13.1",
    "asdf": "No version is set for command grist\nConsider adding one of the following versions in your config file\n"
    "nodejs 22.1.0",
    "java": "Error: Unable to access jarfile /opt/grist.jar",
}  # fmt: skip

#: What else an answer holds that is an agent's, or shows the output of a run of tests.
BESIDE = [
    "I ran it once more:\n\n{}", "{}\n\nThe stones turn again.", "```\n{}\n```\nInstalled it.",
    "collected 41 items\n\n{}\n\n40 passed, 1 failed in 0.31s", "FAIL src/stones.test.ts\n{}\nTests: 1 failed, 1 total",
    "Ran 3 tests in 0.01s\n{}\nFAILED (errors=1)", "$ make test\n{}\nmake: *** [Makefile:3: test] Error 1",
]  # fmt: skip


def kind_of(status: int, **record: object) -> str:
    given = Source("result", record={"agent_exit": status, **record})
    found = infrastructure.extract("x", "result", OPTIONS, Iteration(1, "t#1", NOON, {"result": given}))
    return str(found[0].value)


@each("name", OUTPUTS)
def test_a_program_that_is_not_whole_cannot_start(name: str) -> None:
    for text in (OUTPUTS[name], OUTPUTS[name].replace("\n", "\r\n"), f"\x1b[31m{OUTPUTS[name]}\x1b[0m"):
        assert KNOWN.alone(text)
        assert kind_of(1, is_error=True, alone=True, tail=text) == "CANNOT_START"


@each("name", OUTPUTS)
@each("beside", BESIDE)
def test_beside_anything_else_it_counts_for_nothing(name: str, beside: str) -> None:
    text = beside.format(OUTPUTS[name])
    assert not KNOWN.alone(text)
    assert kind_of(1, tail=text) == "OTHER"


@each(
    "text",
    [
        "Error: Cannot find module './stones'", "/usr/bin/python3: No module named pytest",
        "ModuleNotFoundError: No module named 'tests.stones'", "npm error Missing script: \"test\"",
        "npm error code ELIFECYCLE\nnpm error errno 1", "E   ModuleNotFoundError: No module named 'grist'",
        "No module named grist is left in the plan.", "The mill requires Node.js 20 or higher now.",
        "Access is denied to guests.", "> npm error code E404", "- Error: Cannot find module '/opt/grist.js'",
    ],
)  # fmt: skip
def test_what_a_projects_own_tools_print_is_no_error_of_the_program(text: str) -> None:
    assert not KNOWN.alone(text)


def test_each_entry_for_answers_that_are_nothing_else_finds_its_examples_alone() -> None:
    entries = [entry for entry in document("infrastructure")["entries"] if entry.get("alone")]
    assert len(entries) >= 4
    for entry in entries:
        for example in entry["examples"]:
            assert KNOWN.alone(example), (entry["id"], example)


RATES = (
    "{} hit a rate limit that restricts requests.", "Error: Sorry, {} hit a rate limit.",
    "Error: {} exceeded the model's rate limit.", "Sorry, {} been rate-limited.", "{} reached your usage limit",
    "Error: {} exceeded your token quota", "{} no credits left", "{} run out of credits",
)  # fmt: skip


@pytest.mark.parametrize("said", RATES)
def test_words_are_the_same_with_any_apostrophe(said: str) -> None:
    kinds = {
        kind_of(1, is_error=True, alone=KNOWN.alone(text), tail=text)
        for text in (said.format(f"You{have}") for have in (" have", "'ve", "’ve"))
    }
    assert len(kinds) == 1
    assert kinds <= {"RATE_LIMIT", "USAGE_LIMIT"}


def test_each_example_with_an_apostrophe_is_known_by_the_other_one() -> None:
    for entry in document("infrastructure")["entries"]:
        if "kind" not in entry or entry.get("structured"):
            continue
        for example in entry["examples"]:
            for word in ("ou've", "ou're", "here's", "ouldn't", "an't", "We're"):
                if word in example:
                    other = example.replace(word, word.replace("'", "’"))
                    assert KNOWN.alone(other) == KNOWN.alone(example), (entry["id"], other)


@pytest.mark.parametrize(
    "said",
    [
        "[API Error: models/grist-9 is not found for API version v1, or is not supported for generateContent.]",
        '[API Error: {"error":{"code":404,"message":"models/grist-9 is not found for API version v1"}}]',
        "Error: The model `grist-9` has been deprecated", "Error: No endpoints found for own/grist-9.",
        "Error: grist-9 is not a valid model ID", "Error: could not find model 'grist-9'",
    ],
)  # fmt: skip
def test_a_model_that_is_not_there(said: str) -> None:
    assert KNOWN.alone(said) or "deprecated" in said
    assert kind_of(1, is_error=True, alone=True, tail=said) == "MODEL"
    assert kind_of(0, tail=said) == "NONE"
