"""Metrics, probes and stored turns over HTTP."""

from collector.admin.admin import Admin
from collector.admin.settings import AdminConfig

__all__ = ["Admin", "AdminConfig"]
