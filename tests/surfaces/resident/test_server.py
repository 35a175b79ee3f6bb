"""The resident process: many at once, what changes between two requests, and what ends it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from patience import wait_for
from resident_place import POLICY, PROGRAM, Place, by_resident, copies

from exitgate.surfaces.resident.server import Server
from exitgate.surfaces.resident.warm import Warm

CLIENTS = 8


@pytest.fixture(autouse=True)
def policy(place: Place) -> None:
    place.write("small.yaml", POLICY)


def check(place: Place, *words: str, given: str = "It is all done.\n", **more: str) -> tuple[str, str]:
    """Return verdict and rule of a check that the resident process decided."""
    ran = place.run("check", "-", *(words or ("-p", "small.yaml")), "-v", given=given, **more)
    assert by_resident(ran), ran
    first = ran.stdout.splitlines()[0].split(" · ")
    return first[0], first[-1]


def test_eight_clients_at_once(place: Place) -> None:
    server = place.serve()
    for turn in range(3):
        started = [
            place.start("check", "response.md", "-p", "small.yaml", "-v", "--run", f"run-{n}")
            if n % 2
            else place.start("check", "response.md", "-p", "small.yaml", "-v", "--run", "same")
            for n in range(CLIENTS)
        ] if place.write("response.md", f"It is all done. {turn}\n") else []  # fmt: skip
        for one in started:
            _, said = one.communicate()
            assert said == f"decided by the resident process {server.pid}\n"
    assert len(place.decisions()) == 3 * CLIENTS
    lines = place.lines()
    assert [line["sequence"] for line in lines] == list(range(1, len(lines) + 1))
    assert place.run("ledger", "verify").returncode == 0
    wait_for(lambda: not copies(server))
    assert f" {3 * CLIENTS} requests " in place.run("serve", "--status").stdout


def test_an_edited_policy_counts_at_once(place: Place) -> None:
    place.serve()
    assert check(place) == ("EXIT review", "said_so")
    place.write("small.yaml", POLICY.replace("> 80", "> 95"))
    assert check(place) == ("CONTINUE", "otherwise")
    place.write("small.yaml", "policy: [")
    ran = place.run("check", "-", "-p", "small.yaml", given="x")
    assert ran.returncode == 65


def test_variables_and_folders_are_the_client_s(place: Place) -> None:
    place.serve()
    place.write("small.yaml", POLICY.replace("> 80", "> $most").replace(
        "facts:\n", "parameters:\n  most: {type: percent, default: 80}\nfacts:\n"
    ))  # fmt: skip
    assert check(place)[0] == "EXIT review"
    assert check(place, EXITGATE_SET_MOST="95")[0] == "CONTINUE"
    assert check(place)[0] == "EXIT review"
    other = place.project / "below"
    other.mkdir()
    shutil.copy(place.project / "small.yaml", other)
    ran = place.run("check", "-", "-p", "small.yaml", "-v", given="x", folder=other, EXITGATE_RUN="night")
    assert by_resident(ran)
    kept = other / ".ralph/exitgate/ledger.jsonl"
    assert {json.loads(line)["run"] for line in kept.read_text().splitlines()} == {"night#1"}


def test_the_folder_and_the_socket_are_the_user_s(place: Place) -> None:
    place.serve()
    assert place.socket.parent.stat().st_mode & 0o7777 == 0o700
    assert place.socket.stat().st_mode & 0o777 == 0o600


def test_without_a_runtime_folder_it_is_in_the_cache(place: Place) -> None:
    del place.environment["XDG_RUNTIME_DIR"]
    place.environment["EXITGATE_CACHE_DIR"] = str(place.runtime / "cache")
    place.serve()
    assert (place.runtime / "cache" / "serve" / "serve.sock").exists()
    assert check(place)[0] == "EXIT review"
    ran = place.run("check", "-", "-p", "small.yaml", "-v", given="x", EXITGATE_CACHE_DIR="")
    assert ran.stderr == ""


def test_one_process_for_a_folder(place: Place) -> None:
    place.serve()
    second = place.run("serve")
    assert second.returncode == 75
    assert "EP803" in second.stderr
    assert check(place)[0] == "EXIT review"


def test_a_place_that_others_can_look_into_is_refused(place: Place) -> None:
    place.socket.parent.mkdir(mode=0o755)
    ran = place.run("serve")
    assert ran.returncode == 73
    assert "others can look into" in ran.stderr
    place.socket.parent.rmdir()
    place.socket.parent.symlink_to("/tmp")
    assert "is not a real folder" in place.run("serve").stderr


def test_a_socket_that_was_left_is_replaced(place: Place) -> None:
    place.serve().kill()
    wait_for(lambda: place.servers[0].poll() is not None)
    assert place.socket.exists()
    place.serve()
    assert check(place)[0] == "EXIT review"


def test_it_ends_when_there_is_no_request(place: Place) -> None:
    server = place.serve("--idle-timeout", "0.2")
    _, said = server.communicate()
    assert server.returncode == 0
    assert said == f"the resident process {server.pid} has ended: there was no request for long\n"
    assert not place.socket.exists()


@pytest.mark.parametrize("way", ["removed", "replaced"])
def test_it_ends_without_its_socket(place: Place, way: str) -> None:
    server = place.serve("--idle-timeout", "1h")
    place.socket.unlink()
    if way == "replaced":
        place.socket.write_text("another's")
    _, said = server.communicate()
    assert "serve.sock` is" in said
    assert place.socket.exists() is (way == "replaced")


def test_a_path_that_fits_no_address(place: Place, tmp_path: Path) -> None:
    ran = place.run("serve", XDG_RUNTIME_DIR=str(tmp_path / ("x" * 120)))
    assert ran.returncode == 73
    assert "file name too long" in " ".join(ran.stderr.split())


def test_it_serves_without_streams(place: Place) -> None:
    """A service may have none."""
    words = [*PROGRAM, "serve"]
    server = subprocess.Popen(["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *words], env=place.environment)
    wait_for(place.socket.exists)
    place.write("small.yaml", POLICY)
    check(place)
    assert place.run("serve", "--stop").returncode == 0
    assert server.wait() == 0


def test_status_and_stop(place: Place) -> None:
    for option in ("--status", "--stop"):
        none = place.run("serve", option)
        assert (none.returncode, none.stdout) == (1, "")
        assert none.stderr.startswith("no resident process: ")
    server = place.serve()
    assert f"process {server.pid} listens" in place.run("serve", "--status").stdout
    assert place.run("serve", "--stop").returncode == 0
    assert "signal SIGTERM" in server.communicate()[1]
    assert place.run("serve", "--status", "--stop").returncode == 64
    assert place.run("serve", "--most", "0").returncode == 64
    assert place.run("serve", "--idle-timeout", "soon").returncode == 64


def test_a_copy_ends_no_other_process_than_its_own_parent(tmp_path: Path) -> None:
    """The parent may be gone before its copy is asked to end it: whose child the copy is then goes on."""
    (tmp_path / "r").mkdir(mode=0o700)
    server = Server(str(tmp_path / "r"), lambda _: 0)
    before = signal.signal(signal.SIGTERM, lambda *_: pytest.fail("another process was ended"))
    child = os.fork()
    if not child:
        server._number = 1 << 22  # the parent was this one, and is gone
        server._end()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    signal.signal(signal.SIGTERM, before)
    server._close()


def test_a_file_that_was_loaded_and_is_another_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "resident_loaded.py"
    module.write_text("X = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    import resident_loaded  # type: ignore[import-not-found]

    assert resident_loaded.X == 1
    warm = Warm()
    assert warm.changed() == ""
    module.write_text("X = 22\n")
    assert warm.changed() == str(module)
    module.unlink()
    assert warm.changed() == str(module)


def test_it_ends_when_its_code_changed(place: Place, tmp_path: Path) -> None:
    """A copy of the program, of which one file is edited."""
    import exitgate

    source = Path(str(exitgate.__file__)).parents[1]
    shutil.copytree(source / "exitgate", tmp_path / "copy/src/exitgate")
    for name in ("policies", "schemas"):
        shutil.copytree(source.parent / name, tmp_path / "copy/src/exitgate" / name)
    start = f"import sys; sys.path.insert(0, {str(tmp_path / 'copy/src')!r}); "
    code = f"{start}from exitgate.cli.start import main; sys.exit(main())"
    words = [sys.executable, "-I", "-c", code]
    server = place.serve(program=words)

    def asked() -> subprocess.CompletedProcess[str]:
        check = [*words, "check", "-", "-p", "small.yaml", "-v"]
        return subprocess.run(
            check,
            env=place.environment,
            cwd=place.project,
            input="x",
            text=True,
            capture_output=True,
            check=False,
        )

    first = asked()
    assert by_resident(first), first.stderr
    assert not by_resident(place.run("check", "-", "-p", "small.yaml", "-v", given="x"))
    edited = tmp_path / "copy/src/exitgate/core/gate/check.py"
    edited.write_text(edited.read_text() + "\n")
    assert not by_resident(asked())
    assert "check.py` is another file than the one it loaded" in server.communicate()[1]
    assert len(place.decisions()) == 3


def test_it_starts_nothing_and_holds_nothing(place: Place) -> None:
    server = place.serve()
    place.repository()
    check(place, "-p", "recommended")
    wait_for(lambda: not copies(server))
    assert os.readlink(f"/proc/{server.pid}/cwd") == "/"
    held = {os.readlink(path) for path in Path(f"/proc/{server.pid}/fd").iterdir()}
    assert not [path for path in held if str(place.project) in path]


def test_what_is_left_of_standard_input_is_left(place: Place) -> None:
    """A loop of the shell reads on where the check did not."""
    place.serve()
    place.write("response.md", "x\n")
    line = f"while read x; do echo $x; {' '.join(PROGRAM)} check response.md -p small.yaml -q; done"
    ran = subprocess.run(
        ["/bin/sh", "-c", line], env=place.environment, cwd=place.project, input="1\n2\n3\n", text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert ran.stdout == "1\n2\n3\n"
    assert len(place.decisions()) == 3


def test_a_payload_ends_with_its_object(place: Place) -> None:
    """Some hosts keep the stream open."""
    place.serve()
    payload = json.dumps({
        "session_id": "s", "hook_event_name": "Stop", "stop_hook_active": False, "cwd": str(place.project),
        "last_assistant_message": "Working.", "transcript_path": "",
    })  # fmt: skip
    with subprocess.Popen(
        [*PROGRAM, "hook", "claude-code", "-p", "small.yaml"], cwd=place.project, text=True,
        env={**place.environment, "EXITGATE_LOOP": "1"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as hook:  # fmt: skip
        assert hook.stdin is not None
        assert hook.stdout is not None
        hook.stdin.write(payload)
        hook.stdin.flush()
        assert json.loads(hook.stdout.read())["decision"] == "block"
    assert " 1 requests " in place.run("serve", "--status").stdout
