"""Slack, ntfy and webhooks that hear of an EXIT: https alone, no redirects, an answer in bounded time."""

from __future__ import annotations

import threading
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct, to_builtins

from exitgate import __version__
from exitgate.core.facts.text.secrets import Mask
from exitgate.core.ledger.typed import LedgerLine
from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.incidents import note
from exitgate.core.state.policy_snapshots import kept
from exitgate.report.formats.json import json_line
from exitgate.report.notification import NotificationOutput, notification, sentence_of, title_of
from exitgate.report.terminal import safe

SLACK, NTFY, WEBHOOK = KINDS = ("slack", "ntfy", "webhook")
#: Seconds that a service may take to answer, and at most for all of it; bytes that are read of an answer.
SECONDS, WHOLE, ANSWER = 10.0, 30.0, 1024
#: Services told at once, of all EXITs together.
AT_ONCE = 16
_STEP = 0.05
_MASKING = "recommended"
#: Class -> a tag of ntfy and its priority; others have neither.
_TAGS = {"complete": ("white_check_mark", "default"), "wait": ("hourglass", "low")}
_OTHERWISE = ("warning", "high")


class Sink(Struct, frozen=True):
    """A service: one of `KINDS`, and its address, which is never shown."""

    kind: str
    url: str

    @property
    def shown(self) -> str:
        """What people are shown: the path of an address is a secret."""
        return f"{self.kind} at {urlsplit(self.url).hostname}"


def sink_of(text: str, own: Mapping[str, str]) -> Sink | None:
    """
    Return the service that a value of `--notify` names; None where it is a command.

    Args:
        text: ``slack=URL``, or ``slack`` for the address in the user's own settings.
        own: Kind -> address of those.

    Raises:
        ExitgateError: 64 (EP582) for an address that cannot be used, or is missing.
    """
    kind, given, url = text.partition("=")
    if kind not in KINDS:
        return None
    if not given:
        if kind not in own:
            message = f"`--notify {kind}` has no address"
            raise _unusable(message, f"write `{kind}=URL`, or `notify: {{{kind}: URL}}` in your own settings")
        url = own[kind]
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise _unusable(f"the address for {kind} is not a URL", "write `https://...`") from None
    if not host or parts.username is not None or not (url.isascii() and url.isprintable()) or " " in url:
        raise _unusable(f"the address for {kind} is not a URL that can be used", "write `https://HOST/PATH`")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(host)):
        message = f"the address for {kind} is not https"
        raise _unusable(message, "only this machine itself is reached without it")
    return Sink(kind, url)


