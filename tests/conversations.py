"""Generated conversations with tools and sub-agents, and what Tellback must find in them.

A `Plan` says what happened; `write` turns it into traces and notes the truth beside them. Every
text is made from a number that is used once, so that a result can be told by its text alone.
"""

import json
from dataclasses import dataclass, field

from hypothesis import strategies as st

from traces import MINUTE, MS, Trace, assistant, call, tool, user

WHOLE = 1.0  # the share of a result that is delivered
NOTHING = 0.0


@dataclass(frozen=True)
class Call:
    """A tool call: how much of its result the model gets, and whether a sub-agent does the work."""

    delivered: float = WHOLE
    sub_agent: bool = False


@dataclass(frozen=True)
class Plan:
    """One conversation. `turns` holds for each turn its steps: calls that a model made at once."""

    turns: tuple[tuple[tuple[Call, ...], ...], ...]
    ids: str = "unique"  # or "counted" (anew in every turn), or "none"
    root: str = "agent"  # what is around a turn: "agent", "request", "session" (all turns), "none"
    one_trace: bool = False
    window: int | None = None  # earlier messages that are sent again; None: all
    conversation_id: bool = False
    at_once: bool = False  # whether the calls of a step run at the same time
    as_json: bool = False  # whether results are JSON records
    same_words: bool = False  # whether every question is the same, of every requester too


@dataclass
class Result:
    """An executed call: what it produced and what the model got (None: no message for it)."""

    produced: str
    delivered: str | None


@dataclass
class Exchange:
    """The truth of one turn."""

    request: str
    reply: str = ""
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    results: list[Result] = field(default_factory=list)


def produced(number, *, as_json=False):
    """Return a text of some dozen records that no other number gives."""
    rows = [(f"{number}-{row}", number * 997 + row * 31) for row in range(10 + number % 17)]
    if as_json:
        return json.dumps([{"dock": dock, "crates": crates} for dock, crates in rows])
    return "\n".join(f"dock {dock} holds {crates} crates" for dock, crates in rows)


