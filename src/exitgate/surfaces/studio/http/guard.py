"""
Who may ask the studio, and how: this machine's browser, through the address that the command printed.

Every request passes here before anything else sees it. A page elsewhere that makes the browser ask for it is
refused by three things it cannot forge: Host, Origin and Sec-Fetch-Site. Another user of the machine is
refused by the cookie, which only the token of the printed address gives.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from urllib.parse import parse_qs

from msgspec.json import encode
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: What the page may load, run and ask: its own files, and nothing that a text could bring along.
CONTENT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
#: Bytes of a request's body: a policy of the greatest size, twice, escaped.
MOST = 4 << 20
#: The query's name of the token.
TOKEN = "token"  # noqa: S105  # a name
READING = ("GET", "HEAD")
_ADDRESS = "open the address that `exitgate studio` printed, or start it again"


class Refused(Exception):  # noqa: N818  # an answer, not a fault
    """
    Why a request gets no answer of its own.

    Args:
        status: Of HTTP.
        what: What is wrong.
        where: The part of the request that it is about.
        help: What to do.
    """

    def __init__(self, status: int, what: str, where: str = "", help: str = "") -> None:
        super().__init__(what)
        self.status = status
        self.what = what
        self.where = where
        self.help = help

    def response(self) -> Response:
        """Return the refusal as JSON."""
        told = {"what": self.what, "where": self.where, "help": self.help}
        return Response(encode({"error": told}), self.status, media_type="application/json")


class Guard:
    """
    The studio's routes, for those alone who may ask.

    Args:
        app: What answers.
        token: The secret of the printed address.
        port: Where the studio listens.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        # Cookies do not know ports: two studios on one machine need two names.
        self.cookie = f"exitgate-studio-{port}"
        self._secret = secrets.token_urlsafe(32)
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not. Every answer has the headers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        try:
            entered = self._entered(scope)
            answer = self._app if entered is None else entered
            await answer(scope, _bounded(receive), with_headers)
        except Refused as refused:
            await refused.response()(scope, receive, with_headers)

    def _entered(self, scope: Scope) -> Response | None:
        """Return the redirect by which a browser enters; None for one that is in. Raises `Refused`."""
        headers = Headers(scope=scope)
        self._check_origin(scope["method"], headers)
        if scope["method"] not in (*READING, "POST"):
            raise Refused(405, f"no `{scope['method']}` here", "method")
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get(TOKEN)
        if scope["path"] == "/" and given is not None and scope["method"] == "GET":
            if len(given) != 1 or not _same(given[0], self._token):
                raise Refused(401, "the token in the address is another", TOKEN, _ADDRESS)
            entered = RedirectResponse("/", 303)
            entered.set_cookie(self.cookie, self._secret, path="/", httponly=True, samesite="strict")
            return entered
        if not any(_same(one, self._secret) for one in _cookies(headers, self.cookie)):
            raise Refused(401, "this browser has not entered yet", "cookie", _ADDRESS)
        if scope["method"] == "POST":
            _check_body(headers)
        return None

    def _check_origin(self, method: str, headers: Headers) -> None:
        """Raise `Refused` for a request that another page, name or machine brought about."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise Refused(421, "the studio has no such name", "Host", _ADDRESS)
        origins = headers.getlist("origin")
        if method == "POST" and not origins:
            raise Refused(403, "a change has to say which page it is from", "Origin")
        if any(one.lower() != f"http://{hosts[0].lower()}" for one in origins):
            raise Refused(403, "a page of another origin asks", "Origin")
        sites = headers.getlist("sec-fetch-site")
        # `none` is an address that a person typed or a program opened; a page elsewhere cannot send it.
        if any(one not in ("same-origin", "none") for one in sites) or (method == "POST" and "none" in sites):
            raise Refused(403, "a page of another site asks", "Sec-Fetch-Site", _ADDRESS)


def _same(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _cookies(headers: Headers, name: str) -> list[str]:
    pairs = (one.strip().partition("=") for text in headers.getlist("cookie") for one in text.split(";"))
    return [value for key, _, value in pairs if key == name]


def _check_body(headers: Mapping[str, str]) -> None:
    """Raise `Refused` for a body that is too long, or not JSON: a form of another page sends other types."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "a change is written as JSON", "Content-Type")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or len(length) > 12 or int(length) > MOST:
        raise Refused(413, f"a change has at most {MOST:,} bytes", "Content-Length")


def _bounded(receive: Receive) -> Receive:
    """Return a `receive` that refuses a body of more than `MOST` bytes, of any announced length."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST:
            raise Refused(413, f"a change has at most {MOST:,} bytes", "body")
        return message

    return counted
