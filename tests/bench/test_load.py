"""The load generator tells apart what servers answer."""

import socket
import threading

import pytest
from body import Bodies
from load import UNANSWERED, Answers, HttpSender, send_all
from workloads import WORKLOADS

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
BUSY = b"HTTP/1.1 429 Too Many\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n"
CLOSING = b"HTTP/1.1 503 Busy\r\nRetry-After: 3\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def bodies():
    return Bodies(WORKLOADS["plain"], templates=1)


@pytest.fixture
def serve():
    """Return the port of a server that gives these answers in turn; None hangs up."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer(answers):
        connection = None
        for content in answers:
            if connection is None:
                connection, _ = listening.accept()
            received = b""
            while b"\r\n\r\n" not in received:
                received += connection.recv(65536)
            head, _, rest = received.partition(b"\r\n\r\n")
            left = int(head.lower().partition(b"content-length: ")[2].split()[0]) - len(rest)
            while left:
                left -= len(connection.recv(left))
            if content is not None:
                connection.sendall(content)
            if content in (None, CLOSING):
                connection.close()
                connection = None
        if connection is not None:
            connection.close()

    def start(*answers):
        threading.Thread(target=answer, args=(answers,), daemon=True).start()
        return listening.getsockname()[1]

    yield start
    listening.close()


def test_answers_over_one_connection_and_a_new_one(serve, bodies):
    sender = HttpSender(serve(OK, BUSY, None, CLOSING, OK))
    answers = [sender.send(bodies.take()) for _ in range(5)]
    sender.close()
    assert [(one.status, one.retry_after) for one in answers] == [
        (200, None),
        (429, 0.0),
        (UNANSWERED, None),
        (503, 3.0),
        (200, None),
    ]
    found = Answers(answers)
    assert (len(found.accepted), len(found.refused), found.wrong) == (2, 2, 1)
    assert found.spans == 200


def test_what_is_refused_is_sent_again(serve, bodies):
    port = serve(BUSY, OK, OK)
    found = send_all(lambda: HttpSender(port), bodies.take, connections=1, requests=2)
    assert [one.status for one in found.every] == [429, 200, 200]
    assert found.every[0].body == found.every[1].body != found.every[2].body


def test_another_answer_ends_the_benchmark(serve, bodies):
    port = serve(b"HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n")
    with pytest.raises(RuntimeError, match="400"):
        send_all(lambda: HttpSender(port), bodies.take, connections=1, requests=1)
