"""POST of seats: the refusal of each value names what was found and what is expected."""

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Json, send_json
from tournaments.models.standings import Change

pytestmark = pytest.mark.both_databases

SWAP = {"act": "swap", "seat": 1, "player_id": "RL02", "reason": "They changed chairs."}


@pytest.mark.parametrize(
    ("body", "code", "pointer", "message"),
    [
        (SWAP | {"seat": 2**31}, "unknown_seat_number", "/seat",
         "This table has no seat 2147483648. It has seats 1 to 4."),
        (SWAP | {"seat": -1}, "unknown_seat_number", "/seat",
         "This table has no seat −1. It has seats 1 to 4."),
        (SWAP | {"seat": "1"}, "bad_change_of_players", "/seat",
         "“1” is not allowed here. Expected: a whole number."),
        (SWAP | {"from_hand": 2**31}, "bad_from_hand", "/from_hand",
         "2147483648 is not a valid first hand. Expected: 1 to 999."),
        (SWAP | {"player_id": "RL\x0002"}, "bad_text", "/player_id",
         "player_id must be a text of at most 500 characters without NUL characters (U+0000)."),
        ({"act": "swap", "seat": 1, "side": ["RL02", "RL03"], "reason": "So."}, "members_count",
         "/side", "Players entered: 2. Expected: 1."),
        (SWAP | {"side": ["RL02"]}, "bad_change_of_players", "/player_id",
         "“player_id” is not allowed here. Expected: either side or player_id."),
        ({"act": "undo", "reason": "Not so."}, "bad_change_of_players", "/change",
         "A value is missing. Expected: the field change, the id of the change to undo, a whole "
         "number above 0."),
        ({"act": "undo", "change": 2**31, "reason": "Not so."}, "bad_change_of_players", "/change",
         "“2147483648” is not allowed here. Expected: the id of the change to undo, a whole number "
         "above 0."),
    ],
    ids=[
        *("large seat", "small seat", "text", "large hand", "NUL", "no side", "both"),
        *("no change", "large change"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("address", ["seats", "seats/preview"])
def test_refusal_names_the_field_and_what_is_expected(
    dirk: Client, evening: Evening, address: str, body: Json, code: str, pointer: str, message: str
) -> None:
    at = f"{evening.at}/tables/r1t1"
    response = send_json(
        dirk, "POST", f"{at}/{address}", body, if_match=dirk.get(f"{at}/seats")["ETag"]
    )
    assert response.status_code == 422, response.json()
    (error,) = response.json()["errors"]
    assert (error["code"], error["pointer"], error["message"]) == (code, pointer, message)
    assert not Change.objects.exists()
