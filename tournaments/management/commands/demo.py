"""`manage.py demo`: from a season's paper sheets to published standings, on this machine."""

import csv
import logging
import os
import secrets
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from django.utils import timezone

from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Missing
from tournaments.management import service
from tournaments.management.commands.standings import standings_table
from tournaments.management.service import AlreadyServed, only_one_serve
from tournaments.management.supervisor import Child, CrashLoop, Supervisor
from tournaments.models.access import PersonalLink
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.imports import Holds
from tournaments.models.standings import Publication
from tournaments.policy import Actor, command
from tournaments.selectors.access.personal_links import personal_path
from tournaments.selectors.clubs.demo_club import DEMO_CLUB, DEMO_SIGN_IN
from tournaments.selectors.demo import is_result_due, newest_evenings
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.meetings import club_day, next_meeting
from tournaments.selectors.jobs.queue import get_progress_of_all
from tournaments.selectors.ladders.ladder_page import ladder_publications
from tournaments.selectors.standings.publications import stored_publication
from tournaments.services.demo import (
    close_demo_event,
    fill_demo_division,
    fill_in_demo_evening,
    make_demo_links,
    plan_demo_evening,
    plan_demo_series,
    set_up_demo_challenges,
    set_up_demo_club,
    set_up_demo_event,
    set_up_demo_house_rules,
    set_up_demo_season,
    set_up_sign_in,
)
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.player_lists import import_players
from tournaments.services.imports.targets import find_target
from tournaments.services.operations import Operation


