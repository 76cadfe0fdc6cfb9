"""The admin endpoints over a real socket: what they answer, to whom, and that nothing blocks."""

import asyncio
import contextlib
import gzip
import http.client
import json
import ssl
import threading
from contextlib import asynccontextmanager

import pytest
from certificates import Authority
from entries import entry

from collector.admin import Admin, AdminConfig
from collector.errors import ConfigError, Retryable
from collector.exporters.aggregate import Aggregate
from collector.ledger import Ledger, turn_record

LOOPBACK = "127.0.0.1:0"


@pytest.fixture
def ledger():
    opened = Ledger("sqlite://", clock=lambda: 0)
    opened.open()
    for number in range(5):
        opened.write(entry(f"t{number}", ended_ns=number * 10**9))
    yield opened
    opened.close()


@asynccontextmanager
async def running(ledger=None, *, metrics=None, checks=dict, inspect=None, **config):
    metrics = metrics or Aggregate()
    settings = AdminConfig(**{"endpoint": LOOPBACK} | config)
    admin = Admin(settings, metrics, ledger, checks=checks, inspect=inspect)
    await admin.start()
    try:
        yield admin
    finally:
        await admin.shutdown(1.0)


def fetch(admin, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", admin.port, timeout=10)
    try:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=names)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def get(path, *, ledger=None, method="GET", request=None, **options):
    """One request to a server of its own."""

    async def run():
        async with running(ledger, **options) as admin:
            return await asyncio.to_thread(fetch, admin, path, method, **(request or {}))

    return asyncio.run(run())


def test_metrics_are_served_in_both_formats_and_compressed():
    status, headers, body = get("/metrics")
    assert (status, headers["content-type"][:25]) == (200, "text/plain; version=0.0.4")
    assert b"tellback_build_info" in body
    request = {"Accept": "application/openmetrics-text", "Accept_Encoding": "gzip"}
    status, headers, body = get("/metrics", request=request)
    assert headers["content-type"].startswith("application/openmetrics-text")
    assert gzip.decompress(body).endswith(b"# EOF\n")


def test_ready_names_what_is_not():
    checks = {"receivers": None, "ledger": "the disk is full"}
    status, _, body = get("/readyz", checks=lambda: checks)
    assert status == 503
    assert json.loads(body) == {
        "ready": False,
        "checks": {
            "receivers": {"ok": True, "reason": None},
            "ledger": {"ok": False, "reason": "the disk is full"},
        },
    }
    assert get("/healthz", checks=lambda: checks)[0] == 200
    status, _, body = get("/readyz", checks=lambda: {"receivers": None})
    assert (status, json.loads(body)["ready"]) == (200, True)


def test_a_check_that_breaks_is_not_ready(caplog):
    status, _, body = get("/readyz", checks=lambda: 1 / 0)
    assert (status, json.loads(body)["ready"]) == (503, False)


def test_what_an_inspection_says_is_served_where_there_is_one():
    assert get("/api/inspect")[0] == 404
    status, headers, body = get("/api/inspect", inspect=lambda: {"services": []})
    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(body) == {"services": []}
    assert get("/api/inspect", inspect=dict, method="POST")[0] == 405
    assert get("/api/inspect", inspect=dict, endpoint="0.0.0.0:0")[0] == 403


def test_turns_are_paged_newest_first(ledger):
    _, headers, body = get("/api/turns?limit=2", ledger=ledger)
    page = json.loads(body)
    assert headers["content-type"] == "application/json"
    assert page["turns"] == [
        turn_record(entry(f"t{number}", ended_ns=number * 10**9)) for number in (4, 3)
    ]
    _, _, body = get(f"/api/turns?limit=3&before={page['next']}", ledger=ledger)
    last = json.loads(body)
    assert [turn["turn_id"] for turn in last["turns"]] == ["t2", "t1", "t0"]
    assert last["next"] is None