def _unusable(message: str, help: str) -> ExitgateError:
    return ExitgateError([Diagnostic("EP582", message, help=help)], USAGE)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Sinks:
    """
    Services that hear of each EXIT once, while the view continues.

    A service that fails is reported once, and again only when it has worked in between.

    Args:
        sinks: The services.
        directory: The state directory, where a failure is kept as an incident.
        send: Sends; raises `OSError` with a reason.
        clock: Returns the time in seconds.
    """

    def __init__(
        self,
        sinks: Sequence[Sink],
        directory: str,
        send: Callable[[urllib.request.Request], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sinks = tuple(sinks)
        self._directory = directory
        self._send = send or _sent
        self._clock = clock
        self._told: set[tuple[object, object]] = set()
        self._under_way: list[_Sending] = []
        self._failing: set[Sink] = set()

    def tell(self, line: LedgerLine) -> tuple[str, ...]:
        """Begin to tell of a decision that is an EXIT, once; return what went wrong, in sentences."""
        key = (line.sequence, line.time)
        if not self._sinks or line.exit_class is None or key in self._told:
            return ()
        self._told.add(key)
        told = notification(line, self._mask(line))
        troubles: list[str] = []
        for sink in self._sinks:
            if len(self._under_way) >= AT_ONCE:
                troubles += self._came_out(sink, line, "too many are under way")
                continue
            one = _Sending(sink, line, self._clock() + WHOLE)
            self._under_way.append(one)
            work = (one, request_of(sink, told), self._send)
            threading.Thread(target=_send, args=work, daemon=True).start()
        return tuple(troubles)

    def done(self) -> tuple[str, ...]:
        """Return what went wrong with those that are over; give up those that took too long."""
        troubles: list[str] = []
        for one in tuple(self._under_way):
            late = not one.over.is_set() and self._clock() >= one.until
            if one.over.is_set() or late:
                self._under_way.remove(one)
                troubles += self._came_out(one.sink, one.line, "it took too long" if late else one.trouble)
        return tuple(troubles)

    @property
    def under_way(self) -> bool:
        """Whether there is one that is not over, as far as was looked."""
        return bool(self._under_way)

    def wait(self, seconds: float = float("inf")) -> tuple[str, ...]:
        """Wait until all are over, for so long at most; return what went wrong."""
        troubles = self.done()
        end = self._clock() + seconds
        while self._under_way and self._clock() < end:
            self._under_way[0].over.wait(_STEP)
            troubles = (*troubles, *self.done())
        return troubles

    def end(self) -> tuple[str, ...]:
        """Wait for none any more; return a sentence for each that is under way."""
        left, self._under_way = self._under_way, []
        return tuple(
            text for one in left for text in self._came_out(one.sink, one.line, "the wait was interrupted")
        )

    def _came_out(self, sink: Sink, line: LedgerLine, trouble: str) -> tuple[str, ...]:
        if not trouble:
            self._failing.discard(sink)
            return ()
        if sink in self._failing:
            return ()
        self._failing.add(sink)
        text = f"{sink.shown} did not hear of the EXIT of {safe(line.run)}: {safe(trouble)}"
        is_kept = note(self._directory, "notify", text, program=sink.kind, run=line.run)
        return (text if is_kept else f"{text}; that could not be kept for `exitgate doctor` either",)

    def _mask(self, line: LedgerLine) -> Mask:
        """Return what hides the secrets of the policy that decided, or of the shipped one."""
        try:
            policy = kept(self._directory, line.decided_by.digest or "")
        except ExitgateError:
            policy = load_policy(_MASKING)
        return Mask(policy.mask)


class _Sending:
    def __init__(self, sink: Sink, line: LedgerLine, until: float) -> None:
        self.sink = sink
        self.line = line
        self.until = until
        self.over = threading.Event()
        self.trouble = ""


def _send(
    one: _Sending, request: urllib.request.Request, send: Callable[[urllib.request.Request], None]
) -> None:
    try:
        send(request)
    except (OSError, HTTPException, ValueError) as error:
        one.trouble = _why(error)
    finally:
        one.over.set()


def _why(error: Exception) -> str:
    """Return why it failed, without the address: texts of some errors have it."""
    if isinstance(error, urllib.error.HTTPError):
        return f"it answered {error.code}"
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, TimeoutError):
        return "it did not answer in time"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return type(reason).__name__


def request_of(sink: Sink, told: NotificationOutput) -> urllib.request.Request:
    """Return what a service is sent."""
    headers = {"User-Agent": f"exitgate/{__version__}", "Content-Type": "application/json"}
    if sink.kind == SLACK:
        body = json_line({"text": _of_slack(sentence_of(told))})
    elif sink.kind == WEBHOOK:
        body = json_line(to_builtins(told))
    else:
        tag, priority = _TAGS.get(told.exit_class, _OTHERWISE)
        headers |= {"Title": _header(title_of(told)), "Priority": priority, "Tags": tag}
        headers["Content-Type"] = "text/plain; charset=utf-8"
        body = sentence_of(told)
    raw = body.encode("utf-8", "replace")
    return urllib.request.Request(sink.url, raw, headers, method="POST")  # noqa: S310  `sink_of` looked at it


def _of_slack(text: str) -> str:
    """Return a text in which Slack finds no link, mention or channel."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _header(text: str) -> str:
    """Return a text as a header can have it (RFC 2047)."""
    if text.isascii() and text.isprintable():
        return text
    return f"=?UTF-8?B?{b64encode(text.encode('utf-8', 'replace')).decode()}?="


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow none: what is sent is for the address that the user wrote."""


def _sent(request: urllib.request.Request) -> None:
    host = urlsplit(request.full_url).hostname or ""
    proxies = urllib.request.ProxyHandler({} if _is_loopback(host) else None)
    opener = urllib.request.build_opener(_NoRedirect, proxies)
    with opener.open(request, timeout=SECONDS) as answer:
        answer.read(ANSWER)
