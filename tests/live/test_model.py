"""The scripted model and what is read off its record: the live runs stand on both."""

import json
import urllib.error
import urllib.request

import pytest

from live import environments
from live.environments import AGENTS, InstallError, Library
from live.model import Model
from live.script import BILLING, TOOLS, strings
from live.wire import turns_of

INVOICES = TOOLS["fetch_invoices"]["result"]
CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
GEMINI = "/v1beta/models/gemini-lab-1:generateContent"
GEMINI_STREAM = "/v1beta/models/gemini-lab-1:streamGenerateContent?alt=sse"


def body_of(path, texts, stream=False):
    """The least that each API takes, with every tool on offer."""
    named = [{"name": name} for name in TOOLS]
    if path == CHAT:
        said = [{"role": "user", "content": text} for text in texts]
        offered = [{"type": "function", "function": tool} for tool in named]
        return {"model": "m", "messages": said, "tools": offered, "stream": stream}
    if path == RESPONSES:
        said = [{"role": "user", "content": text} for text in texts]
        return {"model": "m", "input": said, "tools": named, "stream": stream}
    if path == MESSAGES:
        said = [{"role": "user", "content": text} for text in texts]
        return {"model": "m", "messages": said, "tools": named, "stream": stream}
    said = [{"role": "user", "parts": [{"text": text}]} for text in texts]
    return {"contents": said, "tools": [{"functionDeclarations": named}]}


def post(model, path, body):
    request = urllib.request.Request(model.url + path, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


def talk(model, path, invoices=INVOICES):
    """Play the whole script: what a tool returned stands in the next request as it was cut."""
    texts = [BILLING["request"]]
    answers = [post(model, path, body_of(path, texts))]
    texts.append(TOOLS["lookup_customer"]["result"])
    answers.append(post(model, path, body_of(path, texts)))
    texts += [invoices, TOOLS["get_exchange_rate"]["result"]]
    answers.append(post(model, path, body_of(path, texts)))
    texts.append(BILLING["follow_up"])
    answers.append(post(model, path, body_of(path, texts)))
    # One API repeats the tools on offer in its answer.
    return [list(strings({**json.loads(answer), "tools": None})) for answer in answers]


@pytest.fixture
def model():
    with Model() as running:
        yield running


each_api = pytest.mark.parametrize("path", [CHAT, RESPONSES, MESSAGES, GEMINI])


@each_api
def test_the_script(model, path):
    first, second, reply, follow_up = talk(model, path)
    assert "lookup_customer" in first
    assert "fetch_invoices" not in first
    assert {"fetch_invoices", "get_exchange_rate"} <= set(second)
    assert BILLING["reply"] in reply
    assert BILLING["follow_up_reply"] in follow_up


@pytest.mark.parametrize("path", [CHAT, RESPONSES, MESSAGES, GEMINI_STREAM])
def test_a_stream_carries_the_same_answer(model, path):
    texts = [BILLING["request"], *(tool["result"] for tool in TOOLS.values())]
    sent = post(model, path, body_of(path, texts, stream=True))
    events = [line.removeprefix("data: ") for line in sent.splitlines() if line[:6] == "data: "]
    read = [json.loads(event) for event in events if event != "[DONE]"]
    deltas = {
        CHAT: lambda event: event["choices"][0]["delta"].get("content", ""),
        RESPONSES: lambda event: event.get("delta", ""),
        MESSAGES: lambda event: event.get("delta", {}).get("text", ""),
        GEMINI_STREAM: lambda event: event["candidates"][0]["content"]["parts"][0]["text"],
    }
    assert "".join(deltas[path](event) for event in read) == BILLING["reply"]


def test_a_stream_carries_the_same_calls(model):
    sent = post(model, CHAT, body_of(CHAT, [BILLING["request"]], stream=True))
    events = [json.loads(line[6:]) for line in sent.splitlines() if line.startswith("data: {")]
    parts = [
        part["function"]
        for event in events
        for part in event["choices"][0]["delta"].get("tool_calls", ())
    ]
    assert parts[0]["name"] == "lookup_customer"
    arguments = json.loads("".join(part["arguments"] for part in parts))
    assert arguments == TOOLS["lookup_customer"]["arguments"]


@each_api
@pytest.mark.parametrize(("invoices", "sent"), [(INVOICES, len(INVOICES)), (INVOICES[:700], 700)])
def test_the_truth_is_what_was_sent(model, path, invoices, sent):
    talk(model, path, invoices)
    first, second = turns_of(model.calls)
    assert (first.request, first.reply) == (BILLING["request"], BILLING["reply"])
    assert second.request == BILLING["follow_up"]
    assert second.reply == BILLING["follow_up_reply"]
    assert (first.model_calls, second.model_calls) == (3, 1)
    assert first.results["fetch_invoices"] == sent
    assert first.results["lookup_customer"] == len(TOOLS["lookup_customer"]["result"])
    assert second.results == {}
    spent = [call.api.usage(call.answer) for call in model.calls]
    assert first.input_tokens == sum(tokens for tokens, _ in spent[:3]) > 0
    assert first.output_tokens == 120


def test_a_result_that_was_never_sent_is_not_in_the_truth(model):
    post(model, CHAT, body_of(CHAT, [BILLING["request"], TOOLS["lookup_customer"]["result"]]))
    [only] = turns_of(model.calls)
    assert only.results.keys() == {"lookup_customer"}
    assert only.reply is None


def test_what_is_no_model_api_is_refused_and_kept(model):
    with pytest.raises(urllib.error.HTTPError) as refused:
        post(model, "/v1/telemetry", {})
    refused.value.close()
    assert refused.value.code == 404
    assert (model.unknown, model.calls) == (["/v1/telemetry"], [])


def test_the_record_in_a_folder(tmp_path):
    with Model(wire=tmp_path) as model:
        post(model, CHAT, body_of(CHAT, [BILLING["request"]]))
    assert json.loads((tmp_path / "001-request.json").read_text())["path"] == CHAT
    assert json.loads((tmp_path / "001-response.json").read_text()) == model.calls[0].answer


@pytest.mark.parametrize("library", environments.libraries(), ids=lambda library: library.name)
def test_the_table(library):
    assert (AGENTS / library.driver).is_file()
    exact = [package for package in library.packages if "==" in package or "@" in package[1:]]
    assert exact
    # Which exporter a library may stand beside is its own affair; the table's date settles it.
    assert set(library.packages) - set(exact) <= {"opentelemetry-exporter-otlp"}
    assert library.transport in ("http/protobuf", "http/json", "grpc")


def test_versions_have_environments_of_their_own():
    rows = [Library("one", "2026-12-01", (f"some@{n}",), "a.mjs", "gen_ai") for n in (1, 2, 2)]
    assert rows[0].folder != rows[1].folder == rows[2].folder


def test_an_installation_that_fails_says_so():
    library = Library("one", "2026-12-01", ("no-such-thing==1.0",), "a.py", "gen_ai")
    with pytest.raises(InstallError, match=r"^one: no-such-thing==1.0 can't be installed: gone"):
        environments.do(library, ["sh", "-c", "echo gone >&2; exit 1"])
    with pytest.raises(InstallError, match=r"^one: no-such-npm is not here, and no-such-thing=="):
        environments.do(library, ["no-such-npm"])
