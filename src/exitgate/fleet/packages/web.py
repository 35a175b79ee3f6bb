"""Reading from an https server: bounded bytes and time, no other scheme wherever it redirects to."""

from __future__ import annotations

import base64
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from urllib.parse import SplitResult, unquote, urlsplit

from exitgate.core.model.display import counted
from exitgate.core.model.value import Value
from exitgate.fleet.packages.fetched import FetchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from http.client import HTTPMessage
    from typing import IO


#: Seconds that a server may be silent, and that all of an answer may take.
SILENCE, WHOLE = 20.0, 120.0
_PIECE = 1 << 16


class Answer(Value):
    """What a server answered: the URL in the end, the type of content, the content."""

    __slots__ = ("content", "type", "url")

    def __init__(self, url: str, type: str, content: bytes) -> None:
        self.url = url
        self.type = type
        self.content = content


class Web:
    """
    Reads over https, as the user's own variables for proxies and certificates say.

    Args:
        start: URL that may have a user and a password in it: they are sent to its server alone.
    """

    def __init__(self, start: str) -> None:
        parts = _checked(start)
        self._origin = _origin(parts)
        self._credentials = ""
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._credentials = "Basic " + base64.b64encode(pair.encode()).decode("ascii")
        self._opener = urllib.request.OpenerDirector()
        for one in (
            urllib.request.ProxyHandler(),
            urllib.request.HTTPSHandler(),
            urllib.request.HTTPDefaultErrorHandler(),
            urllib.request.HTTPErrorProcessor(),
            _Redirects(),
        ):
            self._opener.add_handler(one)

    def get(self, url: str, limit: int, accept: str = "*/*") -> Answer:
        """
        Return what is at a URL.

        Args:
            url: An https URL.
            limit: Bytes that are taken at most.
            accept: Types of content that are wanted.

        Raises:
            FetchError: It is not an https URL, or the server fails, answers too much or too late.
        """
        parts = _checked(url)
        request = urllib.request.Request(without_user(url), headers={"Accept": accept})  # noqa: S310 (https)
        if self._credentials and _origin(parts) == self._origin:
            request.add_unredirected_header("Authorization", self._credentials)
        try:
            with self._opener.open(request, timeout=SILENCE) as answer:
                content = _all_of(answer, limit, shown(url))
                return Answer(answer.url, str(answer.headers.get_content_type()), content)
        except urllib.error.HTTPError as error:
            error.close()
            raise FetchError(f"`{shown(url)}` answered {error.code}") from error
        except (OSError, HTTPException, ValueError) as error:
            why = getattr(error, "reason", None) or error
            raise FetchError(f"`{shown(url)}` cannot be read: {why}") from error


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to https alone; credentials stay behind."""

    max_redirections = 5

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        _checked(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def shown(url: str) -> str:
    """Return a URL as messages and files may hold it: without user, password, query."""
    return without_user(url).partition("?")[0].partition("#")[0]


def without_user(url: str) -> str:
    """Return a URL without user and password."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


def _checked(url: str) -> SplitResult:
    """Return the parts of an https URL. Raises FetchError for any other."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise FetchError(f"`{ascii(shown(url))[1:-1]}` is not a URL") from error
    if parts.scheme != "https" or not parts.hostname or not url.isascii() or not url.isprintable():
        raise FetchError(f"`{ascii(shown(url))[1:-1]}` is not an https URL")
    return parts


def _origin(parts: SplitResult) -> tuple[str, int]:
    return str(parts.hostname).lower(), parts.port or 443


def _all_of(answer: IO[bytes], limit: int, name: str) -> bytes:
    """Return all of an answer. Raises FetchError beyond `limit`, or when it comes too slowly."""
    deadline = time.monotonic() + WHOLE
    pieces: list[bytes] = []
    size = 0
    while piece := answer.read(min(_PIECE, limit + 1 - size)):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise FetchError(f"`{name}` is larger than {counted(limit, 'byte')}")
        if time.monotonic() > deadline:
            raise FetchError(f"`{name}` took longer than {WHOLE:g} s")
    return b"".join(pieces)
