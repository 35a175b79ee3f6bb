"""Events reach every page that listens, once, in order; a page that cannot keep up loads everything anew."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable

import pytest

from exitgate.surfaces.studio.http import events as events_module
from exitgate.surfaces.studio.http.events import KEPT, PAGES, ROOM, WAITING, Events
from exitgate.surfaces.studio.http.guard import Refused

pytestmark = pytest.mark.usefixtures("own_event_loop")
BEGIN = b"retry: 1000\n\n"


def run(task: Awaitable[None]) -> None:
    asyncio.run(task)  # type: ignore[arg-type]


async def some(stream: AsyncIterator[bytes], count: int) -> list[tuple[str, object]]:
    """Return ids and events of so many of a stream's parts."""
    found = []
    for _ in range(count):
        lines = (await anext(stream)).decode().splitlines()
        found.append((lines[0].removeprefix("id: "), json.loads(lines[1].removeprefix("data: "))))
    return found


async def listening(events: Events, last: str | None = None) -> AsyncIterator[bytes]:
    stream = events.listen(last)
    assert await anext(stream) == BEGIN
    return stream


def told(found: list[tuple[str, object]]) -> list[object]:
    return [event["n"] if "n" in event else event["type"] for _, event in found]  # type: ignore[operator, index]


def test_each_page_is_told_each_event_in_order_from_any_thread() -> None:
    events = Events()

    async def task() -> None:
        pages = [await listening(events), await listening(events)]
        threads = [
            threading.Thread(target=lambda at=at: [events.publish({"n": at}) for _ in range(20)])
            for at in "ab"
        ]
        for thread in threads:
            thread.start()
        one, other = [await some(page, 40) for page in pages]
        assert one == other
        assert sorted(told(one)) == ["a"] * 20 + ["b"] * 20
        numbers = [int(id.rpartition("-")[2]) for id, _ in one]
        assert numbers == list(range(1, 41))

    run(task())


def test_a_page_that_comes_back_gets_what_it_missed() -> None:
    events = Events()

    async def task() -> None:
        page = await listening(events)
        events.publish({"n": 1})
        ((last, _),) = await some(page, 1)
        await page.aclose()
        for n in (2, 3):
            events.publish({"n": n})
        again = await listening(events, last)
        assert told(await some(again, 2)) == [2, 3]
        events.publish({"n": 4})
        assert told(await some(again, 1)) == [4]

    run(task())


@pytest.mark.parametrize("last", ["", "x", "x-1", "0-0", "-", "a-99999999999999999999", "é-1", "a-\u0661"])
def test_a_page_of_another_studio_loads_everything_anew(last: str) -> None:
    events = Events()

    async def task() -> None:
        events.publish({"n": 1})
        page = await listening(events, last)
        assert told(await some(page, 1)) == ["reload"]
        events.publish({"n": 2})
        assert told(await some(page, 1)) == [2]

    run(task())


def test_a_page_that_was_away_too_long_loads_everything_anew() -> None:
    events = Events()

    async def task() -> None:
        page = await listening(events)
        events.publish({"n": 0})
        ((last, _),) = await some(page, 1)
        await page.aclose()
        for n in range(KEPT + 1):
            events.publish({"n": n})
        assert told(await some(await listening(events, last), 1)) == ["reload"]

    run(task())


def test_what_is_kept_has_an_end_in_bytes() -> None:
    events = Events()
    for _ in range(20):
        events.publish({"n": "x" * (ROOM // 8)})
    assert events._bytes <= ROOM
    assert len(events._kept) < 8


def test_a_page_that_does_not_read_is_behind_and_holds_no_more() -> None:
    events = Events()

    async def task() -> None:
        slow, quick = await listening(events), await listening(events)
        for n in range(3):
            events.publish({"n": n})
        assert told(await some(slow, 1)) == [0]
        for n in range(3, WAITING * 3):
            events.publish({"n": n})
            assert told(await some(quick, 1)) in ([n], [n - 3]) or n < 6
        rest = told(await some(slow, 3))
        assert rest[:3] == [1, 2, "reload"]
        events.publish({"n": "after"})
        seen: list[object] = []
        while "after" not in seen:
            seen += told(await some(slow, 1))
        assert len(seen) <= WAITING + 1

    run(task())


def test_too_many_pages_are_refused_and_one_that_leaves_makes_room() -> None:
    events = Events()

    async def task() -> None:
        pages = [await listening(events) for _ in range(PAGES)]
        with pytest.raises(Refused) as refused:
            events.listen(None)
        assert refused.value.status == 503
        await pages[0].aclose()
        await listening(events)

    run(task())


def test_a_quiet_studio_shows_that_it_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "PULSE", 0.001)

    async def task() -> None:
        page = await listening(Events())
        assert (await anext(page)).startswith(b":")

    run(task())


def test_the_end_of_the_studio_ends_every_stream() -> None:
    events = Events()

    async def task() -> None:
        page = await listening(events)
        events.publish({"n": 1})
        events.close()
        assert (await anext(page)).endswith(b'data: {"n":1}\n\n')
        assert [part async for part in await listening(events)] == []

    run(task())
