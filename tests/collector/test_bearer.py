"""Tokens: several at a time, renewed without a restart, and never shown."""

import pytest
from pydantic import SecretStr

from collector import watched
from collector.bearer import AuthConfig, Tokens
from collector.errors import ConfigError, Permanent

KEY = "receivers.otlp.http.auth"


def admits(tokens, header):
    try:
        tokens.check(header)
    except Permanent as error:
        return error.reason != "unauthenticated"
    return True


def test_each_token_of_the_file_is_good_and_the_file_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(watched, "_LOOK_EVERY", 0)
    file = tmp_path / "tokens"
    file.write_text("old-one\n\n  new-one  \r\n")
    tokens = Tokens(KEY, AuthConfig(bearer_token_file=str(file)))
    assert admits(tokens, b"Bearer old-one")
    assert admits(tokens, "bearer new-one")
    file.write_text("new-one\n")
    assert not admits(tokens, b"Bearer old-one")
    assert admits(tokens, b"Bearer new-one")
    file.unlink()
    assert admits(tokens, b"Bearer new-one"), "a lost file locks nobody out"


@pytest.mark.parametrize(
    "header", [b"", b"Bearer", b"Bearer ", b"s3cret", b"Basic s3cret", b"Bearer s3cre", b"\xff" * 9,
               b"Bearer s3cret s3cret", "Bearer \u2603"],
)  # fmt: skip
def test_nothing_else_is_admitted(header):
    tokens = Tokens(KEY, AuthConfig(bearer_token=SecretStr("s3cret")))
    assert admits(tokens, b"Bearer s3cret")
    assert not admits(tokens, header)


@pytest.mark.parametrize("text", ["", "\n \n", "two words\n", "good\nümlaut\n", "a\x00b\n"])
def test_what_is_no_token_refuses_to_start_and_is_not_quoted(tmp_path, text):
    file = tmp_path / "tokens"
    file.write_text(text)
    with pytest.raises(ConfigError, match=f"{KEY}.bearer_token_file .*tokens: expected") as error:
        Tokens(KEY, AuthConfig(bearer_token_file=str(file)))
    assert not any(line and line in str(error.value) for line in text.splitlines() if line.strip())


def test_no_token_is_kept_or_shown(tmp_path):
    config = AuthConfig(bearer_token=SecretStr("s3cret"))
    tokens = Tokens(KEY, config)
    assert "s3cret" not in repr(config) + repr(tokens) + repr(tokens._digests.value())
    with pytest.raises(Permanent) as refusal:
        tokens.check(b"Bearer gu3ss")
    assert "gu3ss" not in str(refusal.value)


def test_a_token_file_that_others_may_read_is_pointed_out(tmp_path, caplog):
    file = tmp_path / "tokens"
    file.write_text("s3cret")
    file.chmod(0o644)
    Tokens(KEY, AuthConfig(bearer_token_file=str(file)))
    assert "can be read by its group" in caplog.text
    assert "s3cret" not in caplog.text
