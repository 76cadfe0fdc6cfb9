"""Pointers into material that only the agent holds: its search results, notes, earlier reports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scorers.reading.gap import Gap
from scorers.reading.known import Known
from scorers.reading.passage import Passage
from scorers.reading.words import hint

# Output of the agent's tools, said to stand "above".
OUTPUT = re.compile(
    r"(?i)\b(?:the\s)?(?:above|previous|preceding|aforementioned)\s(?:search results?"
    r"|tool (?:outputs?"
    r"|results?|calls?|responses?)|query results?|command outputs?|observations?|api responses?)\b"
    r"|\b(?:search results?|tool (?:outputs?|results?|responses?)|query results?"
    r"|command outputs?)\s"
    r"(?:above|shown above|provided above|given above)\b"
    r"|(?:上述|以上|前述|上面|上文|之前|前面)的?[^，。、；\n]{0,4}"
    r"(?:搜索结果|检索结果|工具输出|工具结果|工具返回|查询结果|运行结果|观察结果)"
    r"|(?:위|앞|이전)(?:의|에서)?\s?(?:검색 결과|도구 출력|조회 결과)"
    r"|\b(?:los\s)?(?:anteriores resultados"
    r"|resultados anteriores)\sde (?:la )?(?:búsqueda|herramienta)"
)
# The agent's own notes and memory, as the place where the content is.
NOTES = re.compile(
    r"(?i)\b(?:listed|described|given|set out|recorded|documented|summari[sz]ed"
    r"|explained|defined|kept"
    r"|written|stored|saved|logged|see|found|noted)\s(?:[\w.-]+\s){0,3}?(?:in|under"
    r"|from)\s(?:[\w.-]+\s){0,4}?"
    r"((?:in\s)?(?:my|the agent's|the session|the subagent's)\s(?:internal\s|own\s"
    r"|working\s|work\s|session\s|private\s)?"
    r"(?:notes?|scratchpad|memory|log|journal|workspace|to-?do list))\b"
    r"|(?:见|详见|参见|列在|记在|写在|存在)([^，。；\n]{0,10}我的?(?:工作)?(?:笔记|记录|备忘|工作区))"
    r"|\b((?:in|unter|aus)\smeine[nmr]\s(?:internen\s|eigenen\s)?(?:notizen|arbeitsnotizen"
    r"|aufzeichnungen|unterlagen|protokollen?)|en mis (?:propias )?(?:notas|apuntes|registros)"
    r"|dans mes notes|私のメモ|内部メモ)"
)
# An earlier message of the agent, where the requester has had none.
EARLIER = re.compile(
    r"(?i)\b(?:as|see|in|from|per)\s(?:\w+\s){0,4}?((?:my|our|the)\s(?:previous"
    r"|earlier|last|prior)\s"
    r"(?:report|reply|message|summary|analysis|answer|update|response|e-?mail))\b"
    r"|((?:我)?(?:上次|上一(?:封|轮|次|条)|此前|之前)的?(?:报告|回复|分析|邮件|总结|答复))"
)
# A run or entry of the agent's, as the place where the content is.
ENTRY = re.compile(
    r"(?i)\b(?:see|given in|listed in|shown in|described in|found in|settings of|according to"
    r"|per)\s(?:the\s)?(?:run|entry|index entry|log entry|note|chunk|snippet|observation"
    r"|artifact)\s"
    r"[`*]{0,2}([A-Za-z][\w./-]{1,40})"
)
# "see the index", "as the run log shows": a list of the agent's that the requester never got.
INDEX = re.compile(
    r"(?i)\b(?:see|cf\.?|per|as in|listed in|given in|shown in)\s(?:the\s)"
    r"((?:(?:evidence|source|run|work|research|result)\s)?(?:index|register|scratchpad|worklog"
    r"|run log|evidence table|source list))\b"
)
# "Run Q7-B confirms it": a piece of the agent's work, given as the reason.
CONFIRMED = re.compile(
    r"\b(?:[Rr]un|[Tt]rial|[Ee]xperiment|[Pp]ass|[Vv]ariant|[Cc]heck)\s[`*]{0,2}"
    r"([A-Z][A-Za-z]{0,4}-?\d[\w.-]{0,12}|[A-Z]\d-[A-Z]{2,})[`*]{0,2}\s(?:also\s|clearly\s)?"
    r"(?:confirms?|shows?|proves?|supports?|rules? out|reproduces?|says?|gives?|settles?)\b"
)
# "The second fix", where no fixes were listed: neither counted, nor numbered, nor named before.
ORDINAL = re.compile(
    r"(?i)\bthe\s(?:second|third|fourth|fifth)\s(fix|approach|option|issue|finding|solution|variant"
    r"|scenario|hypothesis|alternative|proposal|suggestion|method|candidate|problem|cause|caveat)\b"
    r"|第[二三四五]个?(方案|问题|修复|办法|选项|原因|假设|建议|发现)"
    r"|\b(?:die|der|das|den|la|el)\s(?:zweite|dritte|vierte|segund[ao]|tercera?|cuart[ao])n?\s"
    r"(lösung|variante|option|ansatz|opción|solución|enfoque|propuesta)\b"
)
LISTED = re.compile(
    r"(?im)^[ \t]*(?:[-*•]|\(?\d{1,2}[.)、]|\|)|\b(?:first|one is|other|another|either|both|two"
    r"|three|four|five|firstly|besides|also|alternatively|erste[nrs]?|zwei|drei"
    r"|primer[ao]?|dos|tres|entweder)\b|\(\d\)|[①②]|第一|首先|两|三"
)
# "The earlier objection still stands": a premise that was never put before the requester.
PREMISE = re.compile(
    r"(?i)\b(the\s(?:earlier|previous|prior)\s(objection|exception|concern|caveat|assumption"
    r"|premise"
    r"|experiment|pass|iteration|hypothesis))\b"
)
# Something shown above, where nothing stands above.
ABOVE = re.compile(
    r"(?i)\b(?:see\s|in\s|from\s)?((?:the\s)?(?:report|analysis|summary|table|chart|figure|list"
    r"|breakdown|results|plan|findings|details|assessment|comparison|overview)\s"
    r"(?:(?:that\s|which\s)?(?:I|we)(?:\shave|['’]ve)?\s[a-z]+\s(?:out\s|up\s)?)?"
    r"(?:shown\s|given\s|listed\s|provided\s)?above)\b"
    r"|((?:上面|上述|以上)的?(?:报告|分析|总结|表格?|图表?|列表|计划|清单))"
)
# Shorter than this, what stands above can't be what is meant.
NOTHING_ABOVE = 120
# Data the agent made up or drew, where the requester knows of none.
MADE_UP = re.compile(
    r"(?i)\b(?:simulated|mock|dummy|placeholder|synthetic|fabricated|made-up)\s"
    r"(?:data|data ?sets?|figures|numbers|results|statistics)\b|(?:模拟|虚构|示例)数据"
)
# A pattern is tried only where a word of each of its groups stands in the text: much cheaper.
HINTS = {
    OUTPUT: hint(
        "above previous preceding aforementioned anteriores 上 前 위 앞 이전",
        "search tool query command observation observations api resultados 结果 工具 결과 출력",
    ),
    NOTES: hint(
        "my agent session subagent meine meinen meinem meiner mis mes 我 私 内部",
    ),
    INDEX: hint(
        "index register scratchpad worklog log table list",
    ),
    CONFIRMED: hint(
        "run trial experiment pass variant check",
        "confirm confirms show shows prove proves support supports rule rules "
        "reproduce reproduces say says give gives settle settles",
    ),
    ENTRY: hint(
        "run entry note chunk snippet observation artifact",
    ),
    ORDINAL: hint(
        "second third fourth fifth zweite zweiten dritte dritten vierte vierten "
        "segundo segunda segundon segundan tercer tercera tercern terceran cuarto "
        "cuarta cuarton cuartan 第",
        "fix approach option issue finding solution variant scenario hypothesis "
        "alternative proposal suggestion method candidate problem cause caveat "
        "lösung variante ansatz opción solución enfoque propuesta 方案 问题 修复 办法 选项 "
        "原因 假设 建议 发现",
    ),
    EARLIER: hint(
        "previous earlier last prior 上 前",
        "report reply message summary analysis answer update response email mail "
        "报告 回复 分析 邮件 总结 答复",
    ),
    ABOVE: hint(
        "上 above",
    ),
    PREMISE: hint(
        "earlier previous prior",
    ),
    MADE_UP: hint(
        "data dataset datasets figures numbers results statistics 数据",
        "simulated mock dummy placeholder synthetic fabricated made 模拟 虚构 示例",
    ),
}
STEMS = ("simulat", "mock", "dummy", "placeholder", "synthetic", "模拟", "虚构", "示例")


def unseen_pointers(passage: Passage, known: Known) -> Iterator[Gap]:
    """Yield pointers to material that was never sent, in no particular order."""
    text = passage.own_words
    words = passage.words

    def tried(pattern: re.Pattern[str]) -> bool:
        return words.may_hold(HINTS[pattern])

    for match in OUTPUT.finditer(text) if tried(OUTPUT) else ():
        if not known.to_requester(match.group().split()[-1]):
            yield _gap(passage, match, 0, "What does it say? It was never sent.")
            break
    notes = NOTES.search(text) if tried(NOTES) else None
    if notes:
        yield _gap(passage, notes, 0, "What do the notes say? They were never sent.")
    if tried(ENTRY):
        yield from _entries(passage, known)
    if tried(INDEX):
        yield from _indices(passage, known)
    if tried(CONFIRMED):
        yield from _confirmed(passage, known)
    if tried(ORDINAL):
        yield from _ordinals(passage, known)
    if not known.has_replies:
        earlier = EARLIER.search(text) if tried(EARLIER) else None
        if earlier:
            yield _gap(passage, earlier, _group(earlier), "Which one? None was sent before.")
        if tried(ABOVE):
            yield from _above(passage)
        if tried(PREMISE):
            yield from _premises(passage, known)
    if tried(MADE_UP):
        yield from _made_up(passage, known)


def _above(passage: Passage) -> Iterator[Gap]:
    """The first thing that is said to stand above, where nothing does."""
    text = passage.own_words
    for match in ABOVE.finditer(text, 0, NOTHING_ABOVE + 60):
        if len(text[: match.start()].strip()) < NOTHING_ABOVE:
            yield _gap(passage, match, _group(match), "Where? Nothing stands above.")
            return


def _premises(passage: Passage, known: Known) -> Iterator[Gap]:
    """The first premise of an earlier time that neither side has spoken of."""
    premise = PREMISE.search(passage.own_words)
    if premise is None:
        return
    noun = premise.group(2).lower()
    if noun not in known.folded and passage.own_words.lower().count(noun) == 1:
        yield _gap(passage, premise, 1, "Which one? It was never told.")


def _made_up(passage: Passage, known: Known) -> Iterator[Gap]:
    made_up = MADE_UP.search(passage.own_words)
    if made_up and not any(stem in known.folded for stem in STEMS):
        start, end = made_up.span()
        yield Gap(
            start,
            end,
            passage.text[start:end],
            "background",
            "background",
            "Who made this data, from what, and why is it used here?",
        )


def _entries(passage: Passage, known: Known) -> Iterator[Gap]:
    for match in ENTRY.finditer(passage.own_words):
        name = match.group(1).rstrip(".-/")
        coded = any(mark.isdigit() for mark in name)
        if coded and not known.to_requester(name) and known.origin(name) is not None:
            yield _gap(passage, match, 1, "What does it say? It was never sent.")
            return


def _confirmed(passage: Passage, known: Known) -> Iterator[Gap]:
    """The first piece of the agent's work that is given as a reason and was never shown."""
    for match in CONFIRMED.finditer(passage.own_words):
        name = match.group(1)
        if not known.to_requester(name) and known.origin(name) is not None:
            yield _gap(passage, match, 1, f"What is {name}, and what did it show?")
            return


