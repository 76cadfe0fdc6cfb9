"""Phrases that notes of unknown harnesses are built from, and what sets a note apart in a text."""

from __future__ import annotations

import re

from scorers.note_words import AMOUNT, GONE, LIMIT, LOST, MORE, NUMBER, OUTPUT, SHOWN, UNIT

LINE = re.compile(r"^[ \t]{0,16}(?P<note>\S[^\n\r]{0,199})$", re.MULTILINE)
WRAPPED_LINE = re.compile(
    r"^[ \t]{0,16}(?P<note>(?:[\[(<（【［…~*+✂]|\.\.|--)[^\n\r]{1,199})$", re.MULTILINE
)
INLINE = re.compile(
    r"(?P<note>(?:\.{3}|…)\s?(?:[\[(<{（][^\[\]<>\n]{2,120}[\])>}）](?:\.{3}|…)?|"
    r"(?:\+|and |\d)(?:[^\"\n\[\].…]|\.(?!\.)){2,80}(?:\.{3}|…)?))"
)
KEY = re.compile(
    r'"(?P<flag>(?:is_?|was_?|_)?truncated|_?has_?more|_?partial)"(?=\s{0,4}:\s{0,4}true\b)|'
    r'(?P<entry>"_{0,2}(?:truncat\w{0,10}|omitted\w{0,10}|note|notice|warning|more|elided)"'
    r'\s{0,4}:\s{0,4}"(?P<said>[^"\n]{3,200})")',
    re.IGNORECASE,
)
# What wraps a note, and brackets that close where the note ends.
OPEN = re.compile(
    r"^(?:\[[^\[\]\n]{1,200}\]|\([^()\n]{1,200}\)|<[^<>\n]{1,200}>|<{2,3}[^<>\n]{1,200}>{2,3}|"
    r"（[^（）\n]{1,200}）|【[^【】\n]{1,200}】|［[^［］\n]{1,200}］|(?:\.{2,3}|…)[^\n]{1,200}|"
    r"[~✂*=-]{1,40}[^\n~✂*=]{2,200}[~✂*=-]{1,40}|[~✂][^\n]{1,200})[.… ]{0,8}$"
)
INSIDE = re.compile(r"\S\s?(?:\.{3}|…|[\[<（【])|\w\(")
DECORATION = " \t[](){}<>（）【】［］.…~*#|-=_/!✂✄:;,。\"'`"
PREFIX = re.compile(r"^(?:note|nb|warning|notice|info|hinweis|nota|remarque|примечание|注|注意)\W+")
N_OF_M = re.compile(
    rf"(?P<kept>{NUMBER})(?:\s?(?:-|–|to)\s?\d[\d,]{{0,15}})?\s?"
    r"(?:(?:[^\W\d]{2,12} )?(?:of|out of|von|sur|de|di|van|из)\s|(?P<slash>/)\s?)"
    r"(?P<total>\d(?:[\d,._]{0,18}\d)?)\+?"
)
SIGNED = re.compile(
    r"^\+ ?\d[\d,]{0,15}\b|^\d[\d,]{0,15} more$|^-{1,3} ?more ?-{1,3}(?:\(?\d+%\)?)?$"
)
BARE = re.compile(
    r"^(?:(?:output|result|content|text|data|response)s? )?(?:cut|capped|snip(?:ped)?|abridged|"
    r"clipped|truncated|elided|omitted|shortened|trimmed|gap|partial (?:output|result|content)s?|"
    r"end of preview|preview|output continues|continued|以下略|中略|中间省略)(?: (?:here|off))?$"
)
# Said of an output as a whole, in one breath.
SAID = re.compile(
    rf"\b(?:{OUTPUT}|max(?:imum)? (?:output|response|length|size)\w*|"
    r"(?:rest|remainder|middle|remaining|part) (?:of )?(?:the |this )?[\w ]{0,24})"
    r"(?P<between>[^.;:!?\n]{0,60}?)(?P<lost>"
    r"\b(?:truncated|omitted|elided|clipped|trimmed|shortened|abbreviated|abridged|capped|cut off|"
    r"cut short|left out|not (?:shown|included|displayed|returned)|withheld)\b|"
    r"\blimited to \d|(?:limit|size|length|maximum) reached\b|"
    r"\b(?:was|were|is|are|has been|have been|been) (?:\w+ )?(?:removed|dropped|pruned|cleared|"
    r"discarded|hidden|compacted|reduced|suppressed|deleted)\b)"
)
INVITES = re.compile(
    r"^(?:continue (?:reading )?(?:with|from|at) (?:offset|start|line|page|cursor)|"
    r"to (?:see|read|get|view) (?:more|the rest|all|everything)\b|"
    r"use \S{1,40} to (?:see|show|get|read|view) (?:more|everything|all|the rest|the full)|"
    r"there (?:are|is) more (?:results|output|lines|rows|content|data|entries)|"
    r"this is (?:only )?a partial|has_?more\W{1,3}true$|more (?:results|output|lines|rows|data) "
    r"(?:available|follow))"
)
TIGHTENS = re.compile(r"\b(?:limit|max\w{0,4})(?: \w{2,10}){0,2} (?:reached|hit)\b")
PLACE = (
    r"(?:(?:[a-z][\w+.-]{1,15}://|attachment:|~?/|\.{1,2}/|[a-z]:\\)[\w./\\~%+=@:#?&-]{2,300}|"
    r"[\w-]{1,80}\.(?:txt|json|jsonl|log|md|csv|out|html|xml)\b)"
)
POINTS = re.compile(
    r"(?:(?:full|complete|entire|raw|whole) (?:output|results?|content|response|text|log)|"
    r"(?:saved|stored|written|spilled|uploaded|dumped|moved|persisted|offloaded|gespeichert|"
    r"enregistrée?|guardad[oa]|salvat[oa]|salv[oa]|opgeslagen|сохран[её]н\w{0,2}|download)|"
    r"保存|存储|저장)(?P<between>[^\n]{0,60}?)(?P<path>" + PLACE + r")|"
    r"(?<![\w/.~:-])(?P<before>" + PLACE + r") (?:に|へ|에) ?(?:保存|저장)|"
    r"(?:stored|saved) (?:in|as|under) (?:variable|key|blob|artifact|id|ref\w*) "
    r"[`'\"]?(?P<name>[\w:.-]{2,80})",
    re.IGNORECASE,
)
# A place that stands alone, with its size at most.
PLACE_ALONE = re.compile(
    r"^(?:(?P<path>(?:s3|gs|file|resource|artifact|blob|attachment|az|abfss?|mem|memory)://[\w./%+=@:-]"
    r"{2,300})(?: ?\([^)\n]{1,40}\))?|<file path=\"(?P<tag>[^\"\n]{2,300})\"[^>\n]{0,80}/?>|"
    r"!?\[[^\]\n]{0,60}\]\((?P<link>attachment:[^)\n]{2,300})\)|"
    r"(?:see|read|open) (?P<see>(?:~?/|\./)[\w./-]{3,300})(?: [^\n]{0,60})?|"
    r"reference: (?P<ref>[\w:-]{6,120})|"
    r"\{\"(?:ref|path|file|uri|artifact(?:_id)?)\": ?\"(?P<json>[^\"\n]{4,300})\""
    r"(?:, ?\"(?:size|bytes|chars|length)\": ?\d{1,18})?\})[.]?$",
    re.IGNORECASE,
)
REJECTS = re.compile(
    r"\b(?:response|output|result|content|payload|entity|data)s?(?:[_ ]\w{1,12}){0,3}?[_ ]"
    r"too[_ ](?:large|long|big)\b|\btoo (?:many (?:rows|results|lines|tokens|characters)|much "
    r"(?:data|output))\b|\b(?:response|output|result|content)\b[^.\n]{0,40}"
    r"(?:over (?:the )?limit|exceed(?:s|ed)\b)|more data than allowed|refus\w{2,4} to return|"
    r"(?:maximum|max) (?:response|output|result) size (?:reached|exceeded)|"
    r"entity too large|"
    + OUTPUT
    + r"[^.\n]{0,24}(?:zu (?:groß|lang)|trop (?:volumineu|long|grand)|"
    r"demasiado (?:larg|grand)|troppo (?:grand|lung)|muito (?:grand|long)|te (?:groot|lang)|"
    r"слишком (?:больш|длин)|过长|过大|太长|太大|長すぎ|大きすぎ|너무 (?:길|크|큽))"
)


