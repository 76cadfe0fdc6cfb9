"""Which language a text is written in, from its scripts and its smallest words.

Scripts decide where one language owns a script (kana: Japanese; Hangul: Korean; Han without kana:
Chinese; Thai, Greek, Hebrew, …). Languages that share a script are told apart by their function
words, which no text of more than a sentence can do without. Nothing here is a model; a text that
is too short or that no profile fits has no language (None) rather than a guess.
"""

from __future__ import annotations

import re
from collections import Counter

# Function words of languages that share a script. Only words that carry grammar, so that the topic
# of a text can't vote; a word may stand in several profiles.
LATIN = {
    "en": "the of and to in is that it for was on are with as be this have from or by not but at "
    "you your we our can will if would an they their has which what when there been were do does "
    "i my me please how about so its into than only one more could should did them any these "
    "over down up "
    "out off since then here there now just he she her his him us get got new all two who where "
    "why "
    "because while after before still yes very such own too",
    "es": "el la los las de y que en un una por con para del se su al lo es como más pero sus le "
    "ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde "
    "todo nos durante no está te tu mi si fue ha eso usted puede qué cuánto cuánta "
    "cuántos cuándo cuál cuáles dónde cómo mis tengo quiero necesito puedo del están estoy "
    "cuando llega mañana",
    "pt": "o a os as de e que em um uma por com para do da dos das se no na ao é como mais mas "
    "foi ele tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso "
    "não você são meu minha nas uma esse esta meus minhas qual quanto quantos onde estou posso "
    "quero preciso",
    "fr": "le la les de et des un une du en que qui est pour dans par sur pas au avec il ce ne se "
    "plus sont je vous nous elle mais ou son sa ses leur cette être aux été ont fait comme si tout "
    "votre mon d'un c'est l'on quel quelle quels quelles quand où comment pourquoi combien "
    "aujourd'hui mes ma peux pouvez quelqu'un suis",
    "de": "der die das und in den von zu mit ist nicht ein eine sich auf für dem des im als auch "
    "es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so "
    "zum war haben nur oder aber vor zur bis mehr durch man ich wir ihr sein wurde keine wann wo "
    "wer warum welche welcher welches wieso mein meine meinen meinem bitte mir ihnen habe vom "
    "uns unsere ihre ihr",
    "it": "il la le lo gli di e che in un una per con del della dei delle è non si da al sono come "
    "più ma anche alla nel ha se questo questa ci o su mi sua suo dal nella essere ho cosa "
    "quando mio mia miei dove perché quanto posso vorrei due",
    "nl": "de het een en van in is dat op te met voor niet zijn er aan die ook als om door maar "
    "bij uit naar nog dan of over wordt heeft je ik we deze kan geen wat worden u uw mijn jouw "
    "kunt wanneer waar hoe waarom wie welke mij ons onze hun heb hebben ben bent moet wil zou",
    "pl": "i w na z do się nie jest to że o jak za po od przez ale dla co czy są już tak tylko ma "
    "był który oraz być może jego pan mnie kiedy gdzie dlaczego ile mój moje moja mam mogę "
    "proszę jaki jaka jakie kto",
    "tr": "ve bir bu da de için ile ne çok mi olarak daha gibi var ama en kadar olan sonra ben "
    "değil her şey mı o ise zaman nerede nasıl neden benim var mıdır iki hangi",
    "id": "yang dan di ini itu dengan untuk tidak dari dalam akan pada juga ke ada saya adalah "
    "karena bisa sudah oleh atau kami anda kapan bagaimana mengapa berapa",
    "vi": "và của là có không cho một được trong các với này những người đã để khi tôi bạn từ",
    "sv": "och att det som en på är av för med den till inte har om ett jag var men kan så från "
    "vi du eller när ska vid min mitt mina hur vad varför vilken ",
    # Also Norwegian, which shares these words.
    "da": "og at det som en på er af for med den til ikke har om et jeg var men kan så fra vi "
    "du eller "
    "når skal ved hvornår hvordan hvorfor hvor hvad hvilken min mit mine igen hvad av noe hva",
    "fi": "ja on ei että se oli mutta kun niin tai hän minä minun olen olet voi mitä missä milloin "
    "miksi miten kuinka joka ovat myös vain nyt jos kanssa ole onko",
    # Also Slovak.
    "cs": "a je se že na to v s z do ale jak pro jako kdy kde proč kolik můj moje mám mohu už "
    "jen by "
    "jsem jsou není nebo když který která které ako kedy kde prečo môj som sú nie alebo",
    "hu": "a az és hogy nem egy van ez meg de mikor hol miért hogyan mennyi már csak ha vagy kell "
    "volt lesz nekem ezt azt még",
    "ro": "și şi de la în nu este cu un o pe care din că mai pentru sunt când unde cum mea meu "
    "mele "
    "cât ce să am sau după fost două vreau pot",
}
# Letters that few of these languages write: a word that holds one and does not begin with a
# capital, as names do, counts as one of their words.
LETTERS = {
    "es": "ñ",
    "pt": "ãõ",
    "fr": "çêœùî",
    "de": "ßäöü",
    "pl": "ąćęłńśźż",
    "tr": "ğış",
    "sv": "åäö",
    "da": "åæø",
    "fi": "äö",
    "cs": "řěůďťňčšžýľĺŕ",
    "hu": "őűöü",
    "ro": "ăâîșțşţ",
    "vi": "đơưăạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
}
MARKED = {
    letter: tuple(k for k, v in LETTERS.items() if letter in v)
    for letter in "".join(LETTERS.values())
}
CYRILLIC = {
    "ru": "и в не на что я с как это по но из у за от так для вы мы о же к он она они бы было все "
    "или если ваш его только уже при есть чтобы",
    "uk": "і в не на що я з як це по але із у за від так для ви ми о ж до він вона вони б було всі "
    "або якщо ваш його тільки вже при є щоб та",
}
ARABIC = {
    "ar": "في من على أن إلى هذا هذه عن مع لا ما كان التي الذي أو هو هي لم قد كل بعد",
    "fa": "و در به از که این را با است برای آن یک خود تا بر هم نیز می شود اما یا",
}

