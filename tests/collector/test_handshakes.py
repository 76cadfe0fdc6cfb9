"""TLS handshakes are bounded: who only connects takes no file from those who speak."""

import asyncio
import errno
import socket
import ssl
from contextlib import asynccontextmanager

import pytest
import trustme
import uvloop

from collector import handshakes
from collector.handshakes import Handshakes

MOST = 3


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def client(authority):
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture
def server(authority):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


class Greeter(asyncio.Protocol):
    def connection_made(self, transport):
        transport.write(b"hello")
        transport.close()


@asynccontextmanager
async def listening(context, on=None):
    on = on or socket.create_server(("127.0.0.1", 0))
    shaking = Handshakes(on, Greeter, context, MOST)
    shaking.open(100)
    try:
        yield shaking, on.getsockname()[1]
    finally:
        shaking.close()
        on.close()
        await asyncio.wait_for(shaking.wait_closed(), 5)


async def greeted(port, context):
    async with asyncio.timeout(5):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
        said = await reader.read(5)
        writer.close()
        return said


def silent(port):
    return socket.create_connection(("127.0.0.1", port))


async def is_closed(connection):
    connection.settimeout(5)
    return await asyncio.to_thread(connection.recv, 1) == b""


@pytest.fixture(params=[asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def run(request):
    return request.param


def test_the_oldest_silent_connection_gives_way(run, server, client):
    async def play():
        async with listening(server) as (shaking, port):
            held = [silent(port) for _ in range(2 * MOST)]
            for connection in held[:MOST]:
                assert await is_closed(connection)
            assert len(shaking.under_way) == MOST
            assert await greeted(port, client) == b"hello"
            assert await is_closed(held[MOST])
            for connection in held:
                connection.close()

    run(play())


def test_what_is_no_handshake_is_closed_and_others_are_served(run, server, client):
    async def play():
        async with listening(server) as (shaking, port):
            with silent(port) as rude:
                rude.sendall(b"GET / HTTP/1.1\r\n\r\n")
                rude.settimeout(5)
                while await asyncio.to_thread(rude.recv, 100):
                    pass  # an alert, where the server's library sends one
            assert await greeted(port, client) == b"hello"
            assert not shaking.under_way

    run(play())


def test_silence_ends(run, server, monkeypatch):
    monkeypatch.setattr(handshakes, "HANDSHAKE_SECONDS", 0.1)

    async def play():
        async with listening(server) as (_, port):
            with silent(port) as quiet:
                assert await is_closed(quiet)

    run(play())


def test_it_accepts_again_once_there_are_files(server, client, monkeypatch):
    monkeypatch.setattr(handshakes, "_EXHAUSTED_SECONDS", 0.05)

    class Short(socket.socket):
        refusals = 3

        def accept(self):
            if self.refusals:
                self.refusals -= 1
                raise OSError(errno.EMFILE, "too many open files")
            return super().accept()

    async def play():
        on = Short()
        on.bind(("127.0.0.1", 0))
        async with listening(server, on) as (_, port):
            assert await greeted(port, client) == b"hello"
            assert on.refusals == 0

    asyncio.run(play())


def test_what_is_under_way_ends_with_the_server(run, server):
    async def play():
        async with listening(server) as (shaking, port):
            quiet = silent(port)
            while not shaking.under_way:  # noqa: ASYNC110 - the kernel tells nobody here
                await asyncio.sleep(0.01)
        assert await is_closed(quiet)
        quiet.close()

    run(play())
