"""Bytes in flight: who gets them, who waits, who is cut off."""

import asyncio

import pytest

from collector import in_flight
from collector.errors import Permanent, Retryable
from collector.in_flight import InFlight
from collector.receiver import Body, Intake


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """The same proportions, a hundredth of the time."""
    for name in ("_WAIT_SECONDS", "_SLOW_SECONDS", "_CUT_EVERY"):
        monkeypatch.setattr(in_flight, name, getattr(in_flight, name) / 20)


async def held(bound, peer, size, until):
    async with bound.reserve(peer, size):
        await until.wait()


def test_a_request_that_never_fits_is_refused_for_good():
    async def run():
        async with InFlight(100).reserve("a", 101) as taken:
            assert taken.size == 100
            await taken.resize(101)

    with pytest.raises(Permanent) as refusal:
        asyncio.run(run())
    assert refusal.value.reason == "too_large"


def test_who_has_a_part_comes_first_and_is_not_overtaken():
    order = []

    async def take(bound, peer, size, grown):
        async with bound.reserve(peer, size) as taken:
            await taken.resize(grown)
            order.append(peer)

    async def run():
        bound, done = InFlight(100), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(held(bound, "a", 10, done))
            await asyncio.sleep(0)
            for peer, size, grown in (("whole", 10, 100), ("later", 10, 10)):
                group.create_task(take(bound, peer, size, grown))
                await asyncio.sleep(0)
            assert order == []
            done.set()

    asyncio.run(run())
    assert order == ["whole", "later"]


def test_what_is_announced_is_not_what_is_given():
    given = []

    async def read(held):
        given.append(held.size)
        return Body(b"")

    async def run(**first):
        intake = Intake("r", None, None, in_flight=InFlight(1 << 30), max_bytes=1 << 30, **first)
        await intake.take("traces", "protobuf", read, peer="a", announced=1 << 30)

    asyncio.run(run())
    asyncio.run(run(first_bytes=100))
    assert given == [in_flight.FIRST_BYTES, 100]


def test_what_is_in_memory_already_is_booked_and_makes_the_next_wait():
    async def run():
        flight = InFlight(10)
        async with flight.reserve("a", 4) as first:
            first.book(15)
            waiting = asyncio.ensure_future(taken(flight, "b", 4))
            await asyncio.sleep(0.01)
            assert not waiting.done()
            first.book(3)
            await asyncio.wait_for(waiting, 1)

    async def taken(flight, peer, size):
        async with flight.reserve(peer, size):
            pass

    asyncio.run(run())


def test_peers_take_turns_however_many_requests_one_has_waiting():
    order = []

    async def take(bound, peer):
        async with bound.reserve(peer, 100):
            order.append(peer)

    async def run():
        bound, done = InFlight(100), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(held(bound, "x", 100, done))
            await asyncio.sleep(0)
            for peer in "aaaaaaab":
                group.create_task(take(bound, peer))
                await asyncio.sleep(0)
            done.set()

    asyncio.run(run())
    assert "".join(order) == "abaaaaaa"


def test_whoever_waits_too_long_may_try_again_and_leaves_nothing_behind():
    async def run():
        bound, done = InFlight(100), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(held(bound, "a", 100, done))
            await asyncio.sleep(0)
            with pytest.raises(Retryable) as refusal:
                async with bound.reserve("b", 1):
                    pass
            done.set()
        async with bound.reserve("b", 100):
            return refusal.value.reason

    assert asyncio.run(run()) == "pressure"


def test_a_request_cancelled_while_it_waits_leaves_nothing_behind():
    async def run():
        bound, done = InFlight(100), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(held(bound, "a", 100, done))
            await asyncio.sleep(0)
            waiting = group.create_task(held(bound, "b", 100, done))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.sleep(0)
            granted = group.create_task(held(bound, "c", 100, done))
            await asyncio.sleep(0)
            done.set()  # a leaves, c has its turn; and is cancelled in the same moment
            await asyncio.sleep(0)
            granted.cancel()
        async with bound.reserve("d", 100):
            return True

    assert asyncio.run(run())


def test_bytes_given_back_while_a_waiting_request_is_cancelled_go_to_the_next():
    async def run():
        bound, done, never = InFlight(100), asyncio.Event(), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(held(bound, "a", 100, done))
            await asyncio.sleep(0)
            waiting = group.create_task(held(bound, "b", 100, never))
            await asyncio.sleep(0)
            done.set()
            waiting.cancel()  # its future is over at once, its task only when it runs
            async with bound.reserve("c", 100) as taken:
                return taken.size

    assert asyncio.run(run()) == 100


def test_who_floods_the_queue_keeps_nobody_else_out(monkeypatch):
    monkeypatch.setattr(in_flight, "_MOST_WAITING", 3)
    refused, served = [], []

    async def take(bound, peer):
        try:
            async with bound.reserve(peer, 100):
                served.append(peer)
        except Retryable:
            refused.append(peer)

    async def run():
        bound, done = InFlight(100), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(held(bound, "a", 100, done))
            await asyncio.sleep(0)
            for peer in "aaaab":
                group.create_task(take(bound, peer))
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert refused == ["a", "a"]  # its fourth, and one of the three for b
            done.set()

    asyncio.run(run())
    assert sorted(served) == ["a", "a", "b"]


def test_a_slow_body_is_cut_off_where_others_wait_and_only_there():
    told = []

    async def slow(bound, peer, size, done):
        try:
            async with bound.reserve(peer, size) as taken, taken.receiving(60):
                await done.wait()
        except Retryable as error:
            told.append((peer, error.reason))

    async def run():
        bound, done = InFlight(100), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for peer, size in (("a", 20), ("a", 40), ("b", 40)):
                group.create_task(slow(bound, peer, size, done))
            await asyncio.sleep(in_flight._SLOW_SECONDS * 2)
            assert told == []
            async with bound.reserve("c", 30):
                pass
            done.set()

    asyncio.run(run())
    assert told == [("a", "slow_body")], "the largest of who holds most, and no more than needed"


def test_of_bodies_that_keep_each_other_waiting_one_goes_on():
    told = []

    async def grow(bound, peer):
        try:
            async with bound.reserve(peer, 50) as taken, taken.receiving(60):
                await asyncio.sleep(0)
                await taken.resize(100)
        except Retryable as error:
            told.append(error.reason)
        else:
            told.append("whole")

    async def run():
        bound = InFlight(100)
        async with asyncio.TaskGroup() as group:
            for peer in "ab":
                group.create_task(grow(bound, peer))
        async with bound.reserve("c", 100) as taken:
            return taken.size

    assert asyncio.run(run()) == 100
    assert told == ["slow_body", "whole"]
