"""One YAML file: what it accepts, and how it says what is wrong. Places are counted by hand."""

import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector import config, config_error, config_reference, document
from collector.config import Config, load
from collector.errors import ConfigError
from collector.setting import Section, is_loopback, split

SMALLEST = """\
receivers:
  otlp:
    grpc: {endpoint: 127.0.0.1:4317}
    http: {endpoint: 127.0.0.1:4318}
storage:
  directory: ./tellback-data
  database: sqlite:///./tellback-data/ledger.db
turns: {quiet_period: 10s, deadline: 10m}
scoring:
  sampling: {rate: 0.1, seed: 0}
  judges:
    reader: {model: openai/gpt-5-mini, api_base: null}
privacy: {keep_text: true, retention: 30d}
service:
  admin: {endpoint: 127.0.0.1:9473}
"""


@pytest.fixture
def read(tmp_path):
    def check(text: str | bytes, **environ: str) -> Config:
        path = tmp_path / "tellback.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load(path, environ)

    return check


@pytest.fixture
def problems(read, tmp_path):
    def check(text: str | bytes, **environ: str) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            read(text, **environ)
        return str(caught.value).replace(f"{tmp_path}/", "").splitlines()

    return check


def test_the_smallest_complete_file(read):
    found = read(SMALLEST)
    assert found.receivers.otlp.grpc.endpoint == "127.0.0.1:4317"
    assert found.receivers.otlp.http.endpoint == "127.0.0.1:4318"
    assert found.service.admin.endpoint == "127.0.0.1:9473"
    assert found.storage.url == "sqlite:///./tellback-data/ledger.db"
    assert (found.turns.quiet_period, found.turns.deadline) == (10.0, 600.0)
    assert (found.scoring.sampling.rate, found.scoring.sampling.seed) == (0.1, 0)
    assert found.scoring.judges.reader.model == "openai/gpt-5-mini"
    assert found.privacy.retention == 30 * 86400
    # No judge with a model runs in this version, and nobody should believe it does.
    assert any("openai/gpt-5-mini is not called" in warning for warning in found.warnings())


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "receivers:\n", "turns: {}\n", "{}"])
def test_everything_has_a_default(read, text):
    assert read(text) == load(None, {}) == Config()


def test_a_key_with_nothing_behind_it_means_its_default(read):
    found = read("receivers:\n  otlp:\n    grpc:\nturns: {quiet_period: null, deadline: 1m}")
    assert found.turns.deadline == 60
    assert found.turns.quiet_period == 10


def test_unknown_keys_name_the_nearest_and_their_line(problems):
    assert problems(
        "recievers: {}\nturns:\n  quiet_perod: 10s\n"
        "admin: {endpoint: 127.0.0.1:1}\nscoring:\n  zq: 1\n"
    ) == [
        "tellback.yaml:1: recievers: unknown key; the nearest known key is receivers",
        "tellback.yaml:3: turns.quiet_perod: unknown key; "  # noqa: ISC004 - one line of two halves
        "the nearest known key is turns.quiet_period",
        "tellback.yaml:4: admin: unknown key; the nearest known key is service.admin",
        "tellback.yaml:6: scoring.zq: unknown key; known here: sampling, judges",
    ]


def test_an_unknown_key_with_nothing_behind_it_is_an_error_too(problems):
    assert problems("kafka:\n") == [
        "tellback.yaml:1: kafka: unknown key; known here: " + ", ".join(Config.model_fields)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("turns: {deadline: soon}", "turns.deadline: expected a duration such as 10s"),
        ("turns: {deadline: 0}", "turns.deadline: expected a duration above 0"),
        ("turns: {deadline: 5s}", "turns: expected deadline to be at least quiet_period"),
        ("turns: [1]", "turns: expected a section with keys, read a list"),
        ("turns: fast", "turns: expected a section with keys, read 'fast'"),
        ("turns: {max_open_turns: many}", "expected a whole number, read 'many'"),
        ("turns: {max_open_turns: 0}", "expected a number at least 1, read 0"),
        ("turns: {max_open_bytes: 3 bananas}", "expected an amount such as 256MiB"),
        ("scoring: {sampling: {rate: 1.5}}", "expected a number at most 1.0, read 1.5"),
        ("scoring: {sampling: {rate: .nan}}", "expected a finite number, read nan"),
        ("scoring: {sampling: {seed: 0.5}}", "expected a whole number, read 0.5"),
        ("scoring: {judges: {reader: {}}}", "scoring.judges.reader.model: is missing"),
        ("privacy: {keep_text: perhaps}", "expected true or false, read 'perhaps'"),
        ("service: {log_level: loud}", "expected one of 'debug', 'info', 'warning' or 'error'"),
        ("storage: {directory: {a: 1}}", "expected text, read a section with keys"),
        ("storage: {directory: 2024-01-01}", "expected text, read a value of type date"),
        ("service: {admin: {endpoint: 9473}}", "service.admin.endpoint: "),
        ("service: {admin: {endpoint: http://h:1}}", "service.admin.endpoint"),
        ("service: {admin: {endpoint: 'h:70000'}}", "service.admin.endpoint"),
        ("service: {admin: {endpoint: ':9473'}}", "service.admin.endpoint"),
    ],
)
def test_wrong_values_say_what_was_expected_and_read(problems, text, expected):
    (problem,) = problems(text)
    assert problem.startswith("tellback.yaml:1: ")
    assert expected in problem


