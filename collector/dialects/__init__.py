"""The dialects, in the order in which they are asked: the first that claims a record reads it.

Specific ones stand before general ones: many libraries write `gen_ai.*` keys beside their own.
"""

from __future__ import annotations

from collector.dialect import Dialect
from collector.dialects.agent_framework import AgentFramework
from collector.dialects.claude_code import ClaudeCode
from collector.dialects.codex import Codex
from collector.dialects.gemini_cli import GeminiCLI
from collector.dialects.gen_ai import GenAI
from collector.dialects.gen_ai_events import GenAIEvents
from collector.dialects.google_adk import GoogleADK
from collector.dialects.haystack import Haystack
from collector.dialects.langfuse import Langfuse
from collector.dialects.langsmith import LangSmith
from collector.dialects.litellm import LiteLLM
from collector.dialects.logfire import Logfire
from collector.dialects.mlflow import MLflow
from collector.dialects.openinference import OpenInference
from collector.dialects.openlit import OpenLIT
from collector.dialects.openllmetry import OpenLLMetry
from collector.dialects.pydantic_ai import PydanticAI
from collector.dialects.semantic_kernel import SemanticKernel
from collector.dialects.strands import Strands
from collector.dialects.vercel_ai import VercelAI

DIALECTS: tuple[Dialect, ...] = (
    Logfire(),
    Langfuse(),
    OpenInference(),
    LangSmith(),
    MLflow(),
    GoogleADK(),
    VercelAI(),
    ClaudeCode(),
    Codex(),
    GeminiCLI(),
    Strands(),
    PydanticAI(),
    Haystack(),
    OpenLIT(),
    SemanticKernel(),
    AgentFramework(),
    LiteLLM(),
    OpenLLMetry(),
    GenAIEvents(),
    GenAI(),
)