# What tells the languages of a script apart where its words don't: the first whose letters stand in
# the text, else the last. Russian stands for Bulgarian as well.
OWN_LETTERS = {
    "cyrillic": (("uk", "іїєґ"), ("sr", "ђћџљњј"), ("kk", "әқңөұүһ"), ("be", "ў"), ("ru", "")),
    "arabic": (("ur", "ٹڈڑںے"), ("fa", "پچژگکی"), ("ar", "")),
}

# First and last code point of each script that decides something, and the script's name.
RANGES = (
    (0x0041, 0x024F, "latin"),
    (0x0370, 0x03FF, "el"),
    (0x0400, 0x052F, "cyrillic"),
    (0x0530, 0x058F, "hy"),
    (0x0590, 0x05FF, "he"),
    (0x0600, 0x06FF, "arabic"),
    (0x0900, 0x097F, "hi"),
    (0x0980, 0x09FF, "bn"),
    (0x0B80, 0x0BFF, "ta"),
    (0x0E00, 0x0E7F, "th"),
    (0x10A0, 0x10FF, "ka"),
    (0x1100, 0x11FF, "ko"),
    (0x1E00, 0x1EFF, "latin"),
    (0x3040, 0x30FF, "kana"),
    (0x3400, 0x4DBF, "han"),
    (0x4E00, 0x9FFF, "han"),
    (0xAC00, 0xD7AF, "ko"),
    (0x20000, 0x2FA1F, "han"),
)
SCRIPTS = re.compile(
    "|".join(
        f"(?P<{name}>[{body}]+)"
        for name, body in {
            name: "".join(
                f"\\U{low:08x}-\\U{high:08x}" for low, high, owner in RANGES if owner == name
            )
            for name in dict.fromkeys(owner for _, _, owner in RANGES)
        }.items()
    )
)
# The bytes of UTF-8 that are ASCII, and those that are no ASCII letter of the Latin range.
ASCII = bytes(range(0x80))
NOT_ASCII_LATIN = bytes(byte for byte in range(0x100) if not 0x41 <= byte < 0x80)
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Per script, the languages that each function word votes for.
VOTES: dict[str, dict[str, tuple[str, ...]]] = {
    script: {
        word: tuple(language for language, words in profiles.items() if word in words.split())
        for word in " ".join(profiles.values()).split()
    }
    for script, profiles in (("latin", LATIN), ("cyrillic", CYRILLIC), ("arabic", ARABIC))
}

ENGLISH = frozenset(LATIN["en"].split())

# A Han, kana or Hangul character says about as much as two Latin letters.
DENSE = frozenset({"han", "kana", "ko"})
# Fewer different function words can't tell two languages apart ("no", "me" stand in several).
FEWEST_WORDS = 2

