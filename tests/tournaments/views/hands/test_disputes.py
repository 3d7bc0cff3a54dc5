""" "Report a problem" on pages: who finds it, what it marks, and how a director rules on it."""

from django.test import Client

from tests.support.builders import hand
from tests.support.pages.hand_entry import typed
from tests.support.pages.text import beside, text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.scenarios.table_links import EVENT, Linked, linked
from tournaments.models.hands import Dispute, Entry, Game, Hand

TABLE = f"{ADDRESS}/tables/r1t1"
SAID = {"hand": "1", "words": "East had 2 hearts."}


def opened(evenings: Evenings, name: str = "hanna", table: str = TABLE) -> Client:
    client = evenings.client(name)
    page = client.post(f"{table}/dispute", SAID, follow=True)
    assert page.redirect_chain == [(f"{table}/hands/1", 302)]
    return client


def test_hand_sheet_board_and_event_say_that_a_dispute_is_open(evenings: Evenings) -> None:
    score = text_of(evenings.client().get(ADDRESS)).partition("1 Carla")[2]
    opened(evenings)
    anybody = evenings.client()
    at_hand = text_of(anybody.get(f"{TABLE}/hands/1"))
    assert "1 open dispute" in at_hand
    assert "“East had 2 hearts.” a host" not in at_hand
    sheet = text_of(anybody.get(TABLE))
    assert sheet.count("1 open dispute") == 2
    assert "The hand still counts until a director rules on it." in sheet
    assert "Hand 1 needs a director" in text_of(anybody.get(f"{ADDRESS}/rounds/1/board"))
    assert "1 open dispute" in text_of(anybody.get(ADDRESS))
    assert "1 open dispute" in text_of(anybody.get(f"{ADDRESS}/disputes"))
    assert text_of(anybody.get(ADDRESS)).partition("1 Carla")[2] == score


def test_what_was_said_is_for_whom_it_concerns(evenings: Evenings) -> None:
    people = evenings.cast.riverside.players
    people.filter(player_id="RL01").update(user=evenings.cast.users["piet"])
    opened(evenings, "hanna")
    opened(evenings, "hanna", f"{ADDRESS}/tables/r1t2")
    addresses = (f"{TABLE}/hands/1", f"{ADDRESS}/tables/r1t2/hands/1", f"{ADDRESS}/disputes")
    rest = f"/api/v1{ADDRESS}/disputes"
    found = {
        name: [
            *(text_of(evenings.client(name).get(page)).count(SAID["words"]) for page in addresses),
            [result["words"] for result in evenings.client(name).get(rest).json()["results"]],
            evenings.client(name).get(f"{rest}.csv").content.decode().count(SAID["words"]),
        ]
        for name in ("", "nora", "piet", "hanna", "dirk", "olga")
    }
    words = SAID["words"]
    nothing, everything = [0, 0, 0, [None, None], 0], [1, 1, 2, [words, words], 2]
    assert found == {
        **{"": nothing, "nora": nothing},
        "piet": [1, 0, 1, [words, None], 1],  # sat at the first table
        **{"hanna": everything, "dirk": everything, "olga": everything},
    }


def test_words_of_a_withdrawn_dispute_are_not_for_everybody(evenings: Evenings) -> None:
    opened(evenings)
    evenings.client("hanna").post(f"{ADDRESS}/disputes/1/withdraw", {"reason": "I cannot count."})
    for name, n in (("", 0), ("piet", 0), ("hanna", 1), ("dirk", 1)):
        for page in (f"{ADDRESS}/disputes", f"{TABLE}/hands/1"):
            assert text_of(evenings.client(name).get(page)).count("I cannot count.") == n, name


def test_report_a_problem_leads_from_sheet_and_hand_to_the_form(evenings: Evenings) -> None:
    for path, query in ((TABLE, ""), (f"{TABLE}/hands/2", "?hand=2")):
        link = f'href="{TABLE}/dispute{query}">Report a problem'
        assert link in evenings.client("hanna").get(path).content.decode()
        for name in ("", "piet"):
            assert link not in evenings.client(name).get(path).content.decode()
    form = evenings.client("hanna").get(f"{TABLE}/dispute?hand=2").content.decode()
    assert '<option value="2" selected>Hand 2</option>' in form
    away = evenings.client().get(f"{TABLE}/dispute")
    assert away.status_code == 302
    assert away["Location"].startswith("/accounts/login/")


def test_second_dispute_and_empty_words_are_refused_in_a_sentence(evenings: Evenings) -> None:
    again = opened(evenings).post(f"{TABLE}/dispute", SAID)
    assert "You have already reported this: dispute 1 is about hand 1." in text_of(again, 422)
    empty = evenings.client("dirk").post(f"{TABLE}/dispute", {"hand": "1", "words": " "})
    assert beside(empty, "words") == "Describe the problem in one sentence."
    for number in ("", "x", "99", "-1"):
        page = evenings.client("dirk").post(f"{TABLE}/dispute", {**SAID, "hand": number})
        assert page.status_code in (404, 422), number
    assert Dispute.objects.count() == 1


