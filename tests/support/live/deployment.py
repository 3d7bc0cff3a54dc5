"""What deploy/ and docker-compose.yml say, read as systemd and compose read it."""

import re
import shlex
import subprocess
from collections.abc import Mapping
from configparser import ConfigParser
from pathlib import Path
from typing import Any, Final

import yaml

from tests.support.live.project import ROOT
from tests.support.live.read_only import Server

DEPLOY = ROOT / "deploy"
UNITS = DEPLOY / "systemd"


def variables(file: Path) -> dict[str, str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    words = [shlex.split(line) for line in lines if line and not line.startswith("#")]
    return dict(word.partition("=")[::2] for line in words for word in line)


def unit(name: str) -> dict[str, dict[str, str]]:
    """The sections of a unit file; of a key that is repeated, the last value."""
    parser = ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # keys keep their case
    parser.read(UNITS / name, encoding="utf-8")
    return {section: dict(parser[section]) for section in parser.sections()}


def exec_start(name: str) -> list[str]:
    return shlex.split(unit(name)["Service"]["ExecStart"])


def compose_service(name: str) -> dict[str, Any]:
    """A service of docker-compose.yml under the values of .env.example; its variables are text."""
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    service: dict[str, Any] = yaml.safe_load(filled(text, variables(ROOT / ".env.example")))
    found: dict[str, Any] = service["services"][name]
    variables_of = {key: str(value) for key, value in found["environment"].items()}
    return found | {"environment": variables_of}


def filled(text: str, values: Mapping[str, str]) -> str:
    """Replace `${NAME}`, `${NAME:-default}`, `${NAME:?message}` and `$$` as compose does."""

    def replace(found: re.Match[str]) -> str:
        if found.group() == "$$":
            return "$"
        return values.get(found["name"], "") or found["default"] or ""

    return re.sub(r"\$\$|\$\{(?P<name>\w+)(?::-(?P<default>[^}]*)|:\?[^}]*)?\}", replace, text)


def image_variables() -> dict[str, str]:
    """The variables of the image's last stage, but those of the search path and of large files."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    stage = text[text.rindex("\nFROM") :].replace("\\\n", " ")
    words = re.findall(r"^ENV (.+)$", stage, re.M)
    found = dict(word.partition("=")[::2] for line in words for word in line.split())
    return {name: value for name, value in found.items() if name not in {"PATH", "TMPDIR"}}


NOT_HERE: Final = (
    "apt-get ", "useradd ", "su - postgres ", "echo \"ALTER ROLE ", "SERVICE_ROLE=", "systemctl ",
    "install -m 0755 $DEPLOY/blacklady ",
)  # fmt: skip
"""Lines of the page that would change this machine, which has what they make."""


def documented_lines(heading: str) -> list[str]:
    """The commands of the first block of a section of docs/operations.md."""
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    section = page[page.index(f"## {heading}\n") :]
    return section.partition("```sh\n")[2].partition("```")[0].splitlines()


class Machine:
    """A server that is set up by the commands of docs/operations.md, and runs deploy's units."""

    def __init__(self, server: Server, database_url: str, redis_url: str) -> None:
        self.server = server
        site = next(server.path("/opt/blacklady/lib").glob("python3*/site-packages"))
        files = site.relative_to(server.files) / "config" / "files" / "deploy"
        self._command = ("sh", f"/{files}/blacklady")
        ours = {
            "DATABASE_URL": database_url,
            "BROKER_URL": redis_url,
            "CACHE_URL": redis_url,
            "PORT": str(server.project.port),
        }
        lines = [f'blacklady() {{ {shlex.join(self._command)} "$@"; }}', "mkdir -p /etc/caddy"]
        for line in documented_lines("Install on a server"):
            if line.startswith("SITE_HOST="):
                lines.append("SITE_HOST=blacklady.example")
            elif line.startswith("blacklady collectstatic "):
                lines.append(f"{line} --verbosity 0 --ignore 'drf_spectacular*'")
            elif not line.startswith(NOT_HERE):
                lines.append(line)
            if line.endswith("> /etc/blacklady/blacklady.env"):
                own = (f"{name}={shlex.quote(value)}" for name, value in ours.items())
                lines += [f"echo {shlex.quote(one)} >> /etc/blacklady/blacklady.env" for one in own]
            elif line.endswith("> /etc/blacklady/owner.env"):
                ours_too = shlex.quote(f"DATABASE_DIRECT_URL={shlex.quote(database_url)}")
                lines.append(f"echo {ours_too} > /etc/blacklady/owner.env")
        done = server.run("sh", "-ec", "\n".join(lines), environment={}, as_root=True)
        assert done.returncode == 0, done.stderr
        self.environment = variables(server.path("/etc/blacklady/blacklady.env"))

    def blacklady(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.server.run(*self._command, *words, environment={}, as_root=True)

    def start(self, name: str) -> subprocess.Popen[bytes]:
        return self.server.start(*exec_start(f"{name}.service"), environment=self.environment)
