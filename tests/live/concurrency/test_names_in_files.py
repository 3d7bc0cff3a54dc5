"""Two answer who is meant by one name, or a person is erased or merged while somebody answers."""

from functools import partial

import pytest

from tests.support.builders import by_tests, players
from tests.support.cast import Cast, enter_the_cast
from tests.support.live.at_once import Within
from tournaments.models.clubs import Player, PlayerAlias
from tournaments.services.clubs.aliases import confirm_alias, keep_names
from tournaments.services.clubs.names import lock_names
from tournaments.services.db.transactions import join_operations
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players

pytestmark = pytest.mark.pg


@pytest.fixture
def cast(within: Within) -> Cast:
    with within():
        cast = enter_the_cast()
        players(cast.riverside, "Ann Tarn", "David Birk")
        return cast


def keep(cast: Cast, name: str, player_id: str) -> None:
    player = Player.objects.select_related("club").get(player_id=player_id)
    with join_operations("keep_names"):
        keep_names(by_tests(), lock_names(cast.riverside), {name: player})


def test_of_two_answers_about_one_name_one_stays(within: Within, cast: Cast) -> None:
    first, second = partial(keep, cast, "Davie", "RL01"), partial(keep, cast, "Davie", "RL02")
    assert within.at_once(first, second) == []
    with within():
        assert PlayerAlias.objects.count() == 1


def test_no_name_of_an_erased_person_is_kept(within: Within, cast: Cast) -> None:
    def erase() -> None:
        player = Player.objects.select_related("club").get(player_id="RL02")
        erase_player(by_tests(), player, confirmed="RL02", reason="Asked for it.")

    assert within.at_once(partial(keep, cast, "Davie", "RL02"), erase) == []
    with within():
        assert not PlayerAlias.objects.exists()


def test_name_is_kept_for_who_has_the_records_or_not_at_all(within: Within, cast: Cast) -> None:
    def merge() -> None:
        source, target = Player.objects.select_related("club").order_by("-player_id")
        merge_players(by_tests(), source, target=target)

    assert within.at_once(partial(keep, cast, "Davie", "RL02"), merge) == []
    with within():
        owners = set(PlayerAlias.objects.values_list("player__player_id", flat=True))
        assert owners <= {"RL01"}


def test_one_proposal_is_confirmed_by_two_at_once(within: Within, cast: Cast) -> None:
    with within():
        keep(cast, "Davie", "RL02")
        PlayerAlias.objects.update(is_confirmed=False)

    def confirm() -> None:
        confirm_alias(by_tests(), PlayerAlias.objects.select_related("club").get())

    assert within.at_once(confirm, confirm) == []
    with within():
        assert PlayerAlias.objects.get().is_confirmed
