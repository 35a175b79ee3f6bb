"""Wheels of a test, and an index over https with a certificate of its own."""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import ssl
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pinned import PRESET, STRICT

FILES = {
    "acme_policies/strict.yaml": STRICT,
    "acme_policies/preset.yaml": PRESET,
    "acme_policies/__init__.py": "raise SystemExit('imported')\n",
    "acme_policies-1.dist-info/licenses/LICENSE": "do as you like\n",
    "acme_policies-1.dist-info/METADATA": "Name: acme-policies\n",
}


def wheel(files: Mapping[str, str] = FILES) -> bytes:
    """Return a wheel, the same bytes for the same files."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return raw.getvalue()


def version(text: str, goal: int = 90) -> tuple[str, bytes]:
    """Return name and content of a wheel of a version, with another threshold."""
    files = {**FILES, "acme_policies/strict.yaml": STRICT.replace("90", str(goal))}
    return f"acme_policies-{text}-py3-none-any.whl", wheel(files)


class Pages:
    """What an index answers: path -> status, headers and content; and what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.url = ""

    def put(self, wheels: Mapping[str, bytes], name: str = "acme-policies", **more: object) -> None:
        """List wheels of a package, each with further members."""
        files = []
        for file, content in wheels.items():
            self.answers[f"/files/{file}"] = (200, {}, content)
            digest = hashlib.sha256(content).hexdigest()
            files.append(
                {"filename": file, "url": f"../../files/{file}", "hashes": {"sha256": digest}, **more}
            )
        self.listing({"meta": {"api-version": "1.1"}, "name": name, "files": files}, name)

    def listing(self, plain: object, name: str = "acme-policies") -> None:
        """Answer with JSON where the files of a package are listed."""
        self.answers[f"/simple/{name}/"] = (
            200,
            {"Content-Type": "application/json"},
            json.dumps(plain).encode(),
        )


@contextmanager
def served(folder: Path) -> Iterator[Pages]:
    """Serve pages over https on loopback; `folder` gets `ca.pem`, which a client has to trust."""
    pages = Pages()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages.asked.append((self.path, self.headers.get("Authorization")))
            status, headers, content = pages.answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(content)
            except OSError:
                return  # who asked has read enough

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(folder))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    pages.url = f"https://localhost:{server.server_address[1]}/simple/"
    try:
        yield pages
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def certificate(folder: Path) -> Path:
    """Write a certificate for this machine that signs itself, as `ca.pem`, with its key; return its path."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    began = datetime.datetime(2020, 1, 1)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(began)
        .not_valid_after(began + datetime.timedelta(days=36500))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    text = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    path = folder / "ca.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + text)
    return path
