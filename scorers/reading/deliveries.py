"""Things a reply says it made, or sends its reader to, without saying where they are.

A requester can open a path, a link, a file by name; "the document is ready to download" without
any of them points at something that was never delivered.
"""

from __future__ import annotations

import re

from scorers.reading.gap import Gap
from scorers.reading.known import Known
from scorers.reading.passage import URL, Passage, without_urls
from scorers.reading.words import hint

# A place: file name, path, link, picture, or the thing itself as a code block.
ENDING = (
    r"\.(?:html?|pdf|docx?|pptx?|xlsx?|csv|md|txt|png|jpe?g|gif|svg|webp|mp[34]|wav"
    r"|py|ipynb|js|jsx|ts|tsx|css|json|ya?ml|zip|sql|sh|go|rs|java|c|cpp|rb|php|swift|kt)\b"
)
FILE_END = re.compile(rf"(?i){ENDING}")
FILE_NAME = re.compile(rf"(?i)\b[\w-]{{1,80}}{ENDING}")
PATH = re.compile(r"(?<![\w/<])(?:~|\.{1,2})?/[\w.@+-]{1,80}/[\w.@+/-]{1,200}|\]\([^)\s]{1,500}\)")
# An address that the made thing contains is not the address of the made thing.
MENTIONED = re.compile(
    r"(?i)(?:opens|links?|linking|points?|pointing|leads?|redirects?)(?: to)?\s*\Z"
)

SEEN = (
    r"(?:website|web ?page|landing page|home ?page|image|photo|photograph|picture|illustration"
    r"|comic(?: strip)?|video|clip|animation|slides?|slide deck|presentation|deck"
    r"|podcast|audio|logo"
    r"|poster|infographic|dashboard|spreadsheet|pdf|mock-?up|prototype|visuali[sz]ation|game|app"
    r"|diagram|chart|(?:weather )?forecast|3d model|map|banner|flyer|brochure"
    r"|thumbnail|wallpaper)s?"
)
ASKED = re.compile(
    r"(?i)\b(?:create|generate|build|design|make|draw|produce|render|paint|turn (?:it"
    r"|this|that) into)\s"
    r"(?:me\s|us\s)?(?:[\w'’-]+\s){0,6}?" + SEEN + r"\b"
    r"|(?:生成|制作|做|画|设计|创建|绘制)(?:一?[个张份幅部段]|几[张个])?[^，。\n]{0,12}"
    r"(?:网站|网页|图片?|照片|海报|视频|漫画|幻灯片|演示文稿|PPT|应用|游戏|仪表盘)"
    r"|(?:웹사이트|사이트|이미지|그림|사진|영상|슬라이드|페이지)[^.\n]{0,12}(?:만들|생성|그려|제작)"
)
MADE = re.compile(
    r"(?i)\b(?:i(?:'ve|’ve| have)?|we(?:'ve|’ve| have)?)\s(?:\w+ly\s|just\s|now\s)?"
    r"(?:\w+ed\s[^.!?\n]{0,120}?\band\s)?(?:created|generated|built|designed|made|drawn|produced"
    r"|rendered|developed|put together|crafted)\b"
    r"|\b(?:has|have) been (?:\w+ly )?(?:created|generated|built|designed|made|produced)\b"
    r"|(?:已|已经|成功)(?:为您|为你)?(?:生成|制作|创建|设计|完成|做好|绘制)|(?:生成|制作|创建|设计|绘制)了"
    r"|(?:만들었|생성했|제작했|완성했|만들어졌)"
)
OFFERED = re.compile(
    r"(?i)\b((?:the|your|this|all)\s(?:[\w-]+\s){0,3}(?:document|report|file|files|article|summary"
    r"|presentation|website|page|image|images|photos?|spreadsheet|timeline|video|pdf|deck))\s"
    r"(?:is|are|has been made|have been made)\s(?:now\s|all\s)?(?:available|ready)\s"
    r"(?:for\s(?:you\s)?(?:to\s)?|to\s)(?:be\s)?(?:view|download|review|open|use"
    r"|deploy|shar|publish)"
    r"|\b(the attached (?:[\w-]+\s)?(?:file|document|report|image|screenshot|spreadsheet|pdf))\b"
    r"|(附件|(?:文档|报告|文件|图片)(?:已|现)?可(?:以)?(?:下载|查看))"
)
# A pattern is tried only where one of these words stands in the text: much cheaper.
HINTS = {
    OFFERED: hint(
        "available ready attached 附件 下载 查看",
    ),
}
# How much of the reply's beginning announces what was made.
ANNOUNCEMENT = 500


def undelivered(passage: Passage, known: Known, request: str) -> list[Gap]:
    """Return the thing made or offered that the reader has no way to open, as one gap at most."""
    if passage.fenced or has_place(passage.text):
        return []
    offered = passage.words.may_hold(HINTS[OFFERED])
    for match in OFFERED.finditer(passage.prose) if offered else ():
        group = next(index for index in (1, 2, 3) if match.group(index))
        if group != 1 and known.to_requester(match.group(group)):
            continue
        return [_gap(passage, *match.span(group))]
    wanted = ASKED.search(request)
    # In their own repository or file the requester finds what was made.
    if not wanted or has_place(request) or known.has_files:
        return []
    made = MADE.search(passage.prose, 0, ANNOUNCEMENT)
    if made is None:
        return []
    start = made.end()
    while start < len(passage.text) and passage.text[start] in " *_":
        start += 1
    end = _phrase_end(passage.text, start)
    return [_gap(passage, start, end)] if end > start else [_gap(passage, *made.span())]


def has_place(text: str) -> bool:
    """Whether a text names a file, a path or a link that can be opened."""
    # Names begin at every word, ends at every full stop: those are fewer.
    if FILE_END.search(text) and FILE_NAME.search(without_urls(text)):
        return True
    if ("/" in text or "](" in text) and PATH.search(text):
        return True
    if "://" not in text and "www." not in text:
        return False
    starts = (match.start() for match in URL.finditer(text))
    return any(not MENTIONED.search(text[max(0, start - 30) : start]) for start in starts)


def _phrase_end(text: str, start: int) -> int:
    """End of the noun phrase that begins at `start`: up to punctuation or a relative clause."""
    stop = re.compile(
        r"[.,:;!?。，；：！？\n]|\s(?:that|which|with|for|showcasing|about|of)\b"
    ).search(text, start, min(len(text), start + 120))
    return stop.start() if stop else min(len(text), start + 120)


def _gap(passage: Passage, start: int, end: int) -> Gap:
    span = passage.text[start:end]
    return Gap(
        start,
        end,
        span,
        "reference",
        "pointer",
        f"Where is “{span}”? No file, path or link is given.",
    )
