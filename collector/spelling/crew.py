"""CrewAI's crews, as instrumentations record them: who works in them, what they were asked."""

from __future__ import annotations

import re

from collector.content import decode, literal
from collector.content.pyrepr import STRING
from collector.span import Span
from collector.spelling.convention import string
from scorers.turn import Message, Part

# OpenLLMetry up to 0.5x writes Python's repr of the tasks.
_DESCRIPTION = re.compile(rf"'description': ({STRING})")
_ROLE = re.compile(r"\brole='([^'\n]{1,200})'")
# The repr of an agent begins with its id and role; its backstory may be long.
_HEAD = 1000


def crew_request(span: Span) -> tuple[Message, ...] | None:
    """Return what the crew's first task asks for, None where the span is not that of a crew.

    The prompt that a model call shows wraps it in words of CrewAI's own.
    """
    tasks = decode(span.attributes.get("crew_tasks", span.attributes.get("crewai.crew.tasks")))
    first = tasks[0] if isinstance(tasks, list) and tasks else None
    asked = string(first, "description") if isinstance(first, dict) else None
    if isinstance(tasks, str) and (found := _DESCRIPTION.search(tasks)):
        asked = str(literal(found[1]))
    return (Message("user", (Part("text", asked),)),) if asked else None


def crew_member(span: Span) -> str | None:
    """Return the role of the agent that a task was given to, None where it is not recorded.

    Up to 0.1.x the span is called `Task._execute_core` and holds the agent's repr.
    """
    if not span.scope.name.endswith(".crewai"):
        return None
    given = decode(span.attributes.get("input.value"))
    agent = given.get("agent") if isinstance(given, dict) else None
    if isinstance(agent, dict):
        return string(agent, "role")
    found = _ROLE.search(agent[:_HEAD]) if isinstance(agent, str) else None
    return found[1] if found else None
