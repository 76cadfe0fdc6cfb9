"""The running process: receives telemetry, assembles turns, has them scored, exports the result."""

__version__ = "0.1.0"
