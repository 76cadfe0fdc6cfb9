"""Sums of money without a currency, where neither side has named one."""

from __future__ import annotations

import re

from scorers.reading.gap import Gap
from scorers.reading.known import Known
from scorers.reading.passage import Passage
from scorers.reading.words import hint

AMOUNT = re.compile(
    r"(?i)(?:\b(?:total|price|cost|fee|fare|amount|refund|precio|costo|coste|importe|tarifa|prix|preis"
    r"|gesamtpreis|prezzo|preço|valor)\b|价格|总价|费用|金额|合计|가격|요금|총액|料金|合計)"
    r"[^\n\d]{0,40}?(\d{1,9}(?:[.,]\d{3})*[.,]\d{1,2})(?=\s*(?:[.,;:!?)。，；]|\Z|\n)|\s"
    r"(?:per|por|al|a|for|each|y|and|with|con|en|pro|par|plus)\b)"
)
CURRENCY = re.compile(
    r"(?i)[$€£¥₩₹₽฿₺₫₪₴￥]|\bS/|\b(?:usd|eur|gbp|jpy|cny|rmb|krw|inr|brl|mxn|cad|aud|chf|sek|pln|pen"
    r"|clp|cop|ars|dollars?|euros?|pounds?|yen|yuan|won|rupees?|pesos?|soles|reais|francs?|cents?"
    r"|dólares|libras|credits?|points?|tokens?|units?|puntos|créditos)\b|元|人民币|美元|円|원"
)
# A sum is looked for only where one of these words stands in the text: much cheaper.
HINTS = {
    AMOUNT: hint(
        "total price cost fee fare amount refund precio costo coste importe "
        "tarifa prix preis gesamtpreis prezzo preço valor 价格 总价 费用 金额 合计 가격 요금 총액 "
        "料金 合計",
    ),
}


def amounts_without_currency(passage: Passage, known: Known) -> list[Gap]:
    """Return the first sum of money whose currency can't be known from the reply or the dialog."""
    match = AMOUNT.search(passage.prose) if passage.words.may_hold(HINTS[AMOUNT]) else None
    if match is None or CURRENCY.search(passage.text) or CURRENCY.search(known.requester):
        return []
    start, end = match.span(1)
    span = passage.text[start:end]
    return [
        Gap(start, end, span, "background", "background", f"In which currency is {span}?"),
    ]