def _indices(passage: Passage, known: Known) -> Iterator[Gap]:
    """The first list of the agent's that is pointed to, and neither sent nor spoken of before."""
    for match in INDEX.finditer(passage.own_words):
        noun = match.group(1).lower().split()[-1]
        if noun not in known.folded and passage.own_words.lower().count(noun) == 1:
            yield _gap(passage, match, 1, "What does it hold? It was never sent.")
            return


def _ordinals(passage: Passage, known: Known) -> Iterator[Gap]:
    """The first "second fix" of fixes that were never listed."""
    match = ORDINAL.search(passage.own_words)
    if match is None or known.has_replies:
        return
    noun = next(group for group in match.groups() if group).lower()
    before = passage.own_words[: match.start()]
    if noun in known.folded or noun in before.lower() or LISTED.search(before):
        return
    # The rest of the sentence or list may count them ("The second option, …, the first …").
    if LISTED.search(known.requester[-4000:]) or re.search(r"(?m)^\s*\d[.)]", passage.text):
        return
    yield _gap(passage, match, 0, "Which one? They were never listed.")


def _group(match: re.Match[str]) -> int:
    return 1 if match.group(1) else 2


def _gap(passage: Passage, match: re.Match[str], group: int, question: str) -> Gap:
    start, end = match.span(group)
    return Gap(start, end, passage.text[start:end], "reference", "pointer", question)