def test_turns_can_be_asked_since_a_time(ledger):
    _, _, body = get("/api/turns?since=1970-01-01T00:00:03Z", ledger=ledger)
    assert [turn["turn_id"] for turn in json.loads(body)["turns"]] == ["t4", "t3"]
    _, _, body = get("/api/turns?since=7d", ledger=ledger)
    assert json.loads(body) == {"turns": [], "next": None}


def test_a_page_of_large_turns_ends_early(ledger, monkeypatch):
    monkeypatch.setattr("collector.admin.turns_page.MOST_BYTES", 10)
    page = json.loads(get("/api/turns", ledger=ledger)[2])
    assert [turn["turn_id"] for turn in page["turns"]] == ["t4"]
    assert page["next"] is not None


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=-1", "limit=1001", "limit=x", "limit=9" * 9, "limit=%D9%A3", "before=a",
     "since=yesterday", "since=", "offset=3", "since=" + "9" * 400, "&".join(["limit=1"] * 99)],
)  # fmt: skip
def test_a_query_that_cannot_be_read_is_400(query, ledger):
    status, _, body = get(f"/api/turns?{query}", ledger=ledger)
    if query == "since=":  # a field without a value is no field
        assert status == 200
        return
    assert status == 400
    assert json.loads(body)["error"]
    if query.startswith("since="):
        assert json.loads(body)["error"].startswith("since: ")


def test_a_token_guards_all_but_the_probes(ledger, tmp_path):
    file = tmp_path / "token"
    file.write_text("s3cret\n0ther\n")
    for auth in ({"bearer_token": "s3cret"}, {"bearer_token_file": str(file)}):
        for path in ("/api/turns", "/api/inspect", "/metrics", "/", "/nothing"):
            for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "s3cret"}):
                status, headers, _ = get(path, ledger=ledger, request=given, auth=auth)
                assert status == 401
                assert headers["www-authenticate"].startswith("Bearer ")
        for path in ("/api/turns", "/metrics", "/"):
            for given in ("Bearer s3cret", "bearer s3cret"):
                request = {"Authorization": given}
                assert get(path, ledger=ledger, request=request, auth=auth)[0] == 200
        for path in ("/healthz", "/readyz"):
            assert get(path, ledger=ledger, auth=auth)[0] == 200


def test_pages_are_served_over_tls(tmp_path):
    authority = Authority(tmp_path)
    chain, key = authority.issue()

    def fetch_secured(port):
        context = ssl.create_default_context(cafile=str(authority.file))
        connection = http.client.HTTPSConnection("localhost", port, timeout=10, context=context)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status
        finally:
            connection.close()

    async def run():
        async with running(tls={"cert_file": chain, "key_file": key}) as admin:
            return await asyncio.to_thread(fetch_secured, admin.port)

    assert asyncio.run(run()) == 200


def test_an_empty_or_missing_token_file_refuses_to_start(tmp_path):
    (tmp_path / "empty").write_text("\n")
    for name in ("empty", "absent"):
        with pytest.raises(ConfigError, match="token"):
            get("/", auth={"bearer_token_file": str(tmp_path / name)})


def test_turns_are_not_served_to_other_machines_without_a_token(ledger):
    status, _, body = get("/api/turns", ledger=ledger, endpoint="0.0.0.0:0")
    assert status == 403
    assert b"service.admin.auth" in body


@pytest.mark.parametrize(
    ("host", "expected"),
    [("localhost:9473", 200), ("LOCALHOST", 200), ("LocalHost:9473", 200), ("127.0.0.1", 200),
     ("[::1]:9473", 200), ("evil.example", 403),
     ("127.0.0.1.evil.example:9473", 403), ("", 403)],
)  # fmt: skip
def test_a_web_page_cannot_read_turns_through_a_name_of_its_own(host, expected, ledger):
    assert get("/api/turns", ledger=ledger, request={"Host": host})[0] == expected


def test_every_answer_forbids_scripts_framing_sniffing_and_caching(ledger):
    for path in ("/", "/metrics", "/api/turns", "/nothing"):
        headers = get(path, ledger=ledger)[1]
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


