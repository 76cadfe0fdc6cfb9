"""The subcommands, one module each: `add_parser(subparsers)` and `run(args) -> exit status`.

A module is imported only when its command is called, so that `--help` answers at once.
"""

COMMANDS = (
    ("run", "the sidecar: receive telemetry, measure turns, serve metrics"),
    ("demo", "start the sidecar on loopback and show what it finds in recorded telemetry"),
    ("replay", "read recorded telemetry from files and print its turns"),
    ("inspect", "say what telemetry shows of an agent, and what to switch on to see the rest"),
    ("compare", "compare what a tool produced with what the model was given"),
    ("score", "judge recorded replies"),
    ("turns", "list the ledger's turns"),
    ("validate", "check a configuration without starting anything"),
)
