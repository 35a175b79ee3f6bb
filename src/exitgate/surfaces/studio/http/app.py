"""The studio's routes: the page's own files, what it asks for, what it changes, what happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from msgspec import DecodeError, Struct
from msgspec.json import decode
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.http.guard import Guard, Refused
from exitgate.surfaces.studio.http.json_text import json_bytes

#: What is left of the path behind the name, and the query -> a value for JSON; None for an unknown name.
Read = Callable[[str, Mapping[str, str]], object]
#: The body of a change -> a value for JSON.
Do = Callable[[JsonObject], object]
Answer = Callable[[Request], Awaitable[Response]]

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
}
#: What the page takes from the report: the same look, the same timeline.
_SHARED = ("page.css", "timeline.js")


class Action(Struct, frozen=True):
    """A change that a page asks for; one that `writes` files is refused in a read-only studio."""

    do: Do
    writes: bool = False


class Api(Struct, frozen=True):
    """
    What a page can ask the studio.

    Args:
        reads: By the name behind ``/api/``.
        fragment: The number of a run -> its page as HTML, None for an unknown number.
        actions: By the name behind ``/api/``.
        events: What happens.
    """

    reads: Mapping[str, Read]
    fragment: Callable[[int], str | None]
    actions: Mapping[str, Action]
    events: Events


def page_files() -> dict[str, Traversable]:
    """Return the page's own files by their paths below the studio's address, ``vendor/lit.js``."""
    found: dict[str, Traversable] = {}

    def collect(folder: Traversable, before: str) -> None:
        for one in folder.iterdir():
            if one.is_dir():
                collect(one, f"{before}{one.name}/")
            elif f".{one.name.rpartition('.')[2]}" in _TYPES:
                found[before + one.name] = one

    collect(files("exitgate.surfaces.studio").joinpath("web"), "")
    report = files("exitgate.recordings.page").joinpath("templates")
    return found | {name: report.joinpath(name) for name in _SHARED}


def studio_app(
    api: Api, token: str, port: int, *, read_only: bool, crashed: Callable[[Exception], None]
) -> Guard:
    """
    Return the studio as an ASGI application.

    Args:
        api: What it can be asked.
        token: The secret of the address.
        port: Where it listens.
        read_only: Whether what writes is refused.
        crashed: Is called with each fault of our own.
    """
    answers = _Answers(api, read_only)

    def answering(answer: Answer) -> Answer:
        """Return an endpoint that says as JSON what is wrong."""

        async def endpoint(request: Request) -> Response:
            try:
                return await answer(request)
            except Refused as refused:
                return refused.response()
            except ExitgateError as error:
                return _not_usable(error)
            except Exception as error:
                crashed(error)
                what = f"internal error: {type(error).__name__}"
                return Refused(
                    500, what, help="this is a bug in exitgate; the terminal shows more"
                ).response()

        return endpoint

    routes = [
        Route("/api/events", answering(answers.events), methods=["GET"]),
        Route("/api/runs/{n}.html", answering(answers.fragment), methods=["GET"]),
        Route("/api/{path:path}", answering(answers.read), methods=["GET"]),
        Route("/api/{path:path}", answering(answers.act), methods=["POST"]),
        Route("/{name:path}", answering(answers.own), methods=["GET"]),
    ]
    return Guard(Starlette(routes=routes), token, port)


class _Answers:
    """The answers to requests that may be asked."""

    def __init__(self, api: Api, read_only: bool) -> None:
        self._api = api
        self._read_only = read_only
        self._files = page_files()

    async def own(self, request: Request) -> Response:
        """Give one of the page's own files."""
        name = request.path_params["name"] or "index.html"
        if name not in self._files:
            raise Refused(404, "no such file", f"/{name[:200]}")
        kind = _TYPES[f".{name.rpartition('.')[2]}"]
        return Response(self._files[name].read_bytes(), headers={"Content-Type": kind})

    async def events(self, request: Request) -> Response:
        """Tell what happens from now on, or since the page last heard."""
        last = request.headers.get("last-event-id") or request.query_params.get("last")
        told = self._api.events.listen(last)
        return StreamingResponse(told, media_type="text/event-stream")

    async def fragment(self, request: Request) -> Response:
        """Give the page of one run."""
        text = await run_in_threadpool(self._api.fragment, _number(request.path_params["n"]))
        if text is None:
            raise Refused(404, "no such run", f"run {request.path_params['n']}", "go back to the runs")
        return HTMLResponse(text.encode("utf-8", "replace"))

    async def read(self, request: Request) -> Response:
        """Give a value by its name."""
        name, _, rest = request.path_params["path"].partition("/")
        if name not in self._api.reads:
            raise Refused(404, "the studio has no such part", f"/api/{name[:200]}")
        value = await run_in_threadpool(self._api.reads[name], rest, dict(request.query_params))
        if value is None:
            raise Refused(404, f"nothing of `{name}` has this name", rest[:200], "reload the page")
        return _json(value)

    async def act(self, request: Request) -> Response:
        """Do a change."""
        name = request.path_params["path"]
        if name not in self._api.actions:
            raise Refused(404, "the studio has no such change", f"/api/{name[:200]}")
        action = self._api.actions[name]
        if self._read_only and action.writes:
            help = "start the studio without `--read-only`"
            raise Refused(403, "this studio only reads", f"/api/{name}", help)
        return _json(await run_in_threadpool(action.do, _object(await request.body())))


def _json(value: object, status: int = 200) -> Response:
    return Response(json_bytes(value), status, media_type="application/json")


def _number(text: str) -> int:
    """Return the number of a run in an address. Raises `Refused` for what is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Refused(404, "a run goes by a number", text[:200], "go back to the runs")
    return int(text)


def _object(body: bytes) -> JsonObject:
    """Return the body of a change. Raises `Refused` for anything but a JSON object."""
    try:
        found = decode(body)
    except (DecodeError, RecursionError, UnicodeDecodeError):
        raise Refused(400, "the change is not JSON", "body") from None
    if not isinstance(found, dict):
        raise Refused(400, "the change is not a JSON object", "body")
    return JsonObject(found)


def _not_usable(error: ExitgateError) -> Response:
    """Answer with what is wrong in something that the user wrote or named."""
    return _json({"error": _told(error.diagnostics[0]), "diagnostics": [*map(_told, error.diagnostics)]}, 422)


def _told(one: Diagnostic) -> dict[str, object]:
    told: dict[str, object] = {
        "code": one.code, "severity": one.severity, "what": one.message, "help": one.help,
        "where": "" if one.place is None else str(one.place),
    }  # fmt: skip
    if one.place is not None:
        place = one.place
        told["place"] = [place.line, place.column, place.end_line, place.end_column]
    return told
