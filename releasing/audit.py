"""`make audit`: look up the pinned packages among known weaknesses, and say what was not reached.

Exit status 1: a package has a known weakness, or was not looked up.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PROGRAM: Final = ("pip-audit", "--disable-pip", "--progress-spinner=off", "--format=json")


def main() -> int:
    results = [audit(file) for file in sorted(ROOT.glob("requirements*.txt"))]
    images = {*_images("docker-compose.yml", "image:"), *_images("Dockerfile", "FROM")}
    print(f"Not looked at: {', '.join(sorted(images))}, with the packages of Debian in them.")
    return 0 if all(results) else 1


def audit(file: Path) -> bool:
    """Print what is known of the packages of a lock file; whether all were reached and are well."""
    program = Path(sys.executable).with_name(PROGRAM[0])
    words = [str(program), *PROGRAM[1:], "--requirement", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    pinned = len(re.findall(r"^[\w.-]+(?:\[[^]]*\])?==", file.read_text(encoding="utf-8"), re.M))
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        last = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        print(f"{file.name}: none of {pinned} packages looked up: {last}")
        return False
    return report(file.name, pinned, packages)


def report(name: str, pinned: int, packages: Sequence[Mapping[str, object]]) -> bool:
    weaknesses = {str(package["name"]): package.get("vulns") for package in packages}
    reached = [package for package, faults in weaknesses.items() if faults is not None]
    weak = [package for package in reached if weaknesses[package]]
    print(f"{name}: {len(reached)} of {pinned} packages looked up, {len(weak)} with a weakness.")
    for package in weak:
        print(f"  {package}: {json.dumps(weaknesses[package])}")
    if missing := sorted(set(weaknesses) - set(reached)):
        names = ", ".join(missing) if reached else "all of them"
        print(f"  Not reached, the index does not answer for them: {names}")
    return not weak and len(reached) == pinned


def _images(file: str, word: str) -> list[str]:
    text = (ROOT / file).read_text(encoding="utf-8")
    return re.findall(rf"^\s*{word} (\S+)", text, re.M)


if __name__ == "__main__":
    sys.exit(main())
