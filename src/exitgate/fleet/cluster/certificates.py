"""A key and a certificate for one cluster of one process, on this machine alone."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any

from exitgate.core.system import safe_files

LOOPBACK = "127.0.0.1"
#: A cluster that runs for longer has to be started again.
VALID = timedelta(days=30)


def security_in(folder: str) -> Any:
    """
    Return what Dask needs to encrypt every connection, with a new key and certificate in a folder.

    Only who has this very certificate is let in: it signs itself, and nothing else is trusted.

    Args:
        folder: Of this user alone.

    Raises:
        OSError: It cannot be written.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID
    from distributed import security

    make: Any = security.Security
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "exitgate")])
    begun = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begun - timedelta(minutes=5))
        .not_valid_after(begun + VALID)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(LOOPBACK))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    paths = [os.path.join(folder, one) for one in ("certificate.pem", "key.pem")]
    form = serialization.PrivateFormat.PKCS8
    safe_files.replace(paths[0], certificate.public_bytes(pem))
    safe_files.replace(paths[1], key.private_bytes(pem, form, serialization.NoEncryption()))
    own = {
        f"tls_{role}_{part}": path
        for role in ("client", "scheduler", "worker")
        for part, path in zip(("cert", "key"), paths, strict=True)
    }
    return make(tls_ca_file=paths[0], require_encryption=True, **own)
