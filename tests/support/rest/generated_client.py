"""A typed Python client, generated from the OpenAPI document by openapi-python-client.

Where it is generated it is a package of its own, made once for all processes of a run.
"""

import fcntl
import hashlib
import importlib
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from api.schema_views import document

PACKAGE: Final = "blacklady_client"
CONFIG: Final = Path("api") / "openapi-python-client.yaml"


@dataclass(frozen=True, slots=True)
class GeneratedClient:
    """The package, and what its generator printed."""

    folder: Path
    printed: str

    @property
    def operations(self) -> set[str]:
        api = self.folder / PACKAGE / "api"
        return {one.stem for one in api.glob("*/*.py") if one.stem != "__init__"}

    def module(self, name: str = "") -> ModuleType:
        if str(self.folder) not in sys.path:
            sys.path.insert(0, str(self.folder))
        return importlib.import_module(f"{PACKAGE}.{name}" if name else PACKAGE)

    def modules(self) -> Iterator[ModuleType]:
        whole = self.module()
        for package in pkgutil.walk_packages(whole.__path__, f"{PACKAGE}."):
            yield importlib.import_module(package.name)

    def operation(self, name: str) -> Any:
        """Return the module of an operation, with `sync` and `sync_detailed`."""
        (found,) = (self.folder / PACKAGE / "api").glob(f"*/{name}.py")
        return self.module(f"api.{found.parent.name}.{name}")

    def model(self, name: str) -> Any:
        return getattr(self.module("models"), name)


def folder_of(factory: pytest.TempPathFactory) -> Path:
    own = factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "generated"


def generate(folder: Path, root: Path) -> GeneratedClient:
    """Generate the client into a folder, unless one of the same document is there."""
    text = json.dumps(document(), default=str)
    home = folder / hashlib.sha256(text.encode() + (root / CONFIG).read_bytes()).hexdigest()[:16]
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = home / "printed.txt"
        if not done.exists():
            (home / "openapi.json").write_text(text, encoding="utf-8")
            done.write_text(_generated(home, root), encoding="utf-8")
    return GeneratedClient(home, done.read_text(encoding="utf-8"))


def _generated(home: Path, root: Path) -> str:
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"),
            *("--path", str(home / "openapi.json"), "--config", str(root / CONFIG)),
            *("--output-path", str(home / PACKAGE), "--overwrite", "--fail-on-warning"),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return f"{ran.returncode}\n{ran.stdout}{ran.stderr}"
