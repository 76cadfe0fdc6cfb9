"""How long the sidecar's event loop keeps a request waiting, asked every 20 ms.

    python bench/lag.py PORT SECONDS

Asks the admin port for /healthz, which does no work, over one connection. The answer's time is the
lag of the event loop and the way there and back (a fraction of a millisecond). Prints the answer
times in seconds as a JSON list. A process of its own, so that no load generator delays it.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time

EVERY = 0.02


def probe(port: int, seconds: float) -> list[float]:
    """Return how long each answer took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    found = []
    until = time.monotonic() + seconds
    while (began := time.monotonic()) < until:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        found.append(time.monotonic() - began)
        time.sleep(max(0.0, EVERY - found[-1]))
    return found


class Probe:
    """The same in the background."""

    def __init__(self, port: int, seconds: float) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(port), str(seconds)], stdout=subprocess.PIPE
        )

    def result(self) -> list[float]:
        """Wait for its end and return how long each answer took."""
        said, _ = self._process.communicate()
        return list(json.loads(said))


def percentile(values: list[float], share: float) -> float:
    """Return the value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


if __name__ == "__main__":
    print(json.dumps(probe(int(sys.argv[1]), float(sys.argv[2]))))