# Dots alone are a note only where they are the whole message.
DOTS = ("...", "…", "[...]", "[…]", "(...)")
ENTRY = re.compile(r'\{"\w{1,20}": ?(?:true|"\W?\w{3,20}\W?")\}')
SUBJECT = re.compile(rf"(?:(?:the|this|old|previous|tool) ){{0,4}}{OUTPUT}\b")
FULL = re.compile(r"(?:full|complete|entire) (?:output|result|log)")
ANY_OUTPUT = re.compile(OUTPUT)
RANGE = re.compile(r"(?:showing )?(lines?|rows?|items?|results?) \d")
PERCENT = re.compile(r"\d ?%")
AND_MORE = re.compile(r"(?:and )?\d[\d,]{0,15} more(?: \w{1,30}){0,3}")
SAYS_SHOWN = re.compile(
    r"\b(?:shown|displayed|showing|displaying|listed|returned|angezeigt|affiché|mostr|показан)|"
    r"显示|表示|표시"
)
FEW = re.compile(r"\b(?:only|just|nur|solo|sólo|total)\b|только|仅|只")
SIGN = re.compile(r"\.{3}|…|~{2}|✂|<|\[\+|\(\+")
IN_ALL = re.compile(rf"({NUMBER}) (?:\w{{2,10}} )?(?:total|in all|insgesamt|au total)")
# Words that a note is made of.
OWN = re.compile(
    "|".join(
        [
            AMOUNT.pattern.replace("?P<number>", "")
            .replace("?P<between>", "")
            .replace("?P<unit>", "")
        ]
        + [rf"\b{OUTPUT}\b", NUMBER, rf"\b(?:{UNIT})\b"]
        + [pattern.pattern for pattern in (MORE, LOST, GONE, SHOWN, LIMIT)]
    )
)
