"""Templates print what they are given: no query, no unknown name; statements do not grow."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from django.conf import settings as django_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.template import Engine
from django.template.backends.django import Template
from django.test import Client

from api.v1.standings.standings import CACHED_PUBLICATIONS
from benchmarks.leagues import CLUB, bring_in, double, write_league
from tests.support.builders import by_tests, ladder, league, worker_runs
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in, evening, plans
from tests.support.pages.adjustments import digest_in
from tests.support.pages.club_reads import ROLES, cost_of, lists_of, pages_of, reader
from tests.support.pages.templates import FORMS, OF_OWNERS, PAGES
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.scenarios.ladders import climbing
from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.selectors.seating_plans.plans import plan_at
from tournaments.services.clubs.clubs import add_player
from tournaments.services.publishing.publications import publish
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.constraints import add_constraint
from tournaments.tasks import make_history
from tournaments.views.http.responses import KEPT_PARTS

HOST_PAGES = (f"{ADDRESS}/tables/r1t1/hands/new", f"{ADDRESS}/tables/r1t1/hands/1/edit")
CONSTRAINTS = f"{ADDRESS}/constraints"
UNKNOWN = "\N{WARNING SIGN}unknown name\N{WARNING SIGN}"
INLINE_SCRIPT = re.compile(r'<script(?![^>]*(\bsrc=|type="application/(ld\+)?json"))')
"""A script in the page itself; data for a script of a file is none."""


def refuse(execute: object, sql: str, *rest: object) -> NoReturn:
    raise AssertionError(f"a template asked the database: {sql}")


def check(page: str, path: str = "") -> None:
    """A page is whole, knows each name that it prints, has no script or style in it, and names
    nothing outside."""
    assert "</html>" in page, path
    assert UNKNOWN not in page, path
    assert not INLINE_SCRIPT.search(page), path
    assert not re.search(r"<[^>]+\s(style|on[a-z]+)=|<style", page), path
    # What other sites are told of this page has its whole address.
    own = page.replace("http://testserver/", "/")
    assert not re.search(r'(?:src|href|action)="(?:https?:)?//', own), path


@pytest.fixture
def strict_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates refuse queries, and print a mark where a name means nothing.

    The engine stays the one of the process: another one would compile every template anew.
    """
    monkeypatch.setattr(Engine.get_default(), "string_if_invalid", UNKNOWN)
    rendered = Template.render

    def render(template: Template, *given: Any, **more: Any) -> Any:
        with connection.execute_wrapper(refuse):
            return rendered(template, *given, **more)

    monkeypatch.setattr(Template, "render", render)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *((path, name) for path in PAGES for name in ("", "dirk")),
        *((form, "olga" if form in OF_OWNERS else "dirk") for form in FORMS),
    ],
)
@pytest.mark.usefixtures("strict_templates")
def test_template_runs_no_query_and_knows_every_name_it_prints(
    evenings: Evenings, path: str, name: str
) -> None:
    answer = evenings.client(name).get(path)
    check(answer.content.decode())
    policy = answer["Content-Security-Policy"]
    assert "default-src 'self'" in policy or "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.django_db
@pytest.mark.usefixtures("strict_templates")
def test_pages_of_plans_and_constraints_run_no_query(cast: Cast) -> None:
    event = league(cast.riverside)
    meeting, people = evening(event, 9)
    add_constraint(
        by_tests(),
        event,
        kind="apart",
        player=people[0].player_id,
        other=people[1].player_id,
        reason="They do not get on.",
    )
    first, *_others = plans(meeting, 2)
    choose_plan(by_tests(), plan_at(event, str(first.public_id)))
    check_in(meeting, people[8:], state="left")
    dirk, night = cast.client("dirk"), f"{ADDRESS}/meetings/{meeting.date}"
    for path in (f"{night}/plans", f"{night}/seating", f"{night}/attendance", CONSTRAINTS):
        check(dirk.get(path, follow=True).content.decode(), path)
    assert people[0].name in dirk.get(CONSTRAINTS).content.decode()
    refused = dirk.post(CONSTRAINTS, {"add": "yes"})
    assert refused.status_code == 422
    assert UNKNOWN not in refused.content.decode()


@pytest.mark.parametrize(
    "typed",
    [
        None,
        {"hearts-1": "7", "hearts-2": "x"},
        {"hearts-1": "13", "card-QS": "1", "reason": "It was a moon."},
        {"go": "way:points"},
        {"hearts-1": "3", "hearts-2": "10", "card-QS": "2", "number": "1"},
    ],
)
@pytest.mark.parametrize("path", HOST_PAGES)
@pytest.mark.usefixtures("strict_templates")
def test_hosts_page_runs_no_query_in_any_of_its_states(
    evenings: Evenings, path: str, typed: dict[str, str] | None
) -> None:
    client = evenings.client("hanna")
    check((client.get(path) if typed is None else client.post(path, typed)).content.decode())


