"""Certificates for tests, as files."""

import trustme


class Authority:
    """An authority, and the files of what it issues."""

    def __init__(self, folder):
        self._folder = folder
        self._authority = trustme.CA()
        self.file = folder / f"ca-{id(self)}.pem"
        self._authority.cert_pem.write_to_path(self.file)

    def issue(self, name="server", identity="localhost"):
        """Write certificate and key in place of those before; return their paths."""
        issued = self._authority.issue_cert(identity, "127.0.0.1")
        chain, key = self._folder / f"{name}.crt", self._folder / f"{name}.key"
        chain.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        key.write_bytes(issued.private_key_pem.bytes())
        key.chmod(0o600)
        return str(chain), str(key)
