"""Names that are not words: codes, keys, run names, and abbreviations in running text.

`PB-20`, `W04`, `JG7FMM` and `SIM-138` are codes; `txn_narrow` and `f256/hyb/40` are keys; `TOST`
and `mSPRT` are abbreviations. File names, paths, addresses, versions, dates, units, and the names
of standards and quarters are none of them: a reader can open them or knows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Shape = Literal["code", "key", "abbreviation"]
Token = tuple[int, int, str]

# A run of characters that names are made of. Bounded, so that a megabyte of letters is one step.
TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9]|[-_./](?=[A-Za-z0-9])){0,79}")
# The same, words in small letters passed over: only what may be a name is given to the caller.
NAMED = re.compile(
    r"(?:[^A-Za-z0-9]++|[a-z]{1,80}+(?![A-Za-z0-9]|[-_./][A-Za-z0-9]))*+(?:("
    + TOKEN.pattern
    + r")|\Z)"
)
BOUNDARY_BEFORE = frozenset("/\\.@-_=&~$%:'’")
BOUNDARY_AFTER = frozenset("/\\@_=(~")

CODE = re.compile(r"(?=[^\d]*\d)(?=[^A-Z]*[A-Z])[A-Z0-9]+(?:[-_.][A-Z0-9]+)*\Z")
KEY = re.compile(r"[A-Za-z0-9.]+(?:[_/][A-Za-z0-9.-]+)+\Z")
ABBREVIATION = re.compile(r"(?:[A-Z]{2,6}\d?|[a-z][A-Z]{2,5}\d?|[A-Z]{2,5}\d{1,3})s?\Z")
FAMILY = re.compile(r"[A-Z]*(?:[-_][A-Z]*)?")
FILE = re.compile(
    r"(?i)\.(?:py|js|ts|tsx|jsx|md|txt|csv|tsv|json|jsonl|ya?ml|toml|html?|css|pdf|docx?|xlsx?|pptx?"
    r"|png|jpe?g|gif|svg|mp[34]|zip|gz|go|rs|java|kt|c|h|cc|cpp|rb|php|sh|sql|ipynb|log|cfg|ini"
    r"|xml|com|org|net|io|ai|dev|app|lock|webp|parquet|db)\Z"
)
ORDINARY = re.compile(
    r"(?:"
    r"[QHYFD]\d|[QHY]\d-?\d{2,4}|FY-?\d{2,4}|[12]\d{3}[A-Z]?|\d{4}-\d\d(?:-\d\d)?(?:T[\d:.]*Z?)?"
    r"|\d+(?:[.,]\d+)?[A-Z]{1,3}|\d+D|[1-9][A-Z]|\d{1,2}[AP]M|[A-Z]{1,3}\d{1,2}\.\d+(?:\.\d+)*"
    r"|(?:HTML|CSS|ES|MP|IPV|UTF|ISO|RFC|SHA|MD|AES|HTTP|TLS|PEP|OAUTH|GPT|GLM|COVID|BASE|WEB|VP"
    r"|AV|USB|PS|SO|CO|PM|B2B|B2C|C2C|P2P|S3|EC2|K8S|L10N|I18N|A11Y|E2E|E2)"
    r"-?\d{0,4}(?:[-.]\d+)*"
    r"|[AFGHPRTV]\d{1,2}|H\d00"
    r"|(?:A?L?GPL|CC0?|MIT|BSD|APACHE|MPL|BY)-[\d.A-Z-]+"
    r")\Z"
)


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name in a text: where it stands, what it looks like, and the family it is numbered in."""

    start: int
    end: int
    text: str
    shape: Shape

    @property
    def family(self) -> str:
        """Return what is left without the number: `PB-` of PB-20, `W` of W04; may be empty."""
        match = FAMILY.match(self.text)
        return match.group() if match else ""


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text that are no words: start, end and the token itself."""
    found = []
    for match in NAMED.finditer(text):
        token = match[1]
        if token and not (token.isalpha() and token[1:].islower()):
            found.append((*match.span(1), token))
    return found


def identifiers(text: str, among: Sequence[Token] | None = None) -> Iterator[Identifier]:
    """Yield the names of a text from its beginning. Mask code blocks and addresses before.

    `among` are the text's tokens where they are known already.
    """
    for start, end, token in tokens(text) if among is None else among:
        if start and text[start - 1] in BOUNDARY_BEFORE:
            continue
        if end < len(text) and text[end] in BOUNDARY_AFTER:
            continue
        if "." in token and FILE.search(token):
            continue
        shape = shape_of(token)
        if shape is not None:
            yield Identifier(start, end, token, shape)


def shape_of(token: str) -> Shape | None:
    """Return what kind of name a token is, None for words, numbers and what everybody knows."""
    if token.isupper() and CODE.match(token) and not ORDINARY.match(token):
        return "code"
    if ("_" in token or _is_mixed(token)) and KEY.match(token):
        return "key"
    capital = token[1:2].isupper()
    if capital and ABBREVIATION.match(token) and not ORDINARY.match(token):
        return "abbreviation"
    return None


def _is_mixed(token: str) -> bool:
    """Whether a token with slashes is a configuration (`f256/hyb/40`), not `and/or` or `CI/CD`."""
    parts = token.split("/")
    return len(parts) > 2 and any(part[-1].isdigit() for part in parts if part)
