"""Certificates: what is wrong with them is one sentence, and renewing them needs no restart."""

import logging
from pathlib import Path

import pytest
from certificates import Authority
from cryptography.hazmat.primitives import serialization

from collector import watched
from collector.errors import ConfigError
from collector.tls import Certificates, TlsConfig

KEY = "receivers.otlp.http.tls"


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


def load(chain, key, **more):
    return Certificates(KEY, TlsConfig(cert_file=chain, key_file=key, **more))


def _missing(chain, key, folder):
    return chain, str(folder / "absent"), f"{KEY}.key_file .*absent: can't be read: No such file"


def _folder(chain, key, folder):
    return str(folder), key, f"{KEY}.cert_file .*: can't be read: Is a directory"


def _swapped(chain, key, _):
    return key, chain, f"{KEY}.cert_file .*: holds no certificate"


def _other_key(chain, _, folder):
    _, other = Authority(folder).issue("other")
    return chain, other, f"{KEY}.key_file .*other.key: doesn't belong to the certificate"


def _garbled(chain, key, _):
    lines = Path(key).read_text().splitlines()
    Path(key).write_text("\n".join([lines[0], "MIIE" + "A" * 60, *lines[2:]]))
    return chain, key, f"{KEY}: .*server.crt and .*server.key can't be used"


def _locked(chain, key, _):
    plain = serialization.load_pem_private_key(Path(key).read_bytes(), None)
    locked = plain.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"x"),
    )
    Path(key).write_bytes(locked)
    return chain, key, f"{KEY}.key_file .*: expected no passphrase"


@pytest.mark.parametrize("spoil", [_missing, _folder, _swapped, _other_key, _garbled, _locked])
def test_files_that_cannot_be_used_are_named(authority, tmp_path, spoil):
    chain, key, said = spoil(*authority.issue(), tmp_path)
    with pytest.raises(ConfigError, match=said) as error:
        load(chain, key)
    assert "PRIVATE KEY" not in str(error.value)


def test_authorities_that_are_none_are_named(authority, tmp_path):
    chain, key = authority.issue()
    with pytest.raises(ConfigError, match=f"{KEY}.client_ca_file .*: holds no certificate"):
        load(chain, key, client_ca_file=key)


def test_a_key_that_others_may_read_is_pointed_out(authority, tmp_path, caplog):
    chain, key = authority.issue()
    load(chain, key)
    assert not caplog.records
    (tmp_path / "server.key").chmod(0o640)
    load(chain, key)
    assert f"{KEY}.key_file {key} can be read by its group or by everybody" in caplog.text


def test_renewed_files_are_taken_up_and_broken_ones_are_not(
    authority, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(watched, "_LOOK_EVERY", 0)
    chain, key = authority.issue()
    certificates = load(chain, key)
    first = certificates.current()
    assert certificates.current() is first
    authority.issue()
    second = certificates.current()
    assert second.chain != first.chain
    (tmp_path / "server.key").write_text("half of a ke")
    with caplog.at_level(logging.ERROR):
        assert certificates.current() is second
        assert certificates.current() is second
    assert caplog.text.count("what was read before stays in force") == 1, "told once"
    authority.issue()
    assert certificates.current().chain not in (first.chain, second.chain)
