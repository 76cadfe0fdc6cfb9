"""The targets, one module each."""

from targets.decoding import Decoding
from targets.journal import JournalReader
from targets.otlp_grpc import GrpcReceiver
from targets.otlp_http import HttpReceiver
from targets.turns import Turns

TARGETS = {
    "decoding": Decoding,
    "turns": Turns,
    "journal": JournalReader,
    "otlp_http": HttpReceiver,
    "otlp_grpc": GrpcReceiver,
}