def test_upheld_dispute_leads_to_the_correction(evenings: Evenings) -> None:
    opened(evenings)
    dirk = evenings.client("dirk")
    rule = f"{ADDRESS}/disputes/1/rule"
    assert "“East had 2 hearts.”" in text_of(dirk.get(rule))
    refused = dirk.post(rule, {"to": "upheld", "reason": ""})
    assert (refused.status_code, Dispute.objects.get().state) == (422, "open")
    done = dirk.post(rule, {"to": "upheld", "reason": "The sheet says so."})
    assert done["Location"] == f"{TABLE}/hands/1/edit"
    entries = Entry.objects.count()
    assert "1 open dispute" not in text_of(evenings.client().get(f"{TABLE}/hands/1"))
    assert Entry.objects.count() == entries
    for path in (rule, f"{ADDRESS}/disputes"):
        assert f'href="{TABLE}/hands/1/edit"' in dirk.get(path).content.decode(), path
    assert "hands/1/edit" not in evenings.client().get(f"{ADDRESS}/disputes").content.decode()
    assert dirk.post(rule, {"to": "rejected", "reason": "No."}).status_code == 422
    assert "Upheld" in text_of(evenings.client().get(f"{ADDRESS}/disputes"))


def test_holder_of_a_link_disputes_at_the_table_of_the_link(evenings: Evenings) -> None:
    night: Linked = linked(evenings.cast, slug="night")
    phone = night.holder(name="Hanne")
    own = f"{EVENT.replace('league', 'night')}/tables/r1t1"
    assert phone.post(f"{own}/dispute", SAID).status_code == 302
    dispute = Dispute.objects.get()
    assert dispute.opened_as == "link"
    assert dispute.opened_label.startswith("link:")
    assert "Your dispute 1 about hand 1 is open" in text_of(phone.get(f"{own}/dispute"))
    other = own.replace("r1t1", "r1t2")
    assert phone.post(f"{other}/dispute", SAID).status_code in (302, 404)
    assert phone.post(f"{own}/dispute", {"withdraw": "1"}).status_code == 302
    assert Dispute.objects.get().state == "withdrawn"


def test_correction_leaves_the_dispute_open_and_says_its_revision(evenings: Evenings) -> None:
    opened(evenings)
    game = Game.objects.select_related("event", "club", "snapshot", "table__round").get(
        table__code="r1t1"
    )
    hand(game, 1, [4, 1, 2, 6], queen=3, based_on=2, reason="As it was.")
    assert "about revision 2" in text_of(evenings.client().get(f"{ADDRESS}/disputes"))
    assert Dispute.objects.get().state == "open"


def test_director_files_a_sheet_of_a_wrong_total_and_it_does_not_count(evenings: Evenings) -> None:
    table = f"{ADDRESS}/tables/r1t2"
    wrong = {**typed([7, 4, 1, 0], queen=3), "number": 2, "way": "counts", "go": "save"}
    hosts = evenings.client("hanna").post(f"{table}/hands/new", {**wrong, "key": "a"})
    assert "Save as disputed" not in text_of(hosts)
    dirk = evenings.client("dirk")
    assert "Save as disputed" in text_of(dirk.post(f"{table}/hands/new", {**wrong, "key": "b"}))
    filed = {**wrong, "key": "b", "go": "file"}
    unsaid = dirk.post(f"{table}/hands/new", filed)
    assert (unsaid.status_code, Hand.objects.filter(state="disputed").count()) == (422, 0)
    assert "Save as disputed" in text_of(unsaid)
    for _twice in range(2):
        done = dirk.post(f"{table}/hands/new", {**filed, "reason": "Cleo has the sheet."})
        assert done["Location"] == table
    hand_ = Hand.objects.get(state="disputed")
    assert (hand_.number, hand_.revision) == (2, 1)
    entry = hand_.entries.get()
    assert entry.typed == {"hearts": [7, 4, 1, 0], "taken": [[], [], ["QS"], []]}
    assert not entry.seat_scores.exists()
    read = text_of(evenings.client().get(table))
    assert "The total of this hand is wrong. It does not count until it is resolved." in read
    assert "Hand 2 needs a director" in text_of(evenings.client().get(f"{ADDRESS}/rounds/1/board"))
    right = {**typed([7, 5, 1, 0], queen=3), "way": "counts", "go": "save", "key": "c"}
    settled = {**right, "based_on": "1", "reason": "Cleo had 5."}
    assert dirk.post(f"{table}/hands/2/edit", settled).status_code == 302
    hand_.refresh_from_db()
    assert (hand_.state, hand_.revision) == ("accepted", 2)
    assert hand_.entry is not None
    assert hand_.entry.seat_scores.count() == 4