NINES = "9" * 5000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("turns: {quiet_period: 2020-13-45}", "expected a day that exists, read '2020-13-45'"),
        ("storage: {directory: 2020-02-31}", "expected a day that exists, read '2020-02-31'"),
        (f"turns: {{max_open_turns: {NINES}}}", "below 2^63, read 5000 characters"),
        (f"turns: {{max_open_turns: 0x{NINES}}}", "below 2^63, read 5002 characters"),
        ("turns: {max_open_turns: -9999999999999999999}", "below 2^63"),
        ("turns: {deadline: !!float soon}", "expected a number, read 'soon'"),
        ("storage: {directory: !!binary YQBi}", "expected text, read !!binary"),
        ("privacy: {keep_text: !!bool perhaps}", "expected bool, read 'perhaps'"),
        ("turns: {deadline: !!timestamp soon}", "expected a day that exists, read 'soon'"),
        ("turns: {max_open_turns: !!int ''}", "expected a whole number below 2^63, read ''"),
        (r'storage: {directory: "a\0b"}', "expected text, read characters that no text has"),
        (r'storage: {directory: "a\uD800b"}', "expected text, read characters that no text has"),
        (r'storage: {directory: "a\0${env:A}"}', "expected text, read characters that no text"),
    ],
)
def test_what_yaml_itself_cannot_hold_is_a_sentence_too(problems, text, expected):
    (problem,) = problems(text, A="1")
    assert problem.startswith("tellback.yaml:1: ")
    assert expected in problem


def test_all_problems_at_once_in_the_order_of_the_file(problems):
    found = problems("privacy: {keep_text: 7}\nturns: {deadline: x}\nnonsense: 1\n")
    assert [line.split(":")[1] for line in found] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: [1, 2", r"tellback.yaml:1: YAML: "),
        ("turns:\n  a: 1\n b: 2\n", r"tellback.yaml:3: YAML: "),
        ("turns: {}\n---\nturns: {}\n", r"tellback.yaml:2: YAML: "),
        ("turns: !!python/object/apply:os.system [id]", r"tellback.yaml:1: "),
        ("turns: &a [*a]", r"more aliases than"),
        ("turns: {deadline: ${env:A}}", r"tellback.yaml:1: .* put \$\{env:NAME\} in quotes"),
        ("- turns", r"tellback.yaml:1: expected sections"),
        ("turns", r"tellback.yaml:1: expected sections"),
        ("turns: {}\nturns: {}\n", r"tellback.yaml:2: turns: stands twice, first in line 1"),
        ("? [a]\n: 1\n", r"tellback.yaml:1: expected a key, read a list or a section"),
        ("[" * 5000, r"tellback.yaml"),
        (b"turns: {}\n# \xff\xfe\n", r"tellback.yaml:2: expected UTF-8 text"),
        (b"a: \x00", r"tellback.yaml"),
        ("# " + "x" * 2**20, r"more than 1 MiB"),
    ],
)
def test_what_is_no_configuration_is_refused_with_its_line(problems, text, expected):
    assert re.search(expected, problems(text)[0])


def test_alias_bombs_end(problems):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "more aliases than a configuration can use" in problems("\n".join(lines))[0]


def test_merge_keys_work(read):
    text = (
        "receivers:\n  otlp:\n    grpc: &here {endpoint: 'localhost:0'}\n"
        "    http:\n      <<: *here\n"
    )
    assert read(text).receivers.otlp.http.endpoint == "localhost:0"


