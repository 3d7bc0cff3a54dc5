"""The release before this one: its work tree, its own environment, and what its code does."""

import os
import subprocess
import sys
from pathlib import Path

from packaging.version import Version

from releasing.release import Release, last_migration, releases
from tests.support.live.project import ROOT, LiveProject

PLAYERS = 12
TABLES = 3

CALL = """
from inspect import signature

def call(act, **values):
    parameters = signature(act).parameters
    if "actor" in parameters:
        return act(actor=TESTS, now=now, **values)
    from tournaments.services.operations import Operation

    _, subject, *_ = parameters
    rows = [values.pop(subject)] if parameters[subject].kind.name == "POSITIONAL_ONLY" else []
    return act(Operation(TESTS, now), *rows, **values)
"""
"""Calls a service of 0.3.0, or the operation that it became."""

FILL = """
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone
from tests.support.builders import TESTS, ladder, league, players, season, table
from tournaments.models.clubs import Membership
try:
    from tournaments.tasks import HANDLERS
except ImportError:  # 0.3.0
    from tournaments.scheduled_jobs import HANDLERS
from tournaments.services.access.tokens import make_token
from tournaments.services.clubs.clubs import create_club

call_command("migrate", verbosity=0, skip_checks=True)
call_command("createcachetable", verbosity=0)
now = timezone.now()
club = call(create_club, slug="oldtown", name="Oldtown")
dora = User.objects.create_user("dora", password="oldtown-password")
Membership.objects.create(club=club, user=dora, role="director")
event = league(club)
people = players(club, *(f"Person Number {number}" for number in range(1, 13)))
for first in (1, 2, 3):
    table(event, people[4 * first - 4 : 4 * first], table_number=first)
season(event)
ladder(club)
token = call(make_token, user=dora, club=club, scope="manage")
try:
    call_command(
        "import_sheets", "sheets.csv", club="oldtown", event="winter", create=True, variant="hearts"
    )
except SystemExit as ended:
    assert ended.code in (0, 1), ended.code  # 1: some wait for a person
print()
print(token, *HANDLERS)
"""
"""Makes the database, and in it a club with a director, a league in a season, three tables of its
first round, a ladder, and the sheets of the file `sheets.csv` in a second event. Prints the
director's token and the kinds of jobs that the release knows.
"""

MORE = """
from django.contrib.auth.models import User
from django.utils import timezone
from tests.support.builders import TESTS, hand, publish, table
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Event
from tournaments.services.access.tokens import make_token
from tournaments.services.clubs.clubs import add_player, create_club

now = timezone.now()
club = Club.objects.get(slug="oldtown")
number = Player.objects.filter(club=club).count()
added = [
    call(add_player, club=club, name=f"Later Person {n}", player_id=f"LP{n}")
    for n in range(number + 1, number + 5)
]
user = User.objects.create_user(f"user-{number}")
Membership.objects.create(club=club, user=user, role="player")
call(make_token, user=user, club=club, scope="read")
event = Event.objects.get(club=club, slug="league")
last = event.rounds.order_by("-number").first()
game = table(event, added, round_number=last.number + 1, on=now.date())
hand(game, 1, [4, 1, 2, 6], 3)
publish(event.pk, now=now)
call(create_club, slug=f"new-{number}", name="New")
"""
"""One row more of each kind that release 0.2.0 writes."""

