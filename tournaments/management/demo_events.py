"""The demo's events beside the league, as `events.toml` says, and its password."""

import os
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from tournaments.domain.messages import sentence
from tournaments.errors import Conflict
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.services.demo import (
    close_demo_event,
    plan_demo_evening,
    set_up_demo_challenges,
    set_up_demo_event,
    set_up_demo_house_rules,
)
from tournaments.services.imports.import_players import import_players
from tournaments.services.imports.import_results import import_results
from tournaments.services.imports.import_sheets import ImportRequest, import_file
from tournaments.services.imports.targets import find_target


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
    event = set_up_demo_event(actor=actor, club=club, now=timezone.now(), **plan)
    plan_demo_evening(event=event, today=timezone.localdate())
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
        if event.state in ("closed", "final"):
            yield event, f"{event.name}: {event.state} already."
            continue
        try:
            yield event, _fill(actor, club, event, folder, plan)
        except Conflict as closed:
            yield event, f"{event.name}: nothing imported: {sentence(closed.problem)}"


def _fill(actor: Actor, club: Club, event: Event, folder: Path, plan: Mapping[str, Any]) -> str:
    path = folder / plan["players"]
    listed = import_players(
        actor=actor, club=club, event=event, path=path, name=path.name, dry_run=False,
        now=timezone.now(),
    )  # fmt: skip
    words = [f"{event.name}: {listed.rows} entrants"]
    for sheets in plan.get("sheets", ()):
        path = folder / sheets["file"]
        request = ImportRequest(
            path, path.name, variant=sheets.get("variant", ""), day=sheets.get("date")
        )
        target = find_target(actor=actor, club=club.slug, event=event.slug)
        report = import_file(target=target, request=request, now=timezone.now())
        words.append(f"{report.hands} hands, {report.added} of them new")
    if "results" in plan:
        path = folder / plan["results"]
        target = find_target(actor=actor, club=club.slug, event=event.slug)
        request = ImportRequest(path, path.name)
        report = import_results(target=target, request=request, now=timezone.now())
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
