"""A server as deploy/ describes it: the wheel in /opt/blacklady, nothing writable but the state.

Its processes live in a mount namespace of their own, where the paths are the real ones:
/opt/blacklady, /etc/blacklady, /var/lib/blacklady. The machine of the test is not changed.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.support.live.project import PATIENCE_S, ROOT, LiveProject

ACCOUNT: Final = 10001
"""The number of the account `blacklady`, as in the Dockerfile."""
WRITABLE: Final = (
    "/srv/blacklady/static",
    "/tmp",  # noqa: S108  # inside the namespace only
    "/var/backups/blacklady",
    "/var/lib/blacklady",
)
READABLE: Final = ("/run/secrets",)
"""The test writes there, and the account does not."""
_COVERED: Final = ("/opt", "/run", "/srv", "/tmp", "/var/backups", "/var/lib")  # noqa: S108
_ENTER: Final = 'cd /var/lib/blacklady && exec "$@"'


def install_wheel(place: Path) -> Path:
    _run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", str(place / "dist"))
    environment = place / "environment"
    _run(sys.executable, "-m", "venv", "--without-pip", str(environment))
    wheel = next((place / "dist").glob("*.whl"))
    packages = next(environment.glob("lib/python3*/site-packages"))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    python = ("--python", str(environment / "bin" / "python"))
    _run(sys.executable, "-m", "pip", *python, "install", "--no-deps", "--no-index", str(wheel))
    for script in (environment / "bin").iterdir():
        # Its first line names the environment, which is at another place on the server.
        if script.is_file() and not script.is_symlink():
            script.write_bytes(script.read_bytes().replace(bytes(environment), b"/opt/blacklady"))
    return environment


def _run(*words: str) -> None:
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)


class Server:
    """Processes of a server; `project` is how a test looks at it from outside."""

    def __init__(self, holder: int, project: LiveProject) -> None:
        self.project = project
        self.files = Path(f"/proc/{holder}/root")
        self._namespace = ("nsenter", "--target", str(holder), "--mount")

    def path(self, path: str) -> Path:
        return self.files / path.lstrip("/")

    def write(self, path: str, text: str) -> None:
        """Write a file of the server as its administrator; the account may read it."""
        self.path(path).parent.mkdir(parents=True, exist_ok=True)
        self.path(path).write_text(text, encoding="utf-8")

    def collect_static(self, environment: Mapping[str, str]) -> None:
        """Collect the static files, without those of the API's documentation, which are large."""
        words = ("collectstatic", "--noinput", "--verbosity", "0", "--ignore", "drf_spectacular*")
        done = self.run("blacklady", *words, environment=environment)
        assert done.returncode == 0, done.stderr

    def files_outside_the_state(self) -> list[str]:
        words = ("find", "/", "-xdev", "-user", str(ACCOUNT), "-type", "f")
        return self.run(*words, environment={}, as_root=True).stdout.splitlines()

    def _words(self, command: Iterable[str], *, as_root: bool) -> list[str]:
        drop = (
            "setpriv", f"--reuid={ACCOUNT}", f"--regid={ACCOUNT}", "--clear-groups",
            "--no-new-privs", "--bounding-set=-all",
        )  # fmt: skip
        account = () if as_root else drop
        return [*self._namespace, "sh", "-c", _ENTER, "sh", *account, *command]

    def run(
        self, *command: str, environment: Mapping[str, str], as_root: bool = False
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._words(command, as_root=as_root),
            env=_base() | dict(environment),
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE_S,
            check=False,
        )

    def start(
        self, *command: str, environment: Mapping[str, str], as_root: bool = False
    ) -> subprocess.Popen[bytes]:
        """Start a command; it ends with the project."""
        with (self.project.place / "live.log").open("ab") as log:
            process = subprocess.Popen(
                self._words(command, as_root=as_root),
                env=_base() | dict(environment),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.project.processes.append(process)
        return process


def _base() -> dict[str, str]:
    return {"PATH": f"/opt/blacklady/bin:{os.environ['PATH']}", "HOME": "/var/lib/blacklady"}


@contextmanager
def read_only_server(place: Path, environment: Path, project: LiveProject) -> Iterator[Server]:
    """Make a server with the wheel of an environment; skip the test where nothing can be mounted.

    Args:
        place: an empty directory for the writable ones.
        environment: what `install_wheel` has made.
        project: the processes and the log; its database is looked at through it.
    """
    script = place / "mount.sh"
    script.write_text(_mounts(place, environment), encoding="utf-8")
    unshared = ("unshare", "--mount", "--propagation", "private")
    with subprocess.Popen(
        (*unshared, "sh", "-e", str(script)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        if holder.stdout.readline() != b"mounted\n":
            _, said = holder.communicate()
            pytest.skip(f"no read-only tree can be mounted here: {said.decode().strip()}")
        yield Server(holder.pid, project)
        project.end()
        holder.communicate()


def _mounts(place: Path, environment: Path) -> str:
    binds = [(environment, Path("/opt/blacklady"))]
    for directory in (*WRITABLE, *READABLE):
        source = place / directory.strip("/").replace("/", "-")
        source.mkdir()
        if directory in WRITABLE:
            os.chown(source, ACCOUNT, ACCOUNT)
            source.chmod(0o1777 if directory == "/tmp" else 0o755)  # noqa: S108
        binds.append((source, Path(directory)))
    used = {Path(sys.base_prefix).resolve(), Path(sysconfig.get_path("purelib")).resolve()}
    used = {path for path in used if _closed_above(path) or _is_covered(path)}
    binds += [(path, path) for path in sorted(used)]
    covered = [*map(Path, _COVERED), *(path for path in map(_closed_above, used) if path)]
    tops = sorted({path for path in covered if not any(up in covered for up in path.parents)})
    copied = shutil.which("cp") or "cp"
    lines = [
        "mount -t tmpfs -o mode=755 tmpfs /mnt",
        f"mkdir /mnt/etc; {copied} -a /etc/. /mnt/etc",
    ]
    lines += [f"echo blacklady:x:{ACCOUNT}:{ACCOUNT}::/var/lib/blacklady:/bin/sh >>/mnt/etc/passwd"]
    lines += [f"echo blacklady:x:{ACCOUNT}: >>/mnt/etc/group", "mkdir -p /mnt/etc/blacklady"]
    for number, (source, _) in enumerate(binds):
        lines += [f"mkdir /mnt/{number}", f"mount --bind {shlex.quote(str(source))} /mnt/{number}"]
    lines += ["mount --bind /mnt/etc /etc"]
    for top in tops:
        quoted = shlex.quote(str(top))
        lines += [f"mount -t tmpfs -o mode=755 tmpfs {quoted}"]
    for number, (_, target) in enumerate(binds):
        quoted = shlex.quote(str(target))
        lines += [f"mkdir -p {quoted}", f"mount --bind /mnt/{number} {quoted}"]
        if str(target) not in (*WRITABLE, *READABLE):
            lines += [f"mount -o remount,bind,ro {quoted}"]
    lines += [f"mount -o remount,ro {shlex.quote(str(top))}" for top in tops if top != Path("/tmp")]  # noqa: S108
    lines += ["mount -o remount,bind,ro /", "echo mounted", "exec cat"]
    return "\n".join(lines) + "\n"


def _closed_above(path: Path) -> Path | None:
    closed = [up for up in path.parents if not up.stat().st_mode & 0o001]
    return closed[-1] if closed else None


def _is_covered(path: Path) -> bool:
    return any(path.is_relative_to(top) for top in _COVERED)