def test_values_come_from_the_environment(read):
    found = read(
        "storage: {database: '${env:DB}', directory: '$${x}-${env:A}-${env:B:-c}'}\n"
        "turns: {quiet_period: '${env:QUIET:-3s}', max_open_turns: '${env:MAX}'}\n"
        "scoring:\n  sampling:\n    rate: ${env:RATE}\n"
        "privacy:\n  keep_text: ${env:KEEP}\n"
        "service: {admin: {endpoint: '127.0.0.1:${env:PORT}'}}\n",
        DB="postgresql://u:p$w@h/d",
        A="1",
        RATE="0.25",
        KEEP="false",
        MAX="7",
        PORT="1234",
    )
    assert found.storage.database == "postgresql://u:p$w@h/d"
    assert found.storage.directory == "${x}-1-c"
    assert (found.turns.quiet_period, found.turns.max_open_turns) == (3.0, 7)
    assert found.scoring.sampling.rate == 0.25
    assert found.privacy.keep_text is False
    assert found.service.admin.endpoint == "127.0.0.1:1234"


def test_unset_variables_are_errors_with_their_names(problems):
    found = problems("storage:\n  database: ${env:ONE}\n  directory: ${env:TWO}\n")
    assert [line.partition(" (")[0] for line in found] == [
        "tellback.yaml:2: storage.database: environment variable ONE is not set",
        "tellback.yaml:3: storage.directory: environment variable TWO is not set",
    ]


def test_empty_variables_take_the_default_as_in_a_shell(read):
    assert read("turns:\n  quiet_period: ${env:Q:-4s}", Q="").turns.quiet_period == 4
    assert read("storage:\n  database: ${env:Q:-}").storage.database is None


@pytest.mark.parametrize("written", ["${HOME}", "${file:/etc/passwd}", "${env:}", "${env:A-B}"])
def test_only_variables_are_resolved(problems, written):
    assert (
        f"expected ${{env:NAME}}, read {written}"
        in problems(f"storage: {{directory: '{written}'}}")[0]
    )


def test_a_secret_is_never_shown(problems):
    found = problems(
        "turns: {deadline: '${env:SECRET}', max_open_turns: '${env:SECRET}'}\n"
        "service: {admin: {endpoint: '${env:SECRET}'}}",
        SECRET="hunter2hunter2",
    )
    assert len(found) == 3
    assert all("hunter2" not in line and "${env:SECRET}" in line for line in found)


def test_a_secret_in_the_file_itself_is_refused(read, problems):
    auth = "service:\n  admin:\n    auth: {{bearer_token: {}}}\n".format
    key = "service.admin.auth.bearer_token"
    assert problems(auth("hunter2")) == [
        f"tellback.yaml:3: {key}: expected ${{env:NAME}}, read the secret itself"
    ]
    assert problems("storage: {database: 'postgresql://u:hunter2@h/d'}") == [
        "tellback.yaml:1: storage.database: expected ${env:NAME}, read the secret itself"
    ]
    url = "postgresql://u:hunter2@h/d"
    assert (
        read("storage: {database: 'postgresql://u:${env:P}@h/d'}", P="hunter2").storage.url == url
    )
    found = read(auth("'${env:TOKEN}'"), TOKEN="42")
    found.service.admin.tokens("service.admin").check(b"Bearer 42")
    assert "42" not in repr(found)


@pytest.mark.parametrize("make", ["missing", "folder", "unreadable"])
def test_files_that_cannot_be_read(tmp_path, make):
    path = tmp_path / "c.yaml"
    if make == "folder":
        path.mkdir()
    elif make == "unreadable":
        path.write_text("")
        path.chmod(0)
        if path.stat().st_mode & stat.S_IRUSR or _readable(path):
            pytest.skip("this user may read every file")
    with pytest.raises(ConfigError, match=r"c\.yaml: can't be read: "):
        load(path, {})


def _readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True


def test_standard_variables_fill_what_the_file_leaves_out(read):
    assert read("", OTEL_LOG_LEVEL="WARN").service.log_level == "warning"
    assert read("service: {log_level: debug}", OTEL_LOG_LEVEL="WARN").service.log_level == "debug"
    assert read("", OTEL_LOG_LEVEL="nonsense").service.log_level == "info"
    with pytest.raises(ConfigError, match="service: expected a section"):
        read("service: [1]", OTEL_LOG_LEVEL="info")


