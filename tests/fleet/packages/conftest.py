"""An index over https for a module, and a store and a project for each test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "cli")]

from pinned import own_store  # noqa: E402
from wheels import Pages, served  # noqa: E402


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Pages, Path]]:
    folder = tmp_path_factory.mktemp("index")
    with served(folder) as pages:
        yield pages, folder / "ca.pem"


@pytest.fixture
def pages(server: tuple[Pages, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pages:
    """Return the index with nothing in it, which the user's variables name and trust."""
    found, authority = server
    found.answers.clear()
    found.asked.clear()
    own_store(tmp_path, monkeypatch)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    monkeypatch.setenv("EXITGATE_INDEX_URL", found.url)
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "localhost")
    return found