class Writer:
    """Writes one plan as traces. `first` is where its numbers begin."""

    def __init__(self, plan, name, first):
        self.plan = plan
        self.name = name
        self.traces = []
        self.exchanges = []
        self._number = first
        self._counted = 0
        self._history = []

    def write(self):
        at = self._number * 7 * MS
        if self.plan.root == "session":
            self._begin(at)
            with self._trace.around("session") as session:
                for steps in self.plan.turns:
                    self._turn(steps, session)
                    self._trace.now += MINUTE
            return self
        for number, steps in enumerate(self.plan.turns):
            if number == 0 or not self.plan.one_trace:
                self._begin(at + number * MINUTE)
            if self.plan.root == "none":
                self._turn(steps, None)
            else:
                with self._root() as root:
                    self._turn(steps, root)
            self._trace.now += MINUTE
        return self

    def _begin(self, at):
        self._trace = Trace(f"{self.name} {len(self.traces)}", at=at)
        self.traces.append(self._trace)

    def _root(self):
        if self.plan.root == "agent":
            return self._trace.agent(conversation=self._conversation)
        return self._trace.around("POST /chat")

    @property
    def _conversation(self):
        return self.name if self.plan.conversation_id else None

    def _next(self):
        self._number += 1
        return self._number

    def _call_id(self, number):
        self._counted += 1
        return {"unique": f"call_{number}", "counted": f"c{self._counted}", "none": None}[
            self.plan.ids
        ]

    def _chat(self, given, said, parent):
        number = self._next()
        tokens = (number, number % 7 + 1)
        self._trace.chat(given, said, parent, tokens=tokens, conversation=self._conversation)
        self.exchanges[-1].model_calls += 1
        self.exchanges[-1].input_tokens += tokens[0]
        self.exchanges[-1].output_tokens += tokens[1]

    def _turn(self, steps, parent):
        number = self._next()
        self._counted = 0
        unlike = "" if self.plan.same_words else f" {number} of {self.name}"
        self.exchanges.append(Exchange(f"Where is the parcel{unlike}?"))
        window = self.plan.window
        history = (
            self._history
            if window is None
            else self._history[max(len(self._history) - window, 0) :]
        )
        history = [*history, user(self.exchanges[-1].request)]
        for step in steps:
            history = self._step(history, step, parent)
        reply = f"Parcel {number} of {self.name} is at dock {self._next()}."
        self._chat(history, assistant(reply), parent)
        self.exchanges[-1].reply = reply
        self._history = [*history, assistant(reply)]

    def _step(self, history, step, parent):
        numbers = [self._next() for _ in step]
        ids = [self._call_id(number) for number in numbers]
        tools = ["ask" if planned.sub_agent else "look" for planned in step]
        named = list(zip(ids, tools, numbers, strict=True))
        asked = assistant(None, *[call(one, name, {"dock": number}) for one, name, number in named])
        self._chat(history, asked, parent)
        messages = []
        begun = self._trace.now
        ended = begun
        for planned, (call_id, name, number) in zip(step, named, strict=True):
            span_id = self._trace.span_id()
            start = begun if self.plan.at_once else ended
            self._trace.now = start
            text = self._delegate(number, span_id) if planned.sub_agent else self._produced(number)
            end = max(self._trace.now, start + 80 * MS)
            place = {"span_id": span_id, "start": start, "end": end}
            self._trace.execute(name, call_id, {"dock": number}, text, parent, **place)
            ended = max(ended, end + 20 * MS)
            self._trace.now = ended
            delivered = self._deliver(text, planned.delivered)
            if delivered is not None:
                messages.append(tool((call_id, delivered)))
        return [*history, asked, *messages]

    def _produced(self, number):
        return produced(number, as_json=self.plan.as_json)

    def _deliver(self, text, share):
        delivered = None if share == NOTHING else text[: int(len(text) * share)].rstrip()
        self.exchanges[-1].results.append(Result(text, delivered))
        return delivered

    def _delegate(self, number, parent):
        """A sub-agent with one tool call of its own; returns what it hands over."""
        with self._trace.agent("worker", parent) as worker:
            task = user(f"Inspect dock {number} for {self.name}")
            inner = self._next()
            call_id = self._call_id(inner)
            asked = assistant(None, call(call_id, "look", {"dock": inner}))
            self._chat([task], asked, worker)
            text = self._produced(inner)
            self._trace.execute("look", call_id, {"dock": inner}, text, worker)
            self._deliver(text, WHOLE)
            found = f"Inspection {number}: all {number * 613} crates counted, {produced(number)}"
            self._chat([task, asked, tool((call_id, text))], assistant(found), worker)
        return found


def calls(deliveries=(WHOLE,)):
    return st.builds(Call, st.sampled_from(deliveries), st.booleans())


def plans(deliveries=(WHOLE,), ids=("unique", "counted", "none")):
    step = st.lists(calls(deliveries), min_size=1, max_size=3).map(tuple)
    turn = st.lists(step, max_size=3).map(tuple)
    return st.builds(
        Plan,
        turns=st.lists(turn, min_size=1, max_size=3).map(tuple),
        ids=st.sampled_from(ids),
        root=st.sampled_from(["agent", "request", "session", "none"]),
        one_trace=st.booleans(),
        window=st.sampled_from([None, 0, 2, 3]),
        conversation_id=st.booleans(),
        at_once=st.booleans(),
        as_json=st.booleans(),
        same_words=st.booleans(),
    )


def written(plans):
    """Write conversations of different requesters that go on at the same time."""
    writers = [Writer(plan, f"user {n}", n * 1000).write() for n, plan in enumerate(plans)]
    spans = [span for writer in writers for trace in writer.traces for span in trace.spans]
    return spans, [exchange for writer in writers for exchange in writer.exchanges]