# What people call languages, in some of the languages they write in.
NAMES = {
    "en": "english inglés inglese anglais englisch inglês 英文 英语 英語 영어 английск",
    "es": "spanish español espanol castellano espagnol spanisch 西班牙 스페인어 испанск",
    "pt": "portuguese português portugues portugiesisch 葡萄牙",
    "fr": "french français francais francés französisch 法语 法文 フランス語 프랑스어 французск",
    "de": "german deutsch alemán allemand tedesco 德语 德文 德語 ドイツ語 독일어 немецк",
    "it": "italian italiano italien italienisch 意大利 イタリア語",
    "nl": "dutch nederlands 荷兰语",
    "pl": "polish polski 波兰语",
    "tr": "turkish türkçe 土耳其语",
    "id": "indonesian bahasa 印尼",
    "vi": "vietnamese 越南",
    "sv": "swedish svenska 瑞典",
    "ru": "russian русск 俄语 俄文",
    "uk": "ukrainian українськ 乌克兰",
    "ar": "arabic العربية 阿拉伯",
    "fa": "persian farsi فارسی",
    "zh": "chinese mandarin 中文 汉语 漢語 中国語 중국어 chino chinois chinesisch",
    "ja": "japanese 日语 日文 日本語 일본어 japonés japonais japanisch",
    "ko": "korean 韩语 韩文 韓国語 한국어 coreano",
    "hi": "hindi हिन्दी",
    "th": "thai ไทย",
    "el": "greek ελληνικά",
    "he": "hebrew עברית",
}
TRANSLATION = re.compile(
    r"(?i)\btranslat|multilingual|bilingual|traduc|traduz|tradui|übersetz|翻译|翻譯|译成|双语|翻訳"
    r"|번역|다국어|перевед|перевод"
)


def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code of the language a text is written in, None where it can't be told.

    Pass prose: code, quotations and addresses are someone else's words.
    """
    if text.isascii():
        return _by_words(text, "latin")
    weights = _weights(text)
    if not weights:
        return None
    # Japanese is written in kana and Han together; kana alone would be a name or a quotation.
    if weights["kana"] * 5 >= weights["han"] > 0 or (weights["kana"] and not weights["han"]):
        weights["ja"] = weights.pop("kana") + weights.pop("han", 0)
    else:
        weights.pop("kana", None)
    if weights["han"]:
        weights["zh"] = weights.pop("han")
    script, weight = max(weights.items(), key=lambda item: item[1])
    # Technical prose in a dense script carries many Latin names: a third of it is enough.
    for owner in ("zh", "ja", "ko"):
        if weights[owner] * 2 >= weight > 0:
            script = owner
    if script not in VOTES:
        return script
    return _by_words(text, script)


def _weights(text: str) -> Counter[str]:
    """How much of a text is in which script, in letters, those of dense scripts counted twice."""
    weights: Counter[str] = Counter()
    # Most letters of most texts are ASCII: bytes are sorted out many times faster than matched.
    encoded = text.encode("utf-8", "surrogatepass")
    latin = len(encoded.translate(None, NOT_ASCII_LATIN))
    if latin:
        weights["latin"] = latin
    others = encoded.translate(None, ASCII).decode("utf-8", "surrogatepass")
    for match in SCRIPTS.finditer(others):
        script = str(match.lastgroup)
        weights[script] += (match.end() - match.start()) * (2 if script in DENSE else 1)
    return weights


def _by_words(text: str, script: str) -> str | None:
    owners = VOTES[script]
    votes: Counter[str] = Counter()
    written = WORD.findall(text.replace("’", "'"))
    times = Counter(map(str.lower, written))
    small = times.keys() & owners.keys()
    for word in small:
        for language in owners[word]:
            votes[language] += times[word]
    marked: dict[str, set[str]] = {}
    if script == "latin" and not text.isascii():
        for name in written:
            word = name.lower()
            if word.isascii() or not name[0].islower():
                continue
            for language in {owner for mark in word for owner in MARKED.get(mark, ())}:
                votes[language] += language not in owners.get(word, ())
                marked.setdefault(language, set()).add(word)
    # Related languages share many small words: a winner needs a clear lead.
    best = max(votes, key=votes.__getitem__, default="")
    first = votes.pop(best, 0)
    second = max(votes.values(), default=0)
    # A lone letter may be a label or a unit; è and é are words. Marked letters alone may be a
    # name's; with one small word they tell.
    found = {w for w in small if best in owners[w] and (len(w) > 1 or not w.isascii())}
    both = found | marked.get(best, set()) if found else set()
    # "is over" may be Dutch, and is English more often.
    enough = len(both) >= FEWEST_WORDS and (best == "en" or not both <= ENGLISH)
    if enough and first >= 1.25 * second:
        return best
    return _by_letters(text, script)


def _by_letters(text: str, script: str) -> str | None:
    """The language whose own letters a text is written with, where its words don't tell."""
    folded = text.lower()
    for language, letters in OWN_LETTERS.get(script, ()):
        if not letters or any(letter in folded for letter in letters):
            return language
    return None


def speaks(text: str, language: str) -> bool:
    """Whether a text in another script holds a small word of a language in Latin letters."""
    words = LATIN.get(language, "").split()
    return any(len(word) > 1 and word in words for word in WORD.findall(text.lower()))


def asked_for(message: str, language: str) -> bool:
    """Whether a message names this language, or asks for a translation: then it may be used."""
    if TRANSLATION.search(message):
        return True
    folded = message.lower()
    return any(name in folded for name in NAMES.get(language, "").split())
