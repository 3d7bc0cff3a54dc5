"""House rules on pages: chosen, shown, named, changed, compared, refused with the reason."""

from itertools import product

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import beside, summary, text_of
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.rules import HouseVariant, HouseVersion
from tournaments.services.rules.house_rules import add_version, chosen_rules, make_house_rules

LIST = "/clubs/riverside/house-rules"
NEW = "/clubs/riverside/new-house-rules"
HOUSE = f"{LIST}/thursday-rules"
PLAIN = {"name": "Thursday rules", "base": "Omnibus", "options-target": "61"}
EVENT = {
    "name": "Cup",
    "variant": "Thursday rules",
    "preset": "sheets",
    "kind": "league",
    "visibility": "public",
}
FILE = b"""id = "thursday-rules"
name = "Thursday rules"
extends = "omnibus-hearts"
sources = ["The club's book"]

[options]
target = 61
"""


def thursday(cast: Cast, **more: object) -> HouseVersion:
    chosen = chosen_rules("omnibus", {"target": 61, "bonus_value": -11, **more})
    return make_house_rules(by_tests(), cast.riverside, name="Thursday rules", chosen=chosen)


def second(first: HouseVersion) -> HouseVersion:
    chosen = chosen_rules(first, {**first.options, "target": 71})
    return add_version(by_tests(), first.variant, chosen=chosen)


def sent(cast: Cast, text: bytes, address: str = NEW) -> Answer:
    file = SimpleUploadedFile("thursday.toml", text)
    return cast.client("dirk").post(address, {"upload": "yes", "upload-file": file}, follow=True)


def test_director_chooses_sees_and_names_house_rules(cast: Cast, dirk: Client) -> None:
    response = dirk.post(NEW, {"base": "omnibus", "look": "yes", "options-target": "61"})
    assert "Bonus card Which card is the bonus" in text_of(response, 200)
    assert "61" in text_of(response).partition("Preview")[2]
    assert not HouseVariant.objects.exists()
    made = dirk.post(
        NEW, PLAIN | {"options-bonus_card": "10D", "options-bonus_value": "−11"}, follow=True
    )
    assert made.redirect_chain == [(HOUSE, 302)]
    assert "Thursday rules, version 1 created." in text_of(made)
    version = HouseVersion.objects.get()
    assert version.options == {"target": 61, "bonus_card": "10D", "bonus_value": -11}
    assert (version.base, version.made_as) == ("omnibus-hearts", "dirk")
    assert "Thursday rules version 1" in text_of(cast.client().get(LIST))


def test_live_part_alone_is_given_to_a_page_that_asks_while_one_chooses(cast: Cast) -> None:
    part = cast.client("dirk").post(
        NEW, {"base": "omnibus", "options-target": "61"}, headers={"HX-Request": "true"}
    )
    text = part.content.decode()
    assert part.status_code == 200
    assert text.startswith('<div id="meaning"')
    assert 'id="options"' in text  # other options are open than those that were sent
    assert "Playable" in text
    over = cast.client("dirk").post(
        NEW, {"base": "omnibus", "options-target": "0"}, headers={"HX-Request": "true"}
    )
    assert '<a href="#means">' in over.content.decode()
    assert "Not playable" in over.content.decode()
    assert not HouseVariant.objects.exists()