def stored_password(file: Path) -> str:
    """Return the password in `file`; create the file with a random one if it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_urlsafe(12), encoding="ascii")
    try:
        os.link(draft, file)
    except FileExistsError:
        pass  # made by an earlier run
    finally:
        draft.unlink()
    return file.read_text(encoding="ascii").strip()


def create_demo_league(actor: Actor, club: Club, folder: Path) -> Event:
    """Create the league of `folder` if it is missing, with a future evening; it has no sheets
    yet."""
    plan = tomllib.loads((folder / "events.toml").read_text(encoding="utf-8"))["league"]
    now = timezone.now()
    event = set_up_demo_event(actor=actor, club=club, now=now, **plan)
    plan_demo_evening(actor=actor, event=event, today=club_day(club, now), now=now)
    return event


def create_demo_events(actor: Actor, club: Club, folder: Path) -> Iterator[tuple[Event, str]]:
    """Create and fill the events of `folder`; yield each with a line that describes it."""
    listed = tomllib.loads((folder / "events.toml").read_text(encoding="utf-8"))
    set_up_demo_house_rules(actor=actor, club=club, plan=listed["house_rules"], now=timezone.now())
    for plan in listed["events"]:
        made_at = timezone.now() - timedelta(days=plan.get("days_ago", 0))
        event = set_up_demo_event(
            actor=actor,
            club=club,
            slug=plan["slug"],
            name=plan["name"],
            kind=plan["kind"],
            variant=plan["variant"],
            settings=plan["settings"],
            now=made_at,
        )
        if event.is_over:
            yield event, f"{event.name}: {event.state} already."
            continue
        try:
            yield event, _fill(actor, club, event, folder, plan)
        except Conflict as closed:
            yield event, f"{event.name}: nothing imported: {sentence(closed.problem)}"


def _fill(actor: Actor, club: Club, event: Event, folder: Path, plan: Mapping[str, Any]) -> str:
    path = folder / plan["players"]
    op = Operation(actor, timezone.now())
    listed = import_players(op, club, event, path=path, name=path.name, dry_run=False)
    words = [f"{event.name}: {listed.rows} entrants"]
    for sheets in plan.get("sheets", ()):
        path = folder / sheets["file"]
        request = ImportRequest(
            path, path.name, variant=sheets.get("variant", ""), day=sheets.get("date")
        )
        target = find_target(actor=actor, club=club.slug, event=event.slug)
        report = import_file(op, target, request)
        words.append(f"{report.hands} hands, {report.added} of them new")
    if "results" in plan:
        path = folder / plan["results"]
        target = find_target(actor=actor, club=club.slug, event=event.slug)
        request = ImportRequest(path, path.name)
        report = import_file(op, target, request, Holds.TOTALS)
        words.append(f"{report.hands} results, {report.added} of them new")
    if plan.get("closes"):
        close_demo_event(actor=actor, event=event, now=timezone.now())
        words.append("closed")
    if "challenges" in plan:
        new = set_up_demo_challenges(
            actor=actor, event=event, plans=plan["challenges"], now=timezone.now()
        )
        words.append(f"{len(plan['challenges'])} challenges, {new} of them new")
    return "; ".join(words) + "."


def create_demo_season(
    actor: Actor, club: Club, folder: Path
) -> Iterator[tuple[Event | None, str]]:
    """Create the season of `folder` and play its evenings; yield each division with a line.

    A division that the players of the club cannot play any more is None.
    """
    plan = tomllib.loads((folder / "events.toml").read_text(encoding="utf-8"))["season"]
    now = timezone.now()
    today = club_day(club, now)
    season = set_up_demo_season(actor=actor, club=club, plan=plan, today=today, now=now)
    for division in plan["divisions"]:
        event = set_up_demo_event(
            actor=actor,
            club=club,
            slug=division["slug"],
            name=division["name"],
            kind="league",
            variant=division["variant"],
            settings=division["settings"],
            now=now - timedelta(days=plan["starts_days_ago"]),
        )
        try:
            n_hands = fill_demo_division(
                actor=actor, season=season, event=event, plan=division, now=now
            )
        except Conflict as refused:
            yield None, f"{event.name}: nothing played: {sentence(refused.problem)}"
            continue
        yield event, f"{event.name} of {season.name}: {n_hands} new hands."


def ask_demo_fill_in(actor: Actor, event: Event, folder: Path) -> None:
    """Ask for a fill-in at the next evening of the league, unless one was asked before."""
    plan = tomllib.loads((folder / "events.toml").read_text(encoding="utf-8"))["fill_in"]
    now = timezone.now()
    meeting = next_meeting(event, club_day(event.club, now))
    if meeting is None:
        return
    meeting.event = event
    # Its people may have been merged, or have answered otherwise, since the club was made.
    with suppress(Conflict, Missing):
        fill_in_demo_evening(actor=actor, meeting=meeting, plan=plan, now=now)


def plan_demo_evenings(actor: Actor, club: Club, folder: Path) -> None:
    """Plan the further evenings of a division of the season, unless there are some."""
    plan = tomllib.loads((folder / "events.toml").read_text(encoding="utf-8"))["series"]
    event = Event.objects.filter(club=club, slug=plan["division"]).select_related("club").first()
    if event is None:
        return
    now = timezone.now()
    with suppress(Conflict, Missing, Player.DoesNotExist):
        plan_demo_series(actor=actor, event=event, plan=plan, today=club_day(club, now), now=now)


def create_demo_links(actor: Actor, club: Club, folder: Path) -> Sequence[PersonalLink]:
    plan = tomllib.loads((folder / "events.toml").read_text(encoding="utf-8"))["personal_links"]
    return make_demo_links(actor=actor, club=club, plan=plan, now=timezone.now())


def _is_behind(event: Event) -> bool:
    """Whether the standings of an event, or the result of one of its evenings, are to come."""
    if get_progress_of_all(event.pk).is_behind:
        return True
    return not event.is_ladder and is_result_due(event, timezone.now())


EVENT: Final = "league"
DIVISION: Final = "first-division"
ACTOR: Final = command("demo")
HOST: Final = "127.0.0.1"
SHEETS: Final[Path] = settings.BASE_DIR / "tournaments" / "demo"
PASSWORD: Final[Path] = settings.VAR_DIR / "demo-password"
LOG: Final[Path] = settings.VAR_DIR / "demo.log"
TOP: Final = 10
FEW: Final = 3
MORE: Final = "further events"
LADDER: Final = ("place", "player_id", "player", "story", "rating")
"""Printed columns of a ladder."""
PATIENCE_S: Final = 60.0


class Command(BaseCommand):
    """Set up, import, score, publish, print; then serve unless DEMO_SERVE is off."""

    help = "Import, publish and serve the demo club; DEMO_SERVE=0 stops after printing."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        logging.getLogger().setLevel(logging.WARNING)  # the lines below tell the story
        self.seconds: dict[str, float] = {}
        try:
            with ExitStack() as stack:
                self._run(stack, is_ours=self._take_database(stack))
        except service.CannotServe as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        except CrashLoop as fault:
            raise CommandError(f"{fault} See {LOG}.", returncode=1) from fault

    def _take_database(self, stack: ExitStack) -> bool:
        """Take the lock of `serve`; False if another one has it, whose worker then publishes."""
        try:
            self.lock = stack.enter_context(only_one_serve(service.address(HOST, settings.PORT)))
        except AlreadyServed as other:
            self._say(f"{other} Its worker publishes; nothing else is started here.")
            return False
        if settings.DEMO_SERVE:
            self.listening = stack.enter_context(service.listen(HOST, settings.PORT))
        return True

    def _worker(self) -> Child:
        listening = [self.listening.fileno()] if settings.DEMO_SERVE else []
        return service.worker(closes=[self.lock, *listening])

    def _run(self, stack: ExitStack, *, is_ours: bool) -> None:
        with self._step("set up"):
            service.prepare()
            club = self._club()
        password = self._sign_in(club)
        with self._step("import, check and score"):
            create_demo_league(ACTOR, club, SHEETS)
            event = self._import()
        with self._step(MORE):
            more = []
            for demo_event, line in create_demo_events(ACTOR, club, SHEETS):
                self._say(line)
                more.append(demo_event)
            for division, line in create_demo_season(ACTOR, club, SHEETS):
                self._say(line)
                if division is not None:
                    more.append(division)
            ask_demo_fill_in(ACTOR, event, SHEETS)
            self.links = create_demo_links(ACTOR, club, SHEETS)
            plan_demo_evenings(ACTOR, club, SHEETS)
        log = stack.enter_context(LOG.open("ab"))
        supervisor = stack.enter_context(Supervisor(output=log))
        with self._step("rank and publish"):
            if is_ours and any(_is_behind(demo_event) for demo_event in (event, *more)):
                supervisor.keep(self._worker())
            publication = self._published(event, supervisor)
            self.others = [
                (demo_event, self._published(demo_event, supervisor)) for demo_event in more
            ]
        self._print(publication, password, is_ours=is_ours)
        if is_ours and settings.DEMO_SERVE and not supervisor.is_ending:
            self._serve(supervisor)

    def _club(self) -> Club:
        with (SHEETS / "players.csv").open(encoding="utf-8", newline="") as file:
            people = list(csv.DictReader(file))
        club, new = set_up_demo_club(actor=ACTOR, slug=DEMO_CLUB, people=people, now=timezone.now())
        self._say(f"Club {club.name}: {len(people)} players, {new} of them new.")
        return club

    def _sign_in(self, club: Club) -> str:
        password = stored_password(PASSWORD)
        opens = set_up_sign_in(
            actor=ACTOR, club=club, username=DEMO_SIGN_IN, password=password, now=timezone.now()
        )
        return password if opens else "the password it was given since"

    def _import(self) -> Event:
        sheets = SHEETS / "sheets.csv"
        try:
            target = find_target(actor=ACTOR, club=DEMO_CLUB, event=EVENT, create=True)
            op = Operation(ACTOR, timezone.now())
            report = import_file(op, target, ImportRequest(sheets, sheets.name))
        except Conflict as closed:
            self._say(f"Nothing imported: {sentence(closed.problem)}")
        else:
            self._say(f"{sheets.name}: {report.hands} hands, {report.added} of them new.")
        return get_event(ACTOR, DEMO_CLUB, EVENT)

    def _published(self, event: Event, supervisor: Supervisor) -> Publication:
        deadline = time.monotonic() + PATIENCE_S
        while _is_behind(event):
            progress = get_progress_of_all(event.pk)
            if progress.fault:
                raise CommandError(f"Publishing gave up: {progress.fault}. See {LOG}.")
            if supervisor.is_ending or time.monotonic() > deadline:
                raise CommandError(f"Not published: no worker did it in time. See {LOG}.")
            supervisor.look()
        newest = ladder_publications(event).first() if event.is_ladder else None
        publication = newest or stored_publication(event)
        if publication is None:
            raise CommandError("Nothing to publish.")
        return publication

    def _print(self, publication: Publication, password: str, *, is_ours: bool) -> None:
        self._say(f"\nStandings, publication {publication.number}, the first {TOP}:\n")
        self._say(standings_table(publication, at_most=TOP))
        for event, other in self.others:
            self._say(f"\n{event.name}, publication {other.number}, the first {FEW}:\n")
            only = LADDER if event.is_ladder else ()
            self._say(standings_table(other, at_most=FEW, only=only))
        self._say("\nHow long it took:")
        for name, seconds in self.seconds.items():
            self._say(f"  {name:<24} {seconds:6.2f} s")
        total = sum(list(self.seconds.values())[1:]) - self.seconds[MORE]
        self._say(f"  {'from sheets to standings':<24} {total:6.2f} s")
        at = {"club": DEMO_CLUB, "event": EVENT}
        pages = {
            "Club": reverse("tournaments:club", kwargs={"club": DEMO_CLUB}),
            "Standings": reverse("tournaments:event", kwargs=at),
            "Ladder": reverse("tournaments:ladder", kwargs={"club": DEMO_CLUB, "event": "ladder"}),
            "Challenges": reverse(
                "tournaments:challenges", kwargs={"club": DEMO_CLUB, "event": "challenges"}
            ),
            "Play-off": reverse("tournaments:playoffs", kwargs={"club": DEMO_CLUB, "event": "cup"}),
            **self._season_pages(),
            "REST, JSON": reverse("read_standings", kwargs=at),
            "REST, CSV": reverse("read_standings_csv", kwargs=at),
            "REST reference": reverse("reference"),
            "Tour": reverse("tournaments:help-tour"),
            "Sign in": reverse("account_login"),
        }
        pages |= {link.player.name: path for link in self.links if (path := personal_path(link))}
        self._say("\nWhere to look:" if is_ours else "\nWhere to look, at that one's PORT=:")
        for name, path in pages.items():
            self._say(f"  {name:<15} {service.address(HOST, settings.PORT)}{path}")
        self._say(f"  as {DEMO_SIGN_IN}, password {password}\n")

    def _season_pages(self) -> Mapping[str, str]:
        """Return the page of the season, and those of evenings of its first division."""
        pages = {
            "Season": reverse("tournaments:season", kwargs={"club": DEMO_CLUB, "season": "season"})
        }
        over, on = newest_evenings(get_event(ACTOR, DEMO_CLUB, DIVISION))
        for name, meeting in (("Evening, over", over), ("Evening, on", on)):
            if meeting is not None:
                at = {"club": DEMO_CLUB, "event": DIVISION, "day": meeting.date.isoformat()}
                pages[name] = reverse("tournaments:evening", kwargs=at)
        return pages

    def _serve(self, supervisor: Supervisor) -> None:
        supervisor.keep(self._worker())
        for child in service.web(self.listening, closes=[self.lock]):
            supervisor.keep(child)
        self._say(f"Serving on {service.address(HOST, settings.PORT)}/ until Ctrl-C.")
        supervisor.run()
        self.listening.close()
        self._say("Ending.")

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - started

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