def test_the_page_escapes_what_it_shows():
    _, headers, body = get("/", checks=lambda: {"ledger": "<script>alert(1)</script>"})
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert b"<script>" not in body
    assert b"&lt;script&gt;" in body


def test_other_methods_and_paths():
    assert get("/metrics", method="POST")[0] == 405
    assert get("/..%2f..%2fetc/passwd")[0] == 404
    status, headers, body = get("/metrics", method="HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) > 100


def test_a_ledger_that_cannot_be_read_is_503_in_a_sentence():
    class Broken:
        def newest(self, **_):
            raise Retryable("the ledger is held by another process")

    status, _, body = get("/api/turns", ledger=Broken())
    assert (status, json.loads(body)) == (503, {"error": "the ledger is held by another process"})


def test_a_fault_is_500_and_its_text_stays_in_the_log(caplog):
    class Broken:
        def render(self, accept=""):
            raise RuntimeError("what a user wrote")

    status, _, body = get("/metrics", metrics=Broken())
    assert (status, body) == (500, b"internal error; see the log\n")


def test_a_slow_scrape_does_not_hold_up_the_probes():
    release = threading.Event()

    class Slow:
        def render(self, accept=""):
            assert release.wait(10)
            return b"# EOF\n", "text/plain"

    async def run():
        async with running(metrics=Slow()) as admin, asyncio.TaskGroup() as tasks:
            scrape = tasks.create_task(asyncio.to_thread(fetch, admin, "/metrics"))
            assert (await asyncio.to_thread(fetch, admin, "/healthz"))[0] == 200
            assert not scrape.done()
            release.set()
            assert (await scrape)[0] == 200

    asyncio.run(run())


def test_building_opens_nothing_and_stopping_is_safe_at_any_time():
    async def run():
        admin = Admin(AdminConfig(endpoint=LOOPBACK), Aggregate(), None, checks=dict)
        assert admin.port == 0
        await admin.shutdown(1)
        await admin.start()
        port = admin.port
        assert port > 0
        await admin.shutdown(1)
        await admin.shutdown(1)
        again = Admin(AdminConfig(endpoint=f"127.0.0.1:{port}"), Aggregate(), None, checks=dict)
        await again.start()
        await again.shutdown(1)

    asyncio.run(run())


def test_an_address_in_use_is_named():
    async def run():
        async with running() as first:
            config = AdminConfig(endpoint=f"127.0.0.1:{first.port}")
            second = Admin(config, Aggregate(), None, checks=dict)
            with pytest.raises(ConfigError, match=rf"127.0.0.1:{first.port}: .*in use"):
                await second.start()

    asyncio.run(run())


def test_connections_that_only_stand_open_shut_nobody_out(monkeypatch):
    monkeypatch.setattr("collector.admin.admin.MOST_CONNECTIONS", 5)

    async def run():
        async with running() as admin:
            idle = [await asyncio.open_connection("127.0.0.1", admin.port) for _ in range(20)]
            for _, writer in idle[10:]:
                writer.write(b"GET /healthz HTTP/1.1\r\nHost: ")  # and never the rest
            assert (await asyncio.to_thread(fetch, admin, "/healthz"))[0] == 200
            # The oldest had to make room; the newest may still ask.
            with contextlib.suppress(ConnectionResetError):
                assert await idle[0][0].read() == b""
            idle[-1][1].write(b"x\r\n\r\n")
            assert (await idle[-1][0].readline()).startswith(b"HTTP/1.1 200")
            for _, writer in idle:
                writer.close()

    asyncio.run(run())


def test_a_request_under_way_never_makes_room_for_others(monkeypatch):
    monkeypatch.setattr("collector.admin.admin.MOST_CONNECTIONS", 2)
    begun, release = threading.Event(), threading.Event()

    class Slow:
        def render(self, accept=""):
            begun.set()
            assert release.wait(10)
            return b"# EOF\n", "text/plain"

    async def run():
        async with running(metrics=Slow()) as admin, asyncio.TaskGroup() as tasks:
            scrape = tasks.create_task(asyncio.to_thread(fetch, admin, "/metrics"))
            assert await asyncio.to_thread(begun.wait, 10)
            for _ in range(5):
                _, writer = await asyncio.open_connection("127.0.0.1", admin.port)
                assert (await asyncio.to_thread(fetch, admin, "/healthz"))[0] == 200
                writer.close()
            release.set()
            assert (await scrape)[0] == 200

    asyncio.run(run())


def test_a_slow_head_is_cut_off(monkeypatch):
    monkeypatch.setattr("collector.connection._HEAD_SECONDS", 0.05)

    async def run():
        async with running() as admin:
            reader, writer = await asyncio.open_connection("127.0.0.1", admin.port)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: ")
            assert await reader.read() == b""
            writer.close()

    asyncio.run(run())


def test_who_takes_no_answer_is_cut_off(monkeypatch):
    monkeypatch.setattr("collector.connection._STALLED_SECONDS", 0.05)

    rendered = threading.Event()

    class Large:
        def render(self, accept=""):
            rendered.set()
            return bytes(64 << 20), "text/plain"

    async def run():
        async with running(metrics=Large()) as admin:
            reader, writer = await asyncio.open_connection("127.0.0.1", admin.port, limit=1024)
            writer.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            assert await asyncio.to_thread(rendered.wait, 10)
            # Not read: only that the connection ends is waited for.
            async with asyncio.timeout(10):
                while admin._server.server_state.connections:  # noqa: ASYNC110 - no event marks it
                    await asyncio.sleep(0.01)
            writer.close()
            assert reader

    asyncio.run(run())


def test_scrapes_beyond_those_that_wait_are_told_to_come_later(monkeypatch):
    monkeypatch.setattr("collector.admin.application.MOST_WAITING", 1)
    begun, release = threading.Event(), threading.Event()

    class Slow:
        def render(self, accept=""):
            begun.set()
            assert release.wait(10)
            return b"# EOF\n", "text/plain"

    async def run():
        async with running(metrics=Slow()) as admin, asyncio.TaskGroup() as tasks:
            scrape = tasks.create_task(asyncio.to_thread(fetch, admin, "/metrics"))
            assert await asyncio.to_thread(begun.wait, 10)
            status, headers, _ = await asyncio.to_thread(fetch, admin, "/metrics")
            assert (status, headers["retry-after"]) == (503, "1")
            for path in ("/healthz", "/readyz"):
                assert (await asyncio.to_thread(fetch, admin, path))[0] == 200
            release.set()
            assert (await scrape)[0] == 200

    asyncio.run(run())


def test_a_client_that_hangs_does_not_hold_up_the_end():
    async def run():
        admin = Admin(AdminConfig(endpoint=LOOPBACK), Aggregate(), None, checks=dict)
        await admin.start()
        reader, writer = await asyncio.open_connection("127.0.0.1", admin.port)
        writer.write(b"GET /metrics HTTP/1.1\r\nHost: ")  # and never the rest
        await writer.drain()
        async with asyncio.timeout(5):
            await admin.shutdown(1)
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()

    asyncio.run(run())


def test_pages_that_nobody_reads_do_not_fill_memory(monkeypatch):
    monkeypatch.setattr("collector.admin.application.SEND_SECONDS", 0.3)

    class Large:
        pages = 0

        def newest(self, **_):
            Large.pages += 1
            yield 1, {"reply": "x" * 8_000_000}

    async def run():
        async with running(Large()) as admin:
            readers = []
            for _ in range(7):
                _, writer = await asyncio.open_connection("127.0.0.1", admin.port, limit=1024)
                writer.write(b"GET /api/turns HTTP/1.1\r\nhost: localhost\r\n\r\n")
                readers.append(writer)
            async with asyncio.timeout(10):
                while Large.pages < 4:  # noqa: ASYNC110 - no event marks it
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.1)
                at_once = Large.pages
                while Large.pages < 7:  # noqa: ASYNC110 - who reads too slowly makes room
                    await asyncio.sleep(0.01)
            for writer in readers:
                writer.transport.abort()
            return at_once

    assert asyncio.run(run()) == 4
