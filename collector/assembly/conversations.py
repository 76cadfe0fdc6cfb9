"""What was said earlier in a conversation, for turns whose telemetry does not repeat it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from collector.text import as_key
from scorers.turn import Said

MAX_CONVERSATIONS = 10_000
MAX_CHARACTERS = 64_000  # of one dialog; the oldest messages go first
MAX_MESSAGES = 400  # of one dialog: every turn is handed the dialog before it
MAX_TOTAL = 4_000_000  # bytes in memory of all dialogs together
MAX_TURNS = 4  # latest turns of a conversation whose dialog is kept
MAX_ASIDES = 20_000  # hashes of texts in the user role that a tool had said

Dialog = tuple[Said, ...]


class Conversations:
    """The dialogs of recent conversations, bounded by count and memory.

    Each turn is remembered with the dialog up to and with its reply, so that a turn assembled a
    second time (late spans) does not find itself in its own past.
    """

    def __init__(
        self, max_conversations: int = MAX_CONVERSATIONS, max_total: int = MAX_TOTAL
    ) -> None:
        self._turns: OrderedDict[str, dict[str, tuple[int, Dialog]]] = OrderedDict()
        self._max_conversations = max_conversations
        self._max_total = max_total
        self._total = 0
        self.asides: OrderedDict[int, None] = OrderedDict()

    def note_asides(self, texts: Iterable[str]) -> None:
        """Remember texts in the user role that were found not to be the requester's: in later
        turns they stand in the history, and the tool's own span stands in another trace."""
        for text in texts:
            self.asides[hash(text)] = None
            self.asides.move_to_end(hash(text))
        while len(self.asides) > MAX_ASIDES:
            self.asides.popitem(last=False)

    def before(self, conversation_id: str | None, turn_id: str, started_ns: int) -> Dialog:
        """Return what was said before a turn, oldest first; empty when nothing is known."""
        earlier = [
            (start, dialog)
            for known, (start, dialog) in self._turns.get(as_key(conversation_id or ""), {}).items()
            if known != turn_id and start <= started_ns
        ]
        return max(earlier, key=lambda entry: entry[0])[1] if earlier else ()

    def remember(
        self, conversation_id: str | None, turn_id: str, started_ns: int, dialog: Dialog
    ) -> None:
        """Keep a turn's dialog, its reply included, for the turns that follow."""
        if not conversation_id or not dialog:
            return
        conversation_id = as_key(conversation_id)
        latest = dialog[-MAX_MESSAGES:]
        kept = len(latest)
        left = MAX_CHARACTERS
        while kept and len(latest[kept - 1].text) <= left:
            kept -= 1
            left -= len(latest[kept].text)
        turns = self._turns.setdefault(conversation_id, {})
        self._drop(turns, turn_id)
        turns[turn_id] = (started_ns, latest[kept:])
        self._total += sum(said.text.__sizeof__() for said in latest[kept:])
        while len(turns) > MAX_TURNS:
            self._drop(turns, next(iter(turns)))
        self._turns.move_to_end(conversation_id)
        while len(self._turns) > self._max_conversations or (
            self._total > self._max_total and len(self._turns) > 1
        ):
            _, oldest = self._turns.popitem(last=False)
            for known in list(oldest):
                self._drop(oldest, known)

    def _drop(self, turns: dict[str, tuple[int, Dialog]], turn_id: str) -> None:
        for said in turns.pop(turn_id, (0, ()))[1]:
            self._total -= said.text.__sizeof__()