@pytest.mark.parametrize(
    "typed",
    [
        {"key-3": "a", "c-3-1": "7", "c-3-2": "x"},
        {"key-3": "a", "c-3-1": "7", "c-3-2": "5q"},
        {"key-3": "a", "c-3-1": "13q"},
        {"key-1": "a", "c-1-1": "13q"},
        {"go": "way:points", "key-3": "a"},
        {"go": "more", "key-3": "a", "key-1": "b", "based_on-1": "2", "asked-1": "1"},
        {"go": "paste", "paste": "1\t2\t3\t4"},
        {"go": "paste", "paste": "1\t2"},
    ],
)
@pytest.mark.usefixtures("strict_templates")
def test_grid_runs_no_query_in_any_of_its_states(evenings: Evenings, typed: dict[str, str]) -> None:
    check(evenings.client("hanna").post(f"{ADDRESS}/tables/r1t1/grid", typed).content.decode())


@pytest.mark.usefixtures("strict_templates")
def test_pages_with_lines_byes_and_disputes_run_no_query(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    line = {"entrant": "RL02", "kind": "penalty", "amount": "2", "reason": "Late."}
    preview = dirk.post(f"{ADDRESS}/ledger/new", line)
    check(preview.content.decode())
    dirk.post(f"{ADDRESS}/ledger/new", {**line, "previewed": digest_in(preview)})
    dirk.post(f"{ADDRESS}/rounds/2/sit-outs", {"entrant": "RL02", "reason": "bye"})
    said = {"hand": "1", "words": "East had 2."}
    assert dirk.post(f"{ADDRESS}/tables/r1t1/dispute", said).status_code == 302
    for path in (
        *("/clubs/riverside", ADDRESS, f"{ADDRESS}/direct", f"{ADDRESS}/ledger"),
        *(f"{ADDRESS}/ledger/1/withdraw", f"{ADDRESS}/players/RL02", f"{ADDRESS}/rounds/2"),
        *(f"{ADDRESS}/rounds/2/sit-outs", f"{ADDRESS}/rounds/1/board", f"{ADDRESS}/disputes"),
        *(f"{ADDRESS}/disputes/1/rule", f"{ADDRESS}/disputes/1/withdraw"),
        *(f"{ADDRESS}/tables/r1t1", f"{ADDRESS}/tables/r1t1/hands/1"),
        f"{ADDRESS}/tables/r1t1/dispute",
    ):
        check(dirk.get(path).content.decode())


@pytest.mark.usefixtures("strict_templates")
def test_pages_of_a_foreign_file_run_no_query_either(evenings: Evenings) -> None:
    client = evenings.client("hanna")
    file = SimpleUploadedFile("night.csv", b"Wann;Elsa D.;Anton S.;Was\n6.11.2025;4;2;\n")
    columns = client.post(f"{ADDRESS}/imports/new", {"file": file, "holds": "hands"})["Location"]
    typed = {f"column-{n}": one for n, one in enumerate(("date", "player", "player", "ignore"))}
    said = {**typed, "rows": "hands", "cells": "points", "round": "9", "table": "1"}
    pages = [client.get(columns), client.post(columns, {**said, "round": ""})]
    client.post(columns, {**said, "keep": "on", "name": "Tuesdays"})
    kept = "/clubs/riverside/mappings"
    paths = (columns.removesuffix("/columns"), columns, kept, f"{kept}/1", f"{ADDRESS}/imports")
    pages.extend(client.get(path) for path in paths)
    for answer in pages:
        check(answer.content.decode())


def test_every_sentence_of_a_template_can_be_translated() -> None:
    """Words between tags stand in a translate tag; what is left over is punctuation."""
    for template in sorted(Path(django_settings.BASE_DIR, "templates").rglob("*.html")):
        if template.name == "styleguide.html":
            continue  # for developers, in DEBUG only
        text = template.read_text()
        text = re.sub(r"{% comment %}.*?{% endcomment %}", "", text, flags=re.DOTALL)
        text = re.sub(r"{% blocktranslate.*?{% endblocktranslate %}", "", text, flags=re.DOTALL)
        text = re.sub(r"<(script|style)[^>]*>.*?</\1>", "", text, flags=re.DOTALL)
        text = re.sub(r"<(code|pre)>.*?</\1>", "", text, flags=re.DOTALL)
        text = re.sub(r"{%.*?%}|{{.*?}}", " ", text, flags=re.DOTALL)
        text = re.sub(r"<[^>]*>", " ", text)
        assert not re.search(r"[A-Za-z]{3,}", text), (template.name, text.split())


def test_every_sign_that_a_template_names_is_drawn() -> None:
    """An icon that the file of signs lacks leaves a gap and no fault anywhere."""
    root = Path(django_settings.BASE_DIR)
    drawn = set(re.findall(r'id="(\w+)"', (root / "static/blacklady/icons.svg").read_text()))
    templates = (root / "templates").rglob("*.html")
    named = {
        name for template in templates for name in re.findall(r'icon "(\w+)"', template.read_text())
    }
    assert named - drawn == set()


@pytest.mark.usefixtures("strict_templates")
def test_pages_of_a_ladder_run_no_query(evenings: Evenings) -> None:
    event = climbing(evenings.cast)
    base = "/clubs/riverside/events/ladder"
    paths = (
        *(f"{base}/{page}" for page in ("ladder", "ladder/moves", "ladder/rules", "ratings")),
        *(f"{base}/ladder/members/{code}" for code in "ABCDE"),
        *(f"{base}/ladder/publications/1", f"{base}/ladder/what-if?player=A&player=B"),
        *(f"{base}/ladder/what-if?player=A", f"{base}/challenges", f"{base}/absences"),
        *(f"{base}/challenges/{number}" for number in (1, 2, 3)),
        *(base, f"{base}/settings", "/clubs/riverside", "/clubs/riverside/players/C"),
    )
    forms = (
        *(f"{base}/challenges/new", f"{base}/challenges/1/result", f"{base}/absences"),
        *(f"{base}/ladder/rules/change", f"{base}/direct"),
    )
    asked = [(path, name) for path in paths for name in ("", "C", "E", "dirk")]
    for path, name in (*asked, *((path, "dirk") for path in forms)):
        page = evenings.client(name).get(path).content.decode()
        check(page, path)
    for path, typed in (
        ("challenges/new", {"challenged": "Z"}),
        ("challenges/1/move", {"to": "declined"}),
        ("challenges/1/result", {"player-1": "E", "points-1": "x"}),
        ("absences/new", {"since": "x"}),
        ("ladder/rules/change", {"reach": "x"}),
    ):
        refused = evenings.client("dirk").post(f"{base}/{path}", typed)
        assert refused.status_code == 422, path
        assert UNKNOWN not in refused.content.decode(), path
    assert event.kind == "ladder"


MORE = 12
FEWEST_READS = {"visitor": 120, "host": 160, "director": 200, "owner": 240}
WHOLE_CLUB = "/export"
"""An archive of everything is read event by event."""
FILES = (".xlsx", ".pdf", ".png")
"""They take long to make and are the same for every role."""


@pytest.fixture
def event(tmp_path: Path) -> Event:
    """A small public league, and a ladder and a league without hands, so that pages have all of
    their parts."""
    bring_in(write_league(tmp_path / "league.csv", players=16, hands=64), "league")
    event = Event.objects.select_related("club").get(club__slug=CLUB)
    event.visibility, event.club.is_public = "public", True
    event.save()
    event.club.save()
    for make in (ladder, league):
        publish(make(event.club, slug=f"one-{make.__name__}", name="One more").pk, now=NOW)
    _publish(event)
    return event


def _publish(event: Event) -> None:
    publish(event.pk, now=NOW)
    make_history(event.pk)
    worker_runs()


def grow(event: Event) -> None:
    for _ in range(3):
        double(event)
    for number in range(MORE):
        player = f"Quentin {number}", f"Q{number:03d}"
        add_player(by_tests(), event.club, name=player[0], player_id=player[1])
        make = ladder if number % 2 else league
        publish(make(event.club, slug=f"more-{number}", name=f"Event {number}").pk, now=NOW)
    newest = Publication.objects.filter(event=event).order_by("-number")[0]
    for _ in range(MORE):
        newest.pk, newest.number, newest.version = None, newest.number + 1, newest.version + 1
        newest.save(force_insert=True)
    _publish(event)


def count_statements(client: Client, paths: Iterable[str]) -> dict[str, int]:
    """Read addresses that no process has read before; returns their numbers of statements."""
    counts = {}
    for path in paths:
        CACHED_PUBLICATIONS.forget()
        KEPT_PARTS.forget()
        cost = cost_of(client, path)
        if cost.status == 200:
            counts[path] = len(cost.statements)
    return counts


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("role", ROLES)
def test_statements_of_a_read_do_not_grow_with_rows(event: Event, role: str) -> None:
    client = reader(event.club, role)
    paths = [*pages_of(client, CLUB, ["league"], of_a_route=1), *lists_of(event)]
    left_out = (WHOLE_CLUB,) if role == "owner" else (WHOLE_CLUB, *FILES)
    paths = [path for path in paths if not path.endswith(left_out)]
    small = count_statements(client, paths)
    assert len(small) >= FEWEST_READS[role]
    grow(event)
    large = count_statements(client, small)
    assert {path: (small[path], large[path]) for path in small if large[path] > small[path]} == {}
