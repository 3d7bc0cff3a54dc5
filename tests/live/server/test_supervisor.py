"""The supervisor with small children of its own: back-off, crash loop, drain."""

from pathlib import Path

import pytest

from tests.support.live.project import PATIENCE_S, LiveProject
from tournaments.management.supervisor import LONGEST_WAIT_S, WITHIN_S, Child

pytestmark = pytest.mark.worker

SUPERVISE = """
import signal
import sys
from pathlib import Path
import django
django.setup()
from tournaments.management.supervisor import Child, CrashLoop, Supervisor
def steady():
    def end(*_):
        Path(sys.argv[1]).write_text("drained")
        sys.exit()
    signal.signal(signal.SIGTERM, end)
    while True:
        signal.pause()
try:
    with Supervisor() as supervisor:
        supervisor.keep(Child("steady", steady))
        supervisor.keep(Child("crashing", lambda: sys.exit(3), longest_wait_s=0.1))
        supervisor.run()
except CrashLoop as loop:
    print(loop)
    raise SystemExit(1)
"""


def test_crash_loop_of_a_child_ends_the_supervisor(project: LiveProject, tmp_path: Path) -> None:
    project.environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
    script = tmp_path / "supervise.py"
    script.write_text(SUPERVISE, encoding="utf-8")
    drained = tmp_path / "drained"
    project.environment["PYTHONPATH"] = "."
    assert project.start(str(script), str(drained)).wait(timeout=PATIENCE_S) == 1
    assert "The crashing process ended 10 times within 60 s; giving up." in project.log
    assert project.log.count('"child": "crashing", "status": 3') == 10
    assert drained.read_text(encoding="utf-8") == "drained"


def test_restarts_wait_longer_each_time_up_to_a_limit() -> None:
    child = Child("any", print)
    waits = []
    for moment in range(8):
        child.note_crash(float(moment))
        waits.append(round(child.start_at - moment, 3))
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.6, LONGEST_WAIT_S, LONGEST_WAIT_S, LONGEST_WAIT_S]


def test_crashes_of_more_than_a_minute_ago_are_forgotten() -> None:
    child = Child("any", print)
    for moment in range(9):
        child.note_crash(float(moment))
    assert child.note_crash(WITHIN_S + 8) == 1