TLS = "tls: {cert_file: c, key_file: k}"
MUTUAL = "tls: {cert_file: c, key_file: k, client_ca_file: a}"
AUTH = "auth: {bearer_token_file: t}"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            "",
            "unencrypted (set {0}.tls) and by everybody (set {0}.auth, or {0}.tls.client_ca_file)",
        ),
        (AUTH, "unencrypted (set {0}.tls)"),
        (TLS, "by everybody (set {0}.auth, or {0}.tls.client_ca_file)"),
        (MUTUAL, None),
        (f"{TLS}, {AUTH}", None),
    ],
)
def test_addresses_others_can_reach_are_pointed_out(read, settings, said):
    endpoint = ", ".join(filter(None, ("endpoint: '0.0.0.0:4318'", settings)))
    found = read(f"receivers: {{otlp: {{http: {{{endpoint}}}}}}}").warnings()
    key = "receivers.otlp.http"
    reached = f"{key}.endpoint: 0.0.0.0:4318 can be reached from other machines "
    assert found == (() if said is None else (reached + said.format(key),))


@pytest.mark.parametrize(
    ("text", "now"),
    [
        (
            "receivers: {otlp: {http: {max_in_flight_bytes: 1}}}",
            "receivers.otlp.max_in_flight_bytes",
        ),
        ("service: {admin: {token_file: x}}", "service.admin.auth.bearer_token_file"),
    ],
)
def test_a_key_that_moved_says_where_it_is_now(problems, text, now):
    (problem,) = problems(text)
    assert problem.endswith(f"it is {now} now")


@pytest.mark.parametrize(
    "settings",
    [
        "otlp: {max_in_flight_bytes: 1MiB}",
        "otlp: {grpc: {tls: {cert_file: c, key_file: k, min_version: '1.3'}}}",
        "otlp: {http: {tls: {cert_file: c}}}",
        "otlp: {http: {tls: {cert_file: c, key_file: k, min_version: '1.1'}}}",
        "otlp: {http: {auth: {}}}",
    ],
)
def test_settings_that_cannot_hold_are_refused(problems, settings):
    assert len(problems(f"receivers: {{{settings}}}")) == 1


def test_every_section_refuses_unknown_keys_and_explains_its_values():
    def sections(model):
        yield model
        for info in model.model_fields.values():
            below = config_error.section_of(info.annotation)
            if below is not None:
                yield from sections(below)

    for model in sections(Config):
        assert model.model_config.get("extra") == "forbid", model
        assert model.__doc__, model
        for name, info in model.model_fields.items():
            is_section = config_error.section_of(info.annotation) is not None
            assert is_section or info.description, f"{model.__name__}.{name} has no description"


@pytest.mark.parametrize(
    ("endpoint", "parts"),
    [("127.0.0.1:0", ("127.0.0.1", 0)), ("[::1]:5", ("::1", 5)), ("localhost:6", ("localhost", 6))],
)
def test_endpoints(endpoint, parts):
    assert split(endpoint) == parts
    assert is_loopback(endpoint)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text):
    try:
        config.validate(document.parse(text, "t", {}), {})
    except ConfigError as error:
        assert str(error).startswith("t")  # noqa: PT017 - most texts are no error, or any error


def test_the_documentation_is_what_the_models_say(read):
    path = Path(__file__).parents[2] / "docs" / "configuration.md"
    page = path.read_text(encoding="utf-8")
    assert page == config_reference.reference(), (
        "docs/configuration.md is not what `python -m collector.config_reference` writes"
    )
    example = page.split("```yaml\n")[1].split("```")[0]
    assert read(example).warnings() == ()
    for path in config_error.paths_of(Config):
        assert f"`{path.rpartition('.')[2]}`" in page or f"## {path}" in page


def test_settings_are_frozen():
    assert issubclass(Config, Section)
    with pytest.raises(ValueError, match="frozen"):
        Config().service.log_level = "debug"


def test_two_listeners_on_one_port_are_an_error_and_any_free_port_is_none():
    otlp = {"grpc": {"endpoint": "127.0.0.1:4317"}, "http": {"endpoint": "127.0.0.1:4317"}}
    with pytest.raises(ConfigError, match=r"a port of its own for receivers\.otlp\.http\.endpoint"):
        config.validate(document.Document("c.yaml", {"receivers": {"otlp": otlp}}), {})
    free = {"endpoint": "127.0.0.1:0"}
    config.validate(
        document.Document("c.yaml", {"receivers": {"otlp": {"grpc": free, "http": free}}}), {}
    )