MORE_SINCE = {
    "0.3.0": """
from datetime import timedelta
from tests.support.evenings import evening, plans
from tests.support.builders import league
try:
    from tournaments.services.boards import deal_boards
except ImportError:  # 0.4.0
    try:
        from tournaments.services.boards.deals import deal_boards
    except ImportError:  # 0.3.0
        from tournaments.services.boards.make_deals import deal_boards
from tournaments.services.clubs.invitations import invite
from tournaments.services.webhooks.manage import create_webhook

event.refresh_from_db()
meeting, people = evening(event, 4, on=now.date() + timedelta(days=number))
plans(meeting, 1)
email = f"guest-{number}@e.example"
call(invite, club=club, role="player", name=f"Guest {number}", email=email)
url = f"https://hooks.example/{number}"
kinds = ("playoff.changed",)  # which never happens: nothing is sent
call(create_webhook, club=club, url=url, kinds=kinds)
settings = {"duplicate": True, "primary": "matchpoints"}
duplicate = league(club, slug=f"duplicate-{number}", settings=settings)
call(deal_boards, event=duplicate, count=2)
""",
    "0.4.0": """
from tournaments.models.audit import RefusedAct
from tournaments.models.clubs import SimilarPlayers
from tournaments.models.notices import DismissedHint

RefusedAct.objects.create(club=club, user=user, actor=user.username, act="edit_club", hour=now)
DismissedHint.objects.create(user=user, key="second-factor")
SimilarPlayers.objects.create(club=club, player=added[0], other=added[1], likeness=90)
""",
    "0.5.0": """
from tournaments.services.attendance.fill_ins import ask_fill_in
from tournaments.services.clubs.personal_links import renew_personal_link, set_contact
from tournaments.services.events.opening_values import NewOpeningValue, add_opening_values
from tournaments.services.publishing.packing import pack_piece

mail = f"player-{number}@e.example"
call(set_contact, player=added[0], email=mail, has_consent=True)
call(renew_personal_link, player=added[0])
call(ask_fill_in, meeting=evening(event, 0, on=now.date() + timedelta(days=number + 1))[0])
before = NewOpeningValue(added[0].player_id, now.date() - timedelta(days=1), "12", 1, 1, 4)
season_before = league(club, slug=f"before-{number}")
call(add_opening_values, event=season_before, values=[before], reason="before")
pack_piece(now=now + timedelta(days=8))
""",
    "0.6.0": """
from tests.support.builders import finished
from tests.support.evening_work import work_on_evenings
from tournaments.models.clubs import PlayerAlias
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.events.adjustments import add_line
from tournaments.services.rounds.evenings import end_evening

nights = league(club, slug=f"nights-{number}")
finished(table(nights, added, on=now.date()))
late = {"kind": "penalty", "amount": "1", "reason": "late", "meeting": now.date()}
call(add_line, event=nights, entrant=added[0].player_id, **late)
call(end_evening, meeting=meeting_on(nights, now.date()))
publish(nights.pk, now=now)
work_on_evenings(nights, timezone.now())
short = {"name": f"Later {number}", "folded": f"later {number}", "made_at": now, "newest": 0}
PlayerAlias.objects.create(club=club, player=added[0], is_confirmed=True, **short)
""",
}
"""Release → code after `MORE`, for rows of the kinds that came with it."""


def older_releases() -> list[Release]:
    """The last two releases whose schema is older than today's; without one the last release.

    Right after a release its own schema is today's, and an upgrade from it would migrate nothing.
    """
    rows, today = releases(ROOT), last_migration(ROOT)
    return [row for row in rows if row.migration < today][-2:] or rows[-1:]


def unpack(release: Release, place: Path) -> None:
    """Write the work tree of a release."""
    process = subprocess.run(
        ["git", "cat-file", "-e", f"{release.commit}^{{commit}}"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert process.returncode == 0, (
        f"Release {release.version} is commit {release.commit}, which this clone does not have. "
        "A shallow clone lacks it: run `git fetch --unshallow`, then the test again."
    )
    packed = subprocess.run(
        ["git", "archive", release.commit],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    # Debian 12's Python does not know tarfile's filters.
    subprocess.run(["tar", "-x", "-C", str(place)], input=packed.stdout, check=True)  # noqa: S607


def install(tree: Path) -> str:
    """Install the lock file of a work tree in an environment of its own; the Python of that.

    Where the lock file is today's, today's environment is the same.
    """
    lock = "requirements.txt"
    if (tree / lock).read_bytes() == (ROOT / lock).read_bytes():
        return sys.executable
    made = tree / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    here = Path(sys.executable).with_name("uv")
    if here.exists():  # else the release's own script gets one
        (made / "bin" / "uv").symlink_to(here)
    done = subprocess.run(
        [tree / ".ci" / "setup", "runtime", ".venv/.runtime"],
        cwd=tree,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return str(made / "bin" / "python")


def more_rows(release: Release) -> str:
    older = Version(release.version)
    return MORE + "".join(code for since, code in MORE_SINCE.items() if Version(since) <= older)


def run_code(project: LiveProject, code: str) -> list[str]:
    """Run Python in an installation, with its own release's models; the words of its last line."""
    done = project.manage("shell", "--verbosity", "0", "--command", CALL + code)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    return lines[-1].split() if lines else []
