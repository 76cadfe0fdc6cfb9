"""Kinds of things that people know by number: invoices, flights, hosts, tickets.

Whoever asks about an invoice knows what `INV-2003` is when it is called one; whoever asks which
design to take does not know `V3` when it is called a variant, because the variants are the
agent's. So the kinds here are those of the requester's world (records, places, machines,
documents), never those of an agent's work (run, arm, variant, scenario, hypothesis, note, entry,
source), and never things that people know by name (product, author, paper).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# One word each; a plural in -s, -es or -ies is found as well.
NOUNS_TEXT = (
    # English
    "account address agreement alarm alert appointment article asset authorization award badge "
    "batch bed bill bin board boarding booking branch bug build bus campaign car card case "
    "center centre certificate channel charge chart check-in claim client cluster code commit "
    "complaint confirmation connection container contract coupon course credit customer cve "
    "dashboard deal defect delivery department deployment desk device dispute dock docket door "
    "drawing elevator employee engine envelope error exception exhibit experiment extension "
    "facility file filing flight form gate grant hold host id identifier incident instance "
    "invoice item job key laptop lead lease ledger licence license line listing loan location "
    "locker lot machine matter meeting member membership memo migration motion mr nda node "
    "notice number offer office opportunity order package page pallet parcel part passenger "
    "patch patent patient payment payout permit phone pipeline plate platform po pod policy "
    "port position post pr prescription printer procedure project proposal protocol pull "
    "purchase queue quotation quote rack recall receipt record reference referral refund "
    "registration release replica request requisition reservation return revision room route "
    "router sensor serial server service session shelf shift shipment shop site sku slot spot "
    "stand statement station stop store subscription switch table tag task tender terminal test "
    "ticket token track tracking trailer train training transaction transcript transfer trip "
    "truck unit update van vehicle vendor version visa visit vm volume voucher waiver ward "
    "warehouse warning warranty waybill zone "
    "seat sector circuit field pump valve tank hall wing floor aisle row bay crate drive disk "
    "cable pole meter gauge robot tractor wagon lane platform stall booth "
    # German
    "auftrag auftrags beleg bestellnummer bestellung buchung dokument drucker fahrzeug fall "
    "filiale flug gerät gutschrift konto kunde kunden lager lieferung mitarbeiter nummer platz "
    "rechnung rechnungen reservierung schulung sendung server termin ticket vertrag vorgang "
    "zahlung zimmer änderung "
    # Spanish, Portuguese, French, Italian
    "almacén bon camión caso chambre cita client cliente commande compte contrat contrato "
    "contratto cuenta dossier encomenda envío factura facture fattura fatura habitación numéro "
    "número orden ordine pagamento pago paiement pedido prenotazione puerta reclamación "
    "referencia reserva réservation sala tienda vol volo voo vuelo "
)
NOUNS = frozenset(NOUNS_TEXT.split())
# What an agent numbers in its own work, and what people know by name: of these, a number does not
# tell which.
WORK_TEXT = (
    "alternative analysis angle ansatz approach area argument arm assumption candidate causa "
    "cause cell change check class combination comparison condition config configuration "
    "criteria criterion cut data definition design direction enfoque enfoques entry escenario "
    "evidence extract fact factor figure finding fix fuente group hypotheses hypothesis idea "
    "item kind lauf lesson level lösung measure method metric model método möglichkeit note one "
    "opción option paper path pattern plan product producte producto produkt proposal "
    "quelle question reason result rule run sample scenario seed segment set setting setup "
    "shortlist solución solution sort source step strategy study subset szenario theory thing "
    "tier type ursache user value variant variante version view way "
)
WORK = frozenset(WORK_TEXT.split())
WORK_HAN = re.compile(
    r"方案|模型|因素|方法|设置|选项|原因|策略|配置|变体|假设|办法|做法|路径|来源|文献|研究|产品|种|类"
)
# Names of records that give their kind away.
PREFIXES_TEXT = (
    "ACCT APPT BKG BUG CASE CHG CONF CUST CVE CWE EMP ERR GHSA INC INV ISSUE JIRA KB MR NCT ORD "
    "PMT PO PR PRB REQ RFC RITM RMA SHP SKU SO SR TASK TICKET TKT TRK TXN "
)
PREFIXES = frozenset(PREFIXES_TEXT.split())
HAN = re.compile(
    r"发票|订单|合同|协议|货件|运单|包裹|快递|航班|门店|店铺|商铺|工单|员工|客户|预约|预订|病历|账户"
    r"|账号|帐号|编号|号码|单号|编码|代码|主机|服务器|节点|容器|集群|实例|仓库|货架|库位|车辆|卡车|车次|付款|退款|票号|提交|分支|任务"
    r"|缺陷|事件|告警|案件|病房|床位|登机口|房间|打印机|设备|交换机|路由器|保单|合约|项目|申请|审批|凭证|收据"
    r"|請求書|注文|予約|チケット|顧客|フライト|サーバー?|プリンター?|端末|契約|番号|口座|店舗|送付|伝票"
    r"|주문|송장|예약|고객|티켓|항공편|계약|번호|계좌"
)
WORD = re.compile(r"[^\W\d_][^\W\d_'’-]*")


def is_kind(word: str) -> bool:
    """Whether a word, in any case and number, is such a kind."""
    low = word.lower()
    if low in NOUNS:
        return True
    if low.endswith("s"):
        return low[:-1] in NOUNS or low[:-2] in NOUNS or low[:-3] + "y" in NOUNS
    return low.endswith("n") and low[:-1] in NOUNS


def is_work(word: str) -> bool:
    """Whether a word, in any case and number, is something that only the agent numbers."""
    low = word.lower()
    return low in WORK or (low.endswith("s") and (low[:-1] in WORK or low[:-2] in WORK))


def kinds_in(text: str) -> Iterator[str]:
    """Yield the words of a text that are kinds, in lower case. Capitals are names, not words."""
    for match in WORD.finditer(text):
        word = match.group()
        if is_kind(word) and not (word.isupper() and len(word) > 3):
            yield word.lower()


def has_kind(text: str) -> bool:
    """Whether a text names a kind, in any of the languages."""
    return HAN.search(text) is not None or next(kinds_in(text), None) is not None


def has_kinds(text: str) -> bool:
    """Whether a text names several things of a kind: a plural."""
    return HAN.search(text) is not None or any(word not in NOUNS for word in kinds_in(text))


def abbreviates(prefix: str, word: str) -> bool:
    """Whether three letters or more stand for a word: its beginning (PAL), or its first letter and
    later consonants in their order (SHP)."""
    low = prefix.lower()
    if len(low) < 3 or low[0] != word[0]:
        return False
    if word.startswith(low):
        return True
    if set(low[1:]) & set("aeiou"):
        return False
    letters = iter(word[1:])
    return all(letter in letters for letter in low[1:])
