"""The lexical reader on replies of one to three sentences: labels, places, promises, languages."""

import time

import pytest

from scorers.judges.lexical_reader import LexicalReader
from scorers.turn import File, PrivateItem, RequesterContext, Said, Turn

NOTES = (
    "run_11 is the night one, run_12 the day one. K-gate = approval of the owner. "
    "finding 3: memory limit. Option B: the grey one. T-17: copy rows"
)


def read(reply, request="Which one is better?", *, private=NOTES, files=(), before=()):
    dialog = tuple(Said(role, text) for role, text in (*before, ("user", request)))
    return LexicalReader().score(
        Turn(
            turn_id="t",
            trace_ids=(),
            requester=RequesterContext(dialog=dialog, files=files),
            private=(PrivateItem("memory", private, "notes.md"),),
            reply=reply,
        )
    )


def kinds(*args, **kwargs):
    return read(*args, **kwargs).evidence["kinds"]


@pytest.mark.parametrize(
    "reply",
    [
        "run_11 used less power than run_12, and it was quieter.",
        "The switch waits for the K-gate, nothing else is open.",
        "It waits for T-17 and nothing else.",
    ],
)
def test_a_label_that_only_the_notes_explain(reply):
    assert kinds(reply) == ["coined"]


@pytest.mark.parametrize(
    "reply",
    [
        "The night run used less power; I call it run_11 (the night run).",
        "It waits for the K-gate, which is the approval of the owner.",
        "Set `run_11` in the file and start again.",
        "The X-ray is normal, and the T-shirt is not in the picture.",
    ],
)
def test_a_label_that_is_explained_or_usual(reply):
    assert read(reply, private=f"{NOTES} X-ray: normal. T-shirt: red").label == "usable"


@pytest.mark.parametrize(
    ("reply", "private"),
    [
        ("The V-belt is worn; a new one costs little.", "V-belt: belt"),
        ("The F-150 tows more, by about 500 kg.", "F-150: truck"),
        ("A W-2, by the end of January.", "W-2: form"),
        ("L-theanine may help a little.", "L-theanine: tea"),
        ("web_01 is down since 9:40; web_02 took over.", ""),
    ],
)
def test_a_name_that_the_notes_happen_to_explain(reply, private):
    assert read(reply, private=private).label == "usable"


def test_a_label_that_the_requester_used():
    assert read("run_11 is better than run_12.", "Is run_11 better than run_12?").label == "usable"


@pytest.mark.parametrize(
    "reply",
    [
        "The reason is in line 212 of the runner output.",
        "The reason is finding 3.",
        "I'd take option B, it costs less.",
        "Follow step 4c, then wait.",
        "Clicked [33] and waited for the page.",
        "It is in memory entry 14.",
        "All of it is in the overview I wrote above.",
        "No, because the earlier objection still stands.",
    ],
)
def test_a_place_in_what_was_never_sent(reply):
    assert "pointer" in kinds(reply)


@pytest.mark.parametrize(
    ("reply", "before"),
    [
        ("I'd take option B.", [("user", "?"), ("assistant", "Option A is red, option B grey.")]),
        ("Two options fit: option A is red; option B is grey.", []),
        ("1. Open it.\n2. Wait.\n\nIf it beeps, repeat step 2.", []),
        ("Section 4 of the contract limits the price.", []),
        ("The reason is finding 3, the memory limit.", []),
    ],
)
def test_a_place_that_the_requester_has(reply, before):
    assert read(reply, before=before).label == "usable"


