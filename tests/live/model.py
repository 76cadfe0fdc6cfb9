"""A scripted model behind the real APIs of four providers, and the record of what it was sent.

    python tests/live/model.py --port 8700 --wire FOLDER

What it was sent is the truth about what was delivered, whatever telemetry says. In a folder, it is
kept as `NNN-request.json` ({"path", "body"}) and `NNN-response.json`, as in the golden runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

sys.path.insert(0, str(Path(__file__).parents[1]))  # where it is started as a program

from live.apis import Api, api_of, streams

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(frozen=True)
class Call:
    """One request to the model and its answer; of a stream, the whole."""

    api: Api
    path: str
    body: dict[str, Any]
    answer: dict[str, Any]


class Model:
    """The scripted model on a port of loopback; `calls` is what went over the wire, in order."""

    def __init__(self, port: int = 0, wire: Path | None = None) -> None:
        self.calls: list[Call] = []
        self.unknown: list[str] = []
        self._wire = wire
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, api: Api, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Answer a request, and keep both."""
        with self._lock:
            number = len(self.calls) + 1
            answer = api.answer(path, body, number)
            self.calls.append(Call(api, path, body, answer))
        if self._wire:
            self._wire.mkdir(parents=True, exist_ok=True)
            for kind, value in (("request", {"path": path, "body": body}), ("response", answer)):
                text = json.dumps(value, indent=1, ensure_ascii=False)
                (self._wire / f"{number:03}-{kind}.json").write_text(text, encoding="utf-8")
        return answer

    def serve(self) -> None:
        """Serve until stopped."""
        self._server.serve_forever(poll_interval=0.05)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    model: Model
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        api = api_of(self.path)
        if api is None:
            # Nothing but a model is here: what a library tells its own makers goes nowhere.
            self.model.unknown.append(self.path)
            self._send(404, "application/json", b'{"error": {"message": "not a model API"}}')
            return
        asked = json.loads(body)
        answer = self.model.answer(api, self.path, asked)
        if not streams(self.path, asked):
            self._send(200, "application/json", json.dumps(answer).encode())
            return
        sent = []
        for name, data in api.stream(answer, asked):
            text = data if isinstance(data, str) else json.dumps(data)
            sent.append((f"event: {name}\n" if name else "") + f"data: {text}\n\n")
        self._send(200, "text/event-stream", "".join(sent).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        del format, args


def main() -> None:
    """Serve on a port until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8700)
    parser.add_argument("--wire", type=Path)
    options = parser.parse_args()
    model = Model(options.port, options.wire)
    print(f"listening: {model.url}", flush=True)  # noqa: T201 - this is how its starter finds it
    model.serve()


if __name__ == "__main__":
    main()
