"""The demo: recorded telemetry, a sidecar to send it to, and what it found, on a page of text."""
