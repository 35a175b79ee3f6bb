"""
What happens, told to every page that listens: server-sent events.

Threads publish, the event loop sends. Each page has a queue with an end: one that is too slow, or comes back
after more than is kept, receives the request to load everything anew instead of a part.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import deque
from collections.abc import AsyncIterator, Mapping

from msgspec import Struct

from exitgate.surfaces.studio.http.guard import Refused
from exitgate.surfaces.studio.http.json_text import json_bytes

#: Events that wait for one page, and those that are kept for pages which come back.
WAITING, KEPT = 256, 512
#: Bytes that are kept; one event may be a thousand rows.
ROOM = 8 << 20
#: Pages that listen at once: a browser keeps six connections to a host.
PAGES = 32
#: Seconds between two signs of life, by which a page that has gone is noticed.
PULSE = 15.0
#: Milliseconds after which a page asks again when the studio has ended or the connection broke.
RETRY = 1000
_ALIVE = b": still here\n\n"


class Kept(Struct, frozen=True):
    """An event as it is sent, and its number."""

    number: int
    line: bytes


class Page:
    """One page that listens; used in its loop alone, but for `loop` itself."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.behind = 0
        self.ended = False
        self._queue: deque[Kept] = deque()
        self._woken = asyncio.Event()

    def put(self, one: Kept) -> None:
        """Queue an event. A page that has too many waiting is behind, and those are dropped."""
        if len(self._queue) >= WAITING:
            self._queue.clear()
            self.behind = one.number
        else:
            self._queue.append(one)
        self._woken.set()

    def end(self) -> None:
        """End its stream."""
        self.ended = True
        self._woken.set()

    async def waiting(self) -> list[Kept]:
        """Return what waits, after `PULSE` seconds nothing."""
        try:
            await asyncio.wait_for(self._woken.wait(), PULSE)
        except TimeoutError:
            return []
        self._woken.clear()
        found = list(self._queue)
        self._queue.clear()
        return found


class Events:
    """The events of one studio."""

    def __init__(self) -> None:
        # A page of a studio that was killed comes back with a number of the other's.
        self._epoch = secrets.token_hex(4).encode()
        self._number = 0
        self._kept: deque[Kept] = deque()
        self._bytes = 0
        self._pages: set[Page] = set()
        self._closed = False
        self._changed = threading.Condition()
        self._lock = threading.Lock()

    def publish(self, event: Mapping[str, object]) -> None:
        """Tell every page. From any thread; never waits for a page."""
        text = json_bytes(event)
        with self._lock:
            self._number += 1
            one = Kept(self._number, b"id: %s-%d\ndata: %s\n\n" % (self._epoch, self._number, text))
            self._kept.append(one)
            self._bytes += len(one.line)
            while len(self._kept) > KEPT or self._bytes > ROOM:
                self._bytes -= len(self._kept.popleft().line)
            for page in self._open_pages():
                page.loop.call_soon_threadsafe(page.put, one)

    def wait_for_page(self) -> bool:
        """Wait until a page listens, without any work; return False once the studio has ended."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._pages) or self._closed)
        return not self._closed

    def pause(self, seconds: float) -> bool:
        """Wait so long; return False at once when the studio ends."""
        with self._changed:
            return not self._changed.wait_for(lambda: self._closed, seconds)

    def close(self) -> None:
        """End every page's stream; a page that comes later is sent nothing."""
        with self._lock:
            self._closed = True
            for page in self._open_pages():
                page.loop.call_soon_threadsafe(page.end)
        self._notify()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _open_pages(self) -> list[Page]:
        return [page for page in self._pages if not page.loop.is_closed()]

    def listen(self, last: str | None) -> AsyncIterator[bytes]:
        """
        Return what a page is sent, until it goes or the studio ends. In the event loop.

        Args:
            last: The Last-Event-ID of a page that comes back, or None.

        Raises `Refused` (503) where too many pages listen.
        """
        with self._lock:
            if len(self._pages) >= PAGES:
                raise Refused(503, f"{PAGES} pages listen already", "events", "close one of them")
        return self._told(last)

    async def _told(self, last: str | None) -> AsyncIterator[bytes]:
        page = Page(asyncio.get_running_loop())
        with self._lock:
            missed, here = self._missed(last), self._number
            page.ended = self._closed
            self._pages.add(page)
        self._notify()
        try:
            yield b"retry: %d\n\n" % RETRY
            if missed is None:
                yield self._anew(here)
            for one in missed or ():
                yield one.line
            while not page.ended:
                found = await page.waiting()
                if page.behind:
                    page.behind, number = 0, page.behind
                    yield self._anew(number)
                for one in found:
                    yield one.line
                if not found:
                    yield _ALIVE
        finally:
            with self._lock:
                self._pages.discard(page)

    def _missed(self, last: str | None) -> list[Kept] | None:
        """Return the events after `last`, or None where the page has to load everything anew."""
        if last is None:
            return []
        epoch, _, number = last.rpartition("-")
        if epoch.encode("utf-8", "replace") != self._epoch or not (
            number.isascii() and number.isdigit() and len(number) < 18
        ):
            return None
        first = self._kept[0].number if self._kept else self._number + 1
        if int(number) + 1 < first:
            return None
        return [one for one in self._kept if one.number > int(number)]

    def _anew(self, number: int) -> bytes:
        return b'id: %s-%d\ndata: {"type":"reload"}\n\n' % (self._epoch, number)
