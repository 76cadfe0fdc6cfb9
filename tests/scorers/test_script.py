"""Languages are told from scripts and function words, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.script import asked_for, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The order was sent to you on Friday and it should be there by now.", "en"),
        ("El pedido fue enviado el viernes y debería llegar hoy a su casa.", "es"),
        ("Die Bestellung wurde am Freitag verschickt und ist noch nicht da.", "de"),
        ("La commande a été envoyée vendredi et elle est dans votre boîte.", "fr"),
        ("O pedido foi enviado na sexta-feira e não chegou até agora.", "pt"),
        ("L'ordine è stato spedito venerdì e non è ancora arrivato.", "it"),
        ("订单周五已经发出，请注意查收。", "zh"),
        ("現行設定的 F1 在 production 上比 baseline 高", "zh"),
        ("注文は金曜日に発送されました。", "ja"),
        ("주문은 금요일에 발송되었습니다. PR #47 merge 완료.", "ko"),
        ("Заказ был отправлен в пятницу, но он ещё не пришёл.", "ru"),
        ("Замовлення було надіслано, але ще не прийшло, що робити?", "uk"),
        ("تم إرسال الطلب يوم الجمعة إلى العنوان الذي ذكرته", "ar"),
    ],
)
def test_tells_a_language(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize("text", ["", "   ", "42", "HAT136, HAT039", "A1 A1 A1 A1", "ok", "🙂"])
def test_says_nothing_where_nothing_can_be_told(text):
    assert language_of(text) is None


def test_a_language_that_was_asked_for():
    assert asked_for("Please answer in Spanish from now on", "es")
    assert asked_for("请用英文回复", "en")
    assert asked_for("Translate this letter", "fr")
    assert not asked_for("Where is my order?", "es")


@given(st.text(max_size=300))
def test_any_text_has_a_known_language_or_none(text):
    assert language_of(text) is None or len(language_of(text)) == 2
