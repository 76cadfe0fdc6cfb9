"""`tellback inspect --live`: what a running sidecar says of what it was sent, and to whom."""

import json
import urllib.error
import urllib.request

import pytest

from collector.cli import main
from sidecar import CONFIG, Sidecar, until
from traces import Trace, assistant, call, request, tool, user

ASKED = assistant(None, call("c1", "look", {}))


def turn(name):
    trace = Trace(name)
    with trace.agent(conversation="talk") as agent:
        trace.chat([user("a secret question")], ASKED, agent)
        trace.chat([user("q"), ASKED, tool(("c1", "a secret result"))], assistant("done"), agent)
    return request(trace.spans)


def live(capsys, sidecar, *options):
    status = main(["inspect", "--live", "--endpoint", f"127.0.0.1:{sidecar.admin}", *options])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_a_sidecar_says_what_it_saw(tmp_path, capsys):
    with Sidecar(tmp_path) as sidecar:
        status, told, _ = live(capsys, sidecar)
        assert status == 0
        assert "Nothing arrived yet." in told
        sidecar.post(turn("one"))
        sidecar.post(turn("two"))
        until(lambda: len(sidecar.turns()) == 2)
        status, told, _ = live(capsys, sidecar, "--output", "json")
        assert status == 0
        found = json.loads(told)
        assert found == json.loads(sidecar.get("/api/inspect"))
        [service] = found["services"]
        [visible] = service["visible"]
        assert (visible["turns"], visible["tool_results"]) == (2, 2)
        assert visible["produced"] == {"seen": 0, "of": 2, "missing": {"no_tool_span": 2}}
        assert visible["delivered"] == {"seen": 2, "of": 2, "missing": {}}
        assert "secret" not in told
        status, told, _ = live(capsys, sidecar)
        assert "gen_ai.tool.call.result" in told
        # The same spans again: copies are counted, turns are not.
        sidecar.post(turn("one"))
        until(lambda: "duplicates" in sidecar.get("/api/inspect"))
        [service] = json.loads(sidecar.get("/api/inspect"))["services"]
        assert service["visible"][0]["turns"] == 2
        assert "/api/inspect" in sidecar.get("/")
        assert sidecar.stop() == 0


def test_a_token_guards_it(tmp_path, capsys, monkeypatch):
    token = tmp_path / "token"
    token.write_text("s3cret\n")
    token.chmod(0o600)
    guarded = f"127.0.0.1:0, auth: {{{{bearer_token_file: {token}}}}}}}}}}}}}"
    monkeypatch.setattr("sidecar.CONFIG", CONFIG.replace("127.0.0.1:0}}}}\n", f"{guarded}\n"))
    with Sidecar(tmp_path) as sidecar:
        url = f"http://127.0.0.1:{sidecar.admin}/api/inspect"
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(url, timeout=10)
        assert refused.value.code == 401
        refused.value.close()
        status, told, said = live(capsys, sidecar)
        assert (status, told) == (2, "")
        assert "Bearer TOKEN (--token-file FILE)" in said
        status, told, _ = live(capsys, sidecar, "--token-file", str(token))
        assert status == 0
        assert "Nothing arrived yet." in told
