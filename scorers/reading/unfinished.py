"""Replies that stop before the answer: a promise, a plan, work without its result, a raw dump."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from scorers.reading.answered import ACTION, FACT, RESULT
from scorers.reading.passage import Passage

# Longer replies say something else as well.
LONGEST = 500
MOST_SENTENCES = 3

LOOK = (
    r"(?:pull|fetch|check|look|search|query|get|find|open|go|gather|collect|load|read|retrieve"
    r"|compute"
    r"|calculate|examine|review|analy[sz]e|compare|run|dig|scan|browse|visit|inspect|investigate)"
)
ADVERBS = r"(?:(?:now|first|just|quickly|then|also|go ahead and|start by|begin by)\s)*"
PROMISE = re.compile(
    r"(?i)\W*(?:(?:sure|ok(?:ay)?|certainly|of course|absolutely|great|alright|right|yes"
    r"|thanks?(?: you)?|got it|no problem|one moment|just a (?:moment|second|minute)|please wait"
    r"|hold on)[\s,.!:;–—-]+)*"
    r"(?:(?:first|next|now|then),?\s)?"
    r"(?:(?:let me|i(?:['’]ll|\swill)|i(?:['’]m|\sam) (?:now )?going to)\s"
    + ADVERBS
    + LOOK
    + r"(?:ing)?\b"
    r"|(?:i(?:['’]m|\sam)\s)?"
    + ADVERBS
    + r"(?:checking|looking|searching|fetching|pulling|gathering"
    r"|retrieving|loading|querying)\b[^.!?\n]{0,80}(?:…|\.\.\.|\bnow\b|\bmoment\b))"
)
PROMISE_HAN = re.compile(
    r"\W*+(?:好的?|没问题|可以|当然)?[，,。！!\s]*+(?:请?稍等|正在(?:为您|帮您)?(?:查询|搜索|检索|查找|处理)"
    r"|(?:让我|我来|我先|我这就|我马上)(?:先)?(?:为您|帮您|给您)?(?:查|看|搜|找|检索))[^。！？\n]{0,60}[。…！.]*\Z"
)
PLEASANTRY = re.compile(
    r"(?i)\W*(?:sure|ok(?:ay)?|certainly|of course|absolutely|great|alright|got it|no problem"
    r"|one moment|just a (?:moment|second|minute)|please wait|hold on|thanks?(?: you)?)\W*\Z"
)
# What is asked for later, or about the plan, a promise or a plan answers.
LATER = re.compile(
    r"(?i)\b(?:tomorrow|later|next|remind|every|from now on|in future|whenever|plan|plans|approach"
    r"|(?:will|would|could|can|are|do|did|have) you (?!please|tell|list|find|look|show|give|check"
    r"|compare|get|explain)|going to|how (?:would|will))\b"
)
# A promise that comes with a result, or with what is missing for one.
GIVES = re.compile(
    r"(?i)[?:\d]|\b(?:tonight|today|tomorrow|until|within|when|if|before|by (?!\w+ing)"
    r"|after (?!that))\b|\b(?:because|is|are|was|were|once you|after you|if you|need|can['’]?t"
    r"|cannot)\b"
)
ASKS = re.compile(
    r"(?i)[?？]|\A\W*(?:please\s)?(?:find|list|name|give|tell|show|compare|convert|book|add|get"
    r"|calculate|compute|look up|summari[sz]e|explain|search)\b"
)
# Work that finds things out.
SEARCHED = re.compile(
    r"(?i)\W*(?:I|we)(?:['’]ve|\shave)?\s(?:also\s|then\s|first\s|just\s)?(?:search|check|open"
    r"|look|read"
    r"|review|compar|visit|examin|analy[sz]|collect|gather|export|queri|pull|scan|brows|load|fetch"
    r"|download|inspect|navigat|click|calculat|comput|retriev|ran\b|went through)"
)
SEEK = re.compile(
    r"(?i)\A\W*(?:please\s)?(?:find|tell me|name|list|give me|show me|look up|convert)\b"
)
# What the agent itself did is told by a report of it.
ABOUT_WORK = re.compile(
    r"(?i)\b(?:did|have|had|were|are|do) (?:you|we)\b|\byou(?:['’]ve| have)? (?:do|done|chang)"
)
# "I updated `a`, `b` and `c`.": names of files and nothing about them.
ONLY_FILES = re.compile(
    r"(?i)\W*I(?:['’]ve|\shave)?\s(?:updated|changed|edited|modified|created|touched|rewrote"
    r"|adjusted)\s"
    r"(?:the\s)?(?:files?\s)?`[^`\n]{1,200}`(?:(?:,\s|,?\sand\s)`[^`\n]{1,200}`){1,40}\W*\Z"
)
WHY = re.compile(r"(?i)(?:\A\s{0,4}|[.!?]\s{1,4}|\n\s{0,4})(?:and\s|so\s|but\s)?why\b")
# A quantity was asked for.
QUANTITY = re.compile(
    r"(?i)(?:\A\s{0,4}|[.!?]\s{1,4}|\n\s{0,4})(?:and\s|so\s)?how (?:many|much (?!better|more"
    r"|less|faster|do you))\b"
)
# Any amount, any doubt, any refusal.
AMOUNT = re.compile(
    r"(?i)[\d?`|]|https?:|\b(?:no|none|nothing|zero|one|two|three|four|five|six|seven|eight|nine"
    r"|ten"
    r"|eleven|twelve|just|only|me|myself|each|dozens?|hundreds?|thousands?|millions?|half|third"
    r"|quarter|all|both|double"
    r"|twice"
    r"|once|few|fewer|several|some|any|many|most|more|less|much|enough|lot|lots|little|slightly"
    r"|considerably|hardly|barely|almost|nearly|single|couple|unlimited|free|everything|not|cannot"
    r"|unknown|unable|sorry|depends?|varies|unclear|need|please|full|entire|whole|max\w*|min\w*)\b"
    r"|n['’]t\b"
)
DATA = re.compile(
    r"(?i)\b(?:json|schema|format|structured|object|dict\w*|yaml|raw|payload|api|fields?|keys?"
    r"|parse)\b"
)
# A key of so few letters is short for something.
SHORT_KEY = 3
USUAL_KEYS_TEXT = "id ids url uri key age day sum max min top end to cc api sku tag ok msg"
USUAL_KEYS = frozenset(USUAL_KEYS_TEXT.split())
LONGEST_DUMP = 20_000


def is_promise(passage: Passage, request: str) -> bool:
    """Whether a reply only says what will be done, although the answer was asked for now."""
    if len(passage.text) > LONGEST or passage.fenced or LATER.search(request):
        return False
    if len(passage.text) <= LONGEST // 4 and PROMISE_HAN.match(passage.text):
        return True
    if not ASKS.search(request):
        return False
    sentences = list(_sentences(passage))
    promised = [sentence for sentence in sentences if PROMISE.match(sentence)]
    if not promised or len(sentences) > MOST_SENTENCES or GIVES.search(passage.own_words):
        return False
    return len(promised) + sum(1 for s in sentences if PLEASANTRY.match(s)) == len(sentences)


def is_bare_work(passage: Passage, request: str) -> bool:
    """Whether one to three sentences tell what was looked at and nothing that was found."""
    if len(passage.text) > LONGEST or passage.fenced:
        return False
    if WHY.search(request) and ONLY_FILES.match(passage.text):
        return True
    if not (FACT.search(request) or SEEK.search(request)) or ABOUT_WORK.search(request):
        return False
    sentences = list(_sentences(passage))
    if not 1 <= len(sentences) <= MOST_SENTENCES or "`" in passage.text or "|" in passage.text:
        return False
    return SEARCHED.match(sentences[0]) is not None and all(
        ACTION.search(sentence) and not RESULT.search(sentence) for sentence in sentences
    )


def leaves_amount_open(passage: Passage, request: str) -> bool:
    """Whether "how many" is met by sentences that hold no amount, no doubt and no refusal."""
    if len(passage.text) > LONGEST or passage.fenced or not QUANTITY.search(request):
        return False
    sentences = list(_sentences(passage))
    return 1 < len(sentences) <= MOST_SENTENCES and not AMOUNT.search(passage.text)


def is_raw_data(passage: Passage, request: str) -> bool:
    """Whether a reply is nothing but data whose keys are short forms, and no data was asked for."""
    text = passage.text.strip()
    if text[:1] not in ("{", "[") or len(text) > LONGEST_DUMP or DATA.search(request):
        return False
    try:
        keys = set(_keys(json.loads(text)))
    except (ValueError, RecursionError):
        return False
    short = {key for key in keys if len(key) <= SHORT_KEY and key.lower() not in USUAL_KEYS}
    return len(short) >= 2 and 2 * len(short) >= len(keys)


def _keys(value: Any) -> Iterator[str]:
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield from one
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)


def _sentences(passage: Passage) -> Iterator[str]:
    for start, end in passage.sentences:
        sentence = passage.own_words[start:end].strip()
        if sentence:
            yield sentence