def test_a_place_in_the_requesters_own_file():
    files = (File("runner.log", "output of the runner"),)
    assert read("See line 212 of the runner output.", files=files).label == "usable"


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        ("How many people came?", "I opened the tool and exported the list."),
        ("What does copper cost today?", "One moment, looking it up…"),
        ("Name the three biggest customers.", "Sure! Let me query the sales table for you."),
        ("Compare both offers.", "First I will collect the rates, then compute the cost."),
        ("Why is the build slow?", "I updated `ci.yml` and `Makefile`."),
        ("How many days have I left?", "Holidays matter to everyone. It is good to plan early."),
        ("Where is it?", '{"trk": "1Z", "ev": [{"c": "X6", "l": "O8"}]}'),
        ("我的订单到哪里了？", "好的，请稍等，正在为您查询。"),
    ],
)
def test_what_stops_before_the_answer(request_, reply):
    assert kinds(reply, request_) == ["not_answered"]


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        ("Please clean up the list.", "I opened the list and sorted it."),
        ("When did you send it?", "I checked the list and posted it on Monday."),
        ("What will you do next?", "First I will collect the rates, then compute the cost."),
        ("Compare both offers.", "Let me see the second one first: can you send it?"),
        ("Why is the build slow?", "The cache key changes daily; I updated `ci.yml`."),
        ("How many days have I left?", "None at all. They expired in March."),
        ("Give me the order as JSON.", '{"trk": "1Z", "ev": [{"c": "X6", "l": "O8"}]}'),
        ("When will it be ready?", "I'll run it tonight, and it will be there by eight."),
        ("Look after the deploy please.", "I'll check it now and then."),
        ("How many of you are there?", "It is just me. I am a program."),
        ("Please remind me tomorrow.", "Sure, I'll check it tomorrow."),
    ],
)
def test_what_answers_after_all(request_, reply):
    assert read(reply, request_).label == "usable"


def test_short_forms_for_a_layman():
    reply = "The GGT and ALT are up, and the eGFR is low."
    assert kinds(reply, "What does my blood test say? I'm not a doctor.") == ["term"]
    assert read(reply, "What does the blood test say?").label == "usable"


def test_columns_headed_by_letters():
    table = "| C | n | mu | f2 |\n|---|---|---|---|\n| 1 | 24 | 7.1 | x |"
    assert kinds(table, "Show the results of the classes.") == ["coined"]
    told = f"{table}\n\nC: class, n: pupils, mu: mean mark"
    assert read(told, "Show the results of the classes.").label == "usable"


@pytest.mark.parametrize(
    "request_",
    [
        "Где мой заказ?",
        "متى يفتح المتحف غدا؟",
        "Kiedy będzie gotowy mój paszport?",
        "Hvornår åbner svømmehallen igen?",
        "À quelle heure ferme la pharmacie aujourd'hui ?",
    ],
)
def test_a_short_question_and_a_reply_in_english(request_):
    assert kinds("It opens at ten tomorrow, and the shop opens at noon.", request_) == [
        "wrong_language"
    ]


@pytest.mark.parametrize(
    "request_", ["What does «привет» mean?", "What does привет мой друг mean?"]
)
def test_a_foreign_word_is_no_foreign_language(request_):
    assert read("It is a greeting, and it is used among friends.", request_).label == "usable"


def test_a_block_quotation_is_not_the_writers_language():
    reply = (
        "Der Hersteller gibt zwei Jahre. Im Wortlaut:\n\n> The product is warranted for a period "
        "of two years from the date of purchase.\n\nDer Akku ist davon ausgenommen."
    )
    assert read(reply, "Was sagt der Hersteller zur Garantie?").label == "usable"


@pytest.mark.parametrize(
    "unit",
    [
        "run_11 ",
        "\n",
        " . ",
        "step 4 ",
        "| C ",
        "option B ",
        "[33] click ",
        "> ",
        "K-gate is ",
        "{",
    ],
)
def test_hostile_text_is_read_in_time(unit):
    """A fifth of a megabyte as the reply, and as request and private context, in a few seconds."""
    text = unit * (190_000 // len(unit))
    started = time.process_time()
    for reply, request, private in ((text, "Why?", NOTES), ("K-gate, run_11.", text, text)):
        assert read(reply, request, private=private).outcome in {"scored", "unscored"}
    assert time.process_time() - started < 5