@pytest.mark.parametrize(
    ("typed", "field", "says"),
    [
        ({"base": ""}, "base", "“Start from” is empty. Enter the name of a variant."),
        ({"base": "Omnibuss J"}, "base", "There is no variant called Omnibuss J."),
        ({"base": "hearts", "options-removed_cards": "4: 2C"}, "options-removed_cards",
         "51 cards cannot be dealt evenly to 4 players."),
        ({"options-deals": "8"}, "options-target", 'combined with "Number of hands"'),
        ({"options-target": "many"}, "options-target", "many is not a number of points."),
        ({"options-custom_values": "10Y 3"}, "options-custom_values", "10Y is in no pack"),
        ({"name": "Black Lady"}, "name", "The name Black Lady is already used for Hearts"),
        ({"name": "Ours v2"}, "name", "ends like a version number"),
        ({"name": ""}, "name", "Enter a name with at least one visible letter, digit or symbol."),
        ({"slug": "Thursday!"}, "slug", "Use lowercase letters, digits and hyphens"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told_beside_its_field_and_stays_as_typed(
    cast: Cast, typed: dict[str, str], field: str, says: str
) -> None:
    page = cast.client("dirk").post(NEW, PLAIN | typed)
    assert says in beside(page, field, 422)
    assert "Not saved yet" in summary(page)
    for key, value in (PLAIN | typed).items():
        if key in typed and value:
            assert value in page.content.decode(), key
    assert not HouseVariant.objects.exists()


def test_file_makes_house_rules_and_the_download_gives_it_back(cast: Cast) -> None:
    assert sent(cast, FILE).redirect_chain == [(HOUSE, 302)]
    file = cast.client().get(f"{HOUSE}/versions/1.toml")
    assert file["Content-Type"] == "application/toml; charset=utf-8"
    assert file["Content-Disposition"] == 'attachment; filename="thursday-rules.toml"'
    assert file.content.decode() == FILE.decode().replace(
        '["The club\'s book"]', '[\n    "The club\'s book",\n]'
    )
    again = sent(cast, file.content)
    assert "This club already has house rules called Thursday rules." in text_of(again, 422)
    next_one = sent(cast, file.content.replace(b"61", b"71"), f"{HOUSE}/change")
    assert "Thursday rules, version 2 created." in text_of(next_one)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (FILE.replace(b"target = 61", b"target = 61\nmoon = 'selff'"),
         "Line 8, “moon = 'selff'”: \"Shooting the moon\" cannot be \"selff\" here. "
         "Choices: choose (the shooter chooses), self ("),
        (FILE.replace(b"[options]", b"playerss = [4, 4]\n[options]"),
         "Line 6, “playerss = [4, 4]”: playerss: there is no such key; known are id, name"),
        (FILE.replace(b"[options]", b"aliases = ['Ours']\n[options]"),
         "House rules can have only one name. Remove the other names."),
        (FILE.replace(b"target = 61", b"target = 0"),
         "Line 7, “target = 0”: \"Points limit\" cannot be \"0\" here. All players begin with 0"),
        (FILE + b".".join([b"a"] * 10_000) + b" = 1\n", "a key has too many steps"),
        (b"# " + b"x" * 50_000, "The file has 50001 bytes. The maximum for rules is 50000."),
        (b"\xff\xfe\x00", "this is not TOML"),
    ],
)  # fmt: skip
def test_file_with_a_mistake_names_line_and_choices(cast: Cast, text: bytes, says: str) -> None:
    assert says in beside(sent(cast, text), "upload-file", 422)
    assert not HouseVariant.objects.exists()


def test_version_says_what_was_chosen_in_words_and_leads_to_a_card_to_print(cast: Cast) -> None:
    more = {"custom_values": [["KS", 10], ["AS", 7]], "moon_needs_all_tricks": True}
    thursday(cast, **more, removed_cards={"3": ["2D"]})
    page = cast.client().get(HOUSE)
    chosen = text_of(page).partition("Options")[2]
    assert (
        "The game ends when a total reaches 61. A moon needs every trick as well. "
        "Points for the bonus card: −11. Cards taken out of the pack: 2 ♦ with 3 players. "
        "More cards that count: K♠: 10 and A♠: 7. All other rules as in Omnibus Hearts"
    ) in chosen
    assert "[" not in chosen.partition("Versions")[0]
    assert f'href="{HOUSE}/versions/1/card?seats=4"' in page.content.decode()
    card = cast.client().get(f"{HOUSE}/versions/1/card?seats=3")
    assert '<article class="rules-card"' in card.content.decode()
    assert "Thursday rules, version 1 For 3 players" in text_of(card)
    assert f'href="{HOUSE}/versions/1"' in card.content.decode()
    response = cast.client().get(f"{HOUSE}?seats=9")
    assert "9 is not a number of seats. These rules are played by 3 to 6." in text_of(response, 422)
    wrong = cast.client().get(f"{HOUSE}/versions/1/card?seats=9")
    assert "Not for this number of players" in text_of(wrong, 422)
    assert cast.client().get(f"{HOUSE}/versions/9/card").status_code == 404


def test_next_version_starts_from_the_last_and_leaves_it_alone(cast: Cast, dirk: Client) -> None:
    first = thursday(cast, custom_values=[["KS", 10]])
    asked = dirk.get(f"{HOUSE}/change").content.decode()
    assert 'value="61"' in asked
    assert "KS 10" in asked
    typed = {"based_on": "1", "options-target": "71", "options-bonus_value": "-11"}
    response = dirk.post(f"{HOUSE}/change", typed, follow=True)
    assert "Thursday rules, version 2 created." in text_of(response)
    assert HouseVersion.objects.get(number=2).options == {"target": 71, "bonus_value": -11}
    assert HouseVersion.objects.get(number=1).rules == first.rules
    late = dirk.post(f"{HOUSE}/change", typed | {"options-target": "81"})
    assert "The rules have changed: you have version 1, the newest is 2." in text_of(late, 422)
    assert 'value="81"' in late.content.decode()


def test_passing_is_chosen_from_a_list_for_each_number_of_players(dirk: Client) -> None:
    cycles = ["3: left / split", "4: left / right / across / scatter"]
    typed = {"name": "Club rules", "base": "hearts", "options-passing": cycles}
    response = dirk.post(NEW, typed | {"options-pass_count": "4"}, follow=True)
    assert HouseVersion.objects.get().options == {
        "passing": {"3": ["left", "split"], "4": ["left", "right", "across", "scatter"]},
        "pass_count": "4",
    }
    assert "hand 4 instead one card to each other player" in text_of(response)
    page = dirk.get(f"{LIST}/club-rules/change").content.decode()
    fields = page.split('name="options-passing"')[1:]
    assert len(fields) == 4, "one for each of 3 to 6 players"
    assert all(f'<option value="{cycle}" selected>' in page for cycle in cycles)
    assert "default: left, right, no pass" in fields[2]
    assert "second left" in fields[2]
    assert "second left" not in fields[1]


def test_cards_are_listed_and_a_choice_that_does_not_fit_is_not_offered(dirk: Client) -> None:
    typed = {"name": "Club rules", "base": "hearts", "options-not_passed": "2C, QS"}
    response = dirk.post(NEW, typed, follow=True)
    assert HouseVersion.objects.get().options == {"not_passed": ["2C", "QS"]}
    assert "Cards that may not be passed: 2♣ and Q♠." in text_of(response)
    page = dirk.get(f"{LIST}/club-rules/change").content.decode()
    assert 'value="2C, QS"' in page
    assert 'value="when broken, or only hearts and QS"' in page
    assert 'name="options-packs"' not in page, "one pack has no identical cards"
    plain = dirk.post(NEW, {"base": "hearts-without-black-lady"}).content.decode()
    assert 'value="left of shooter"' not in plain
    assert 'value="worst total"' in plain
    assert 'value="when broken, or only hearts and QS"' not in plain


def test_passing_that_contradicts_another_option_is_refused_beside_its_field(cast: Cast) -> None:
    typed = {"name": "Club rules", "base": "hearts", "options-optional_pass": "true"}
    none = [f"{seats}: hold" for seats in (3, 4, 5, 6)]
    refused = cast.client("dirk").post(NEW, typed | {"options-passing": none})
    assert 'It cannot be combined with "Passing".' in beside(refused, "options-optional_pass", 422)
    assert refused.content.decode().count('hold" selected>') == 4, "what was chosen is kept"


def test_difference_of_two_versions_is_shown_rule_by_rule(cast: Cast) -> None:
    second(thursday(cast))
    page = text_of(cast.client().get(f"{HOUSE}/difference"))
    assert "Thursday rules: version 1 and version 2" in page
    assert "Points limit: 61 → 71" in page
    same = text_of(cast.client().get(f"{HOUSE}/difference?left=2&right=2"))
    assert "The versions are the same." in same
    assert cast.client().get(f"{HOUSE}/difference?left=1&right=9").status_code == 404


def test_version_in_use_stays_and_an_unused_one_goes(cast: Cast, dirk: Client) -> None:
    first = thursday(cast)
    league(cast.riverside, variant="thursday-rules", name="Autumn league")
    second(first)
    response = dirk.post(f"{HOUSE}/versions/1/delete")
    assert "Thursday rules, version 1 is used in Autumn league" in text_of(response, 422)
    gone = dirk.post(f"{HOUSE}/versions/2/delete", follow=True)
    assert "Thursday rules, version 2 deleted." in text_of(gone)
    assert list(HouseVersion.objects.values_list("number", flat=True)) == [1]
    assert dirk.get(f"{HOUSE}/versions/2").status_code == 404


def test_event_uses_the_newer_version_from_now_on(cast: Cast, dirk: Client) -> None:
    first = thursday(cast)
    event = league(cast.riverside, variant="thursday-rules")
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    hand(table(event, people), 1, [4, 1, 2, 6], 3, taken=[["JD"], [], [], ["QS"]])
    direct = "/clubs/riverside/events/league/direct"
    assert "from now on" not in text_of(dirk.get(direct))
    second(first)
    assert "Use version 2" in text_of(dirk.get(direct))
    used = dirk.post("/clubs/riverside/events/league/use-version", follow=True)
    assert "New tables play Thursday rules, version 2." in text_of(used)
    assert Event.objects.get().variant == "thursday-rules-v2"
    later = table(Event.objects.get(), people, round_number=2)
    assert later.snapshot.variant_name == "Thursday rules, version 2"
    sheet = "/clubs/riverside/events/league/tables"
    assert "Thursday rules, version 1" in text_of(cast.client().get(f"{sheet}/r1t1"))
    assert "Thursday rules, version 2" in text_of(cast.client().get(f"{sheet}/r2t1"))


def test_event_that_compares_raw_points_stays_with_its_version(cast: Cast) -> None:
    first = thursday(cast)
    event = league(cast.riverside, variant="thursday-rules")
    Event.objects.update(settings=event.settings | {"mixed_raw": False})
    table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    second(first)
    response = cast.client("dirk").post("/clubs/riverside/events/league/use-version", follow=True)
    assert "Thursday rules, version 2" in text_of(response)
    assert "New tables play" not in text_of(response)
    assert Event.objects.get().variant == "thursday-rules-v1"
    assert list(Event.objects.get().snapshots.values_list("variant", flat=True)) == [
        "thursday-rules-v1"
    ]


def test_event_form_finds_house_rules_and_says_their_version(cast: Cast, dirk: Client) -> None:
    second(thursday(cast))
    new_event = "/clubs/riverside/new-event"
    response = dirk.get(new_event, {"variant": "thursday RULES"})
    assert "Thursday rules, version 2" in text_of(response)
    made = dirk.post(new_event, EVENT | {"preset": "games"}, follow=True)
    assert "Settings Thursday rules, version 2" in text_of(made)
    assert cast.client("nora").post("/clubs/hilltop/new-event", EVENT).status_code == 422


def test_house_rules_are_read_like_the_clubs_other_pages(cast: Cast) -> None:
    thursday(cast)
    paths = ("", "/versions/1", "/versions/1.toml", "/versions/1/card", "/difference", "/versions")
    for private, path in product((False, True), paths):
        Club.objects.filter(pk=cast.riverside.pk).update(is_public=not private)
        for who, expected in (("", 404 if private else 200), ("piet", 200)):
            answer = cast.client(who).get(f"{HOUSE}{path}", follow=True)
            assert answer.status_code == expected, (who, path)
    assert cast.client("nora").get("/clubs/hilltop/house-rules/thursday-rules").status_code == 404
