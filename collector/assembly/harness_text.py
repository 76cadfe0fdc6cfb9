"""Text in the user role that the requester did not write: what a harness puts there.

Reminders, environment blocks, summaries of what was compacted, tool observations. It is private
context, never part of the request (facts from public harnesses and their reports).
"""

from __future__ import annotations

import re

from collector.content.messages import redacted_whole

# Blocks a harness wraps around the requester's words: removed, the words around them stay.
_BLOCK_NAMES = (
    "system-reminder|system_reminder|environment_context|environment_details|user_instructions|"
    "permissions instructions|collaboration_mode|turn_context|context_summary|"
    "available_skills|skills_instructions|memory_context|local-command-stdout|command-name|"
    "command-message|command-args|local-command-caveat|session_context|task-notification"
)
_BLOCK_OPEN = re.compile(rf"<({_BLOCK_NAMES})(?:\s[^<>]{{0,200}})?>", re.IGNORECASE)

# A message that begins so is harness text as a whole.
_WHOLE = re.compile(
    r"""\s*(?:
      \[\s*(?:summary|compacted|condensed|earlier\ conversation|conversation\ summary|
         context\ summary|previous\ conversation|system\ (?:note|reminder|message)|
         old\ tool\ result|request\ interrupted)
    | <\s*(?:summary|conversation_summary|conversation-summary|compaction|context-summary)\s*>
    | this\ session\ is\ being\ continued\ from\ a\ previous\ conversation
    | (?:here\ is|below\ is|the\ following\ is)\ a\ summary\ of\ (?:the|our|earlier|previous)
    | summary\ of\ (?:the\ )?(?:earlier|previous|conversation)
    | for\ context:\s*(?:\[|below\ is\ a\ transcript)
    | <<<begin_quoted_agent_content>>>
    | caveat:\ the\ messages\ below\ were\ generated
    | this\ is\ the\ gemini\ cli\.\ we\ are\ setting\ up
    | observations?:\s
    | tool\ (?:result|output|response)s?\s*(?:\([^)\n]{0,80}\)|for\ [^\n:]{1,80})?:
    | \#\ agents\.md\ instructions
    | <\s*(?:tool_result|tool_response|function_results?|tool_output|observation)\b
    | \[(?:以前|之前|先前|早先)(?:的)?(?:对话|步骤)?(?:摘要|总结)
    )""",
    re.IGNORECASE | re.VERBOSE,
)


# What smolagents writes before a request.
_LEAD = re.compile(r"\s*new task:[ \t]*\n", re.IGNORECASE)


def requester_words(text: str) -> str:
    """Return what of a user-role text the requester wrote: "" when a harness wrote all of it, or an
    instrumentation its mark in place of it."""
    if _WHOLE.match(text, 0, 400) or redacted_whole(text):
        return ""
    text = (_without_blocks(text) if "<" in text else text).strip()
    lead = _LEAD.match(text, 0, 40)
    return text if lead is None else text[lead.end() :].strip()


def _without_blocks(text: str) -> str:
    kept: list[str] = []
    at = 0
    missing: set[str] = set()  # names already known not to close again: keeps the scan linear
    while (opening := _BLOCK_OPEN.search(text, at)) is not None:
        name = opening.group(1)
        closing = f"</{name}>"
        end = -1 if name in missing else text.find(closing, opening.end())
        if end < 0:
            missing.add(name)
            kept.append(text[at : opening.end()])
            at = opening.end()
            continue
        kept.append(text[at : opening.start()])
        at = end + len(closing)
    kept.append(text[at:])
    return "".join(kept)
