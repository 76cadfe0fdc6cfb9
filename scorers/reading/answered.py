"""Whether a reply answers: work reported without its result, and requests passed over."""

from __future__ import annotations

import re

from scorers.identifiers import identifiers
from scorers.reading.passage import Passage

QUESTION = re.compile(
    r"(?i)[?？]|\b(?:what|which|why|how|who|whom|whether|where|when|tell me|let me know|find out)\b"
    r"|多少|怎么|什么|哪|是否|吗|为何|几"
)
# "Can you fix …?" asks for work, and a report of the work answers it.
POLITE = re.compile(
    r"(?i)\b(?:can|could|would|will) you (?!tell|explain|say|show|check|find|work out|compare|look)"
    r"[^.!?\n]{0,400}[.!?]?"
)
# "I compared …", "we have then split …": an action of the writer, not a result of it.
ACTION = re.compile(
    r"\b(?:I|[Ww]e)(?:'ve|’ve| have| also| then| first| only| again| both| next)* "
    r"(?!need|indeed|found\b|find\b|had\b|read as\b|want|expect|suggest|recommend|would\b|could\b"
    r"|should\b|spent\b|thought\b|meant\b|felt\b|noticed\b|did\b)"
    r"(?:[a-z]+ed|set|cut|took|read|ran|went|split|wrote|put|kept|built|made|drew"
    r"|swapped|left|reran"
    r"|sent|sought|brought|bought|held|laid|chose|gave|began)\b"
)
ACTION_HAN = re.compile(
    r"(?:比|算|查|跑|写|列|做|记录|对照|整理|核对|重算|重做|检查|统计|分析|准备|拆|排|补|换|切|复查"
    r"|换算|倒推|更新|修改|比较|复核|汇总|测试|验证)(?:好|过|出|完)?了"
    r"|已(?:比|列|存|写|跑|查|做|算|完成|更新|整理|准备|记录)|都(?:记|列|比|算|做)了"
)
# A reply of fewer sentences is too short for a share to mean anything.
FEWEST_SENTENCES = 10
# Recorded replies that report their work and nothing else lie above 0.24, all others below 0.18.
ACTION_SHARE = 0.21
SHORTEST_SENTENCE = 8

# A question for a fact, with nothing to be done: reporting only work leaves it open.
FACT = re.compile(
    r"(?i)(?:\A\s*+|[.!?]\s++|(?<!\s)[^\S\n]*+\n\s*+)(?:and\s|so\s)?(?:what(?!['’]s new"
    r"| have you| did you| are you| do you (?:do|plan))|which|how (?:many|much|long|often|old"
    r"|big|full|high)|when|where|why"
    r"|who)\b"
)
# Words of a result in a sentence that begins with an action.
RESULT = re.compile(
    r"(?i)\d|[:：]|\b(?:that|because|is|are|was|were|found|shows?|no|none|not|so|which|but|failed"
    r"|will|should|would|can|could|has|you)\b"
)
FEWEST_SHORT = 2

REQUESTED = re.compile(
    r"(?i)\b(?:cancel|change|upgrade|return|exchange|refund|book|modify|update|check"
    r"|close|delete|remove|add)\b|取消|退|改|查|关闭|删除"
)
WHOLE = re.compile(
    r"(?i)\b(?:both|all|each|every|either|neither|none|ambas|ambos|todos|todas)\b|都|全部"
)
WORD = re.compile(r"[^\W\d_]{4,}|[㐀-鿿]{2}")


def only_actions(passage: Passage, request: str) -> bool:
    """Whether a question was asked and the reply lists what was done instead of what came of it."""
    if not QUESTION.search(POLITE.sub(" ", request)):
        return False
    text = passage.own_words
    sentences = actions = bare = 0
    for start, end in passage.sentences:
        sentence = text[start:end]
        if len(sentence.strip()) < SHORTEST_SENTENCE:
            continue
        sentences += 1
        if ACTION.search(sentence) or (not sentence.isascii() and ACTION_HAN.search(sentence)):
            actions += 1
            bare += RESULT.search(sentence) is None
    if sentences >= FEWEST_SENTENCES:
        return actions >= ACTION_SHARE * sentences
    nothing_else = FEWEST_SHORT <= sentences == bare and not passage.fenced
    return nothing_else and "`" not in passage.text and FACT.search(request) is not None


def passed_over(passage: Passage, request: str) -> str | None:
    """Return the code of a thing the request asked something of and the reply never mentions.

    Only where the reply deals with another thing named in the same request, so that it is clear
    that it answers one of two and not both.
    """
    wanted = {
        name.text
        for name in identifiers(request)
        if name.shape == "code" and REQUESTED.search(_clause(request, name.start))
    }
    if not 2 <= len(wanted) <= 20 or WHOLE.search(passage.prose):
        return None
    missing = sorted(name for name in wanted if name not in passage.text)
    return missing[0] if missing and len(missing) < len(wanted) else None


def answer_quote(passage: Passage, request: str) -> str | None:
    """Return the sentence that shares most words with the request, None where none shares two."""
    wanted = set(map(str.lower, WORD.findall(request[-4000:])))
    best, most = None, 1
    for start, end in passage.sentences if len(wanted) > 1 else ():
        sentence = passage.text[start:end].strip()
        shared = len(wanted.intersection(map(str.lower, WORD.findall(sentence))))
        if shared > most and not sentence.endswith(("?", "？")):
            best, most = sentence, shared
    return best


def _clause(text: str, position: int) -> str:
    """The sentence of a message that holds a position, up to 300 characters of it."""
    start = max(text.rfind(mark, 0, position) for mark in ".!?\n。！？")
    return text[max(start + 1, position - 300) : position]
