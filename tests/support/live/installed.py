"""The wheel in an environment of its own, and a project that runs from it.

What the wheel needs comes from this environment, which was installed from the lock file: exactly
the packages that requirements.txt pins are linked, so that nothing is downloaded and a package that
the wheel needs without saying so is missing.
"""

import os
import subprocess
import sys
import sysconfig
import urllib.request
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement

from tests.support.live.project import PATIENCE_S, ROOT, LiveProject


def build_wheel(target: Path) -> Path:
    """Build the wheel of this tree as `make dist` does; its file in `target`."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    _run([*command, "--directory", str(target)])
    (wheel,) = target.glob("*.whl")
    return wheel


class Answer(NamedTuple):
    """What a page or file is: its type and its bytes."""

    kind: str
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()


class Environment:
    """An empty virtual environment with the wheel and the locked packages."""

    def __init__(self, place: Path, wheel: Path) -> None:
        self.bin = place / "bin"
        self.site = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
        _run([sys.executable, "-m", "venv", "--without-pip", str(place)])
        options = ("--no-index", "--no-deps", "--disable-pip-version-check", "--quiet")
        pip = [sys.executable, "-m", "pip", "--python", str(self.bin / "python")]
        _run([*pip, "install", *options, str(wheel)])
        for entry in _locked_entries():
            if not (self.site / entry.name).exists():
                (self.site / entry.name).symlink_to(entry)

    def files(self) -> dict[str, tuple[int, int]]:
        """Every installed file of the wheel: its size and the time of its last change, in ns.

        Linked packages are left out, and the bytecode of linked modules.
        """
        return {
            str(path.relative_to(self.site)): (path.stat().st_size, path.stat().st_mtime_ns)
            for top in self.site.iterdir()
            if not top.is_symlink() and top.name != "__pycache__"
            for path in (top, *top.rglob("*"))
            if not path.is_dir()
        }


class InstalledProject(LiveProject):
    """An installation from the wheel; it works in an empty directory and has only HOME and PORT."""

    def __init__(self, place: Path, environment: Environment) -> None:
        super().__init__(place, {})
        self.installed = environment
        self.home = place / "home"
        self.elsewhere = self.root = place / "elsewhere"
        for directory in (self.home, self.elsewhere):
            directory.mkdir()
        self.environment = {"HOME": str(self.home), "PATH": os.defpath, "PORT": str(self.port)}

    def get(self, path: str) -> Answer:
        """GET a page or file of the running service; fails unless it answers 200."""
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE_S) as found:  # noqa: S310  # our own URL
            return Answer(str(found.headers["Content-Type"]), found.read())

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "blacklady"

    def words(self, *command: str) -> list[str]:
        """The whole of `blacklady COMMAND`."""
        program = str(self.installed.bin / "blacklady")
        return [program, *(word for word in command if word != "manage.py")]


def _locked_entries() -> Iterator[Path]:
    """Yield what the packages of requirements.txt have in site-packages."""
    for requirement in _locked():
        found = metadata.distribution(requirement.name)
        assert found.version in requirement.specifier, f"{requirement}: give `make setup` again"
        tops = {path.parts[0] for path in found.files or ()} - {"..", "__pycache__"}
        for top in sorted(tops):
            yield Path(str(found.locate_file(top)))


def _locked() -> Iterator[Requirement]:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        requirement = Requirement(line.partition(" --hash")[0])
        if requirement.marker is None or requirement.marker.evaluate():
            yield requirement


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
