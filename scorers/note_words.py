"""Words of the notes that harnesses leave, in the languages of their users.

Lower-case stems, matched case-sensitively against a lower-cased text. A room of words keeps the
grammar in `notes` readable; add a language here, not there.
"""

from __future__ import annotations

import re

NUMBER = r"(?<![A-Za-z0-9_.,-])[~≈]?\d(?:[\d,._\u00a0\u202f]{0,18}\d)?"
# What notes count. The value is the name used for the unit everywhere else.
_UNITS = {
    "lines": r"lines?|zeilen?|lignes?|l[íi]neas?|linhas?|righ[ae]|regels?|rader|строк\w{0,2}|"
    r"sat[ıi]r\w{0,3}|wierszy?|wiersze|سطر\w{0,2}|行|줄",
    "rows": r"rows?|records?|entr(?:y|ies)|results?|matches|hits|filas?|registros?|resultados?|"
    r"eintr[äa]ge?|ergebnisse|résultats?|entrées|risultati|resultaten|rijen|запис\w{1,3}|"
    r"результат\w{1,2}|条记录|条结果|条|件|건",
    "chars": r"char(?:acter)?s?|zeichen|caract[eè]res?|caracteres|caratteri|tekens|символ\w{0,2}|"
    r"个字符|字符|文字|글자",
    "bytes": r"bytes?|[kmg]i?b|octets?|байт\w{0,2}|字节|バイト|바이트",
    "tokens": r"tokens?|токен\w{0,2}|トークン|토큰",
    "items": r"items?|elements?|objects?|elemente?|éléments?|elementos?|elementi|itens|项|個|개|"
    r"항목|элемент\w{0,2}",
    "files": r"files?|dateien|fichiers?|archivos?|arquivos?|bestanden|файл\w{0,2}|个文件",
    "messages": r"messages?|nachrichten|mensajes?|сообщени\w{1,2}|条消息",
    "pages": r"pages?|seiten|páginas?|страниц\w{0,2}|页|ページ",
}
UNIT = "|".join(f"(?:{words})" for words in _UNITS.values())
# Letters of these scripts are written without spaces, so that no word boundary shows.
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
AMOUNT = re.compile(
    rf"(?P<number>{NUMBER})\s{{0,2}}(?P<between>(?:[^\W\d]{{2,12}} ){{0,1}})"
    rf"(?P<unit>{UNIT})(?:(?<=[{_CJK}])|(?![^\W{_CJK}]))"
)
_NAMED = tuple((name, re.compile(rf"(?:{words})\Z")) for name, words in _UNITS.items())

MORE = re.compile(
    r"\b(?:more|additional|further|remaining|left|rest|extra|in between|continues|"
    r"weiter\w{0,2}|noch|übrige|supplémentaires?|de plus|restant\w{0,2}|autres|más|quedan|faltan|"
    r"restan|adicional\w{0,3}|altr[ei]|ancora|mais|meer|nog|resterende|ещ[её]|остал\w{1,4}|"
    r"остальн\w{2,3}|daha|jeszcze|fler|till|więcej)\b|"
    r"还有|另有|余下|剩余|其余|他|ほか|さらに|残り|더|추가|나머지|المتبقية|أخرى"
)
# Said of what is withheld, whoever says it.
LOST = re.compile(
    r"truncat|omit(?:ted|s)\b|\bomission|\belided?\b|\belision|\bclipp|\btrimmed\b|\bshortened|"
    r"\babbreviat|\babridged|\bsnip(?:ped)?\b|\bcut(?: off| here| short)?\b|left out|"
    r"\bnot (?:shown|displayed|included|listed|returned)|\bwithheld|\bcapped\b|\bcollapsed\b|"
    r"tronqu|\bomis\b|\bomise?s?\b|\bomess[eiao]\b|\bcoupée?s?\b|gek(?:ü|ue)rzt|abgeschnitten|"
    r"ausgelassen|weggelassen|recortad|truncad|omitid|omess|troncat|afgekapt|weggelaten|ingekort|"
    r"обрезан|сокращ[её]н|пропущен|усеч|опущен|省略|截断|截斷|略\W*$|切り捨て|切り詰め|잘림|잘렸|생략|"
    r"اقتطاع|مقتطع|تم حذف|kısaltıld|obcięt|pominięt|utelämn|trunkerad"
)
# Said of contents too: tells only in brackets, of a count, or of an output.
GONE = re.compile(
    r"\b(?:removed|dropped|pruned|cleared|deleted|skipped|hidden|suppressed|discarded|evicted|"
    r"compacted|compressed|masked|redacted|superseded|archived|expired|forgotten|stale|outdated|"
    r"reduced|stripped|purged|offloaded|unavailable|no longer available|see later|stopped)\b|"
    r"entfernt|gelöscht|supprim|eliminad|borrad|rimoss|removid|verwijderd|удал[её]н|скрыт|очищен|"
    r"清除|删除|刪除|移除|削除|삭제|제거|حذف"
)
SHOWN = re.compile(
    r"\b(?:shown|displayed|showing|displaying|listed|listing|returned|returning|visible|first|"
    r"last|top|only|preview|angezeigt|nur|ersten|affiché\w{0,2}|premi[eè]r\w{0,2}|mostr\w{1,5}|"
    r"primer\w{0,2}|prim[ei]|показан\w{0,2}|перв\w{2,3}|weergegeven|eerste|solo|sólo|visualizzat\w)"
    r"\b|显示|前|表示|최초|처음|표시"
)
LIMIT = re.compile(
    r"\b(?:limit(?:ed)?|capped|cap|max(?:imum)?|begrenzt|beschränkt|limit[ée]e?s?|limitad[oa]s?|"
    r"limitat[oae]|beperkt|ограничен\w{0,2})\b|限制|上限|制限|제한"
)
# What is cut: the thing a tool returns.
OUTPUT = (
    r"(?:outputs?|results?|responses?|contents?|stdout|stderr|buffer|payload|observations?|"
    r"tool ?(?:call|message)s?|toolmessage|text|ausgaben?|ergebnis(?:se)?|antwort|sorties?|"
    r"résultats?|réponse|salidas?|resultados?|respuestas?|saída|resposta|uscita|risultat[oi]|"
    r"risposta|uitvoer|resultaat|вывод\w{0,2}|результат\w{0,2}|ответ\w{0,2}|输出|结果|结果|内容|"
    r"出力|結果|출력|결과)"
)


def unit_name(word: str) -> str | None:
    """Return the name of the unit that a word of a note stands for: lines, rows, chars, …"""
    word = word.lower()
    return next((name for name, pattern in _NAMED if pattern.match(word)), None)
