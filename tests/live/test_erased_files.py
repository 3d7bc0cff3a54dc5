"""An erased name is in no byte below `var/`: not in free pages of the database, not in mails."""

from email.message import EmailMessage

import pytest
from django.conf import LazySettings

from tests.live.conftest import Inside
from tests.support.builders import finished, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.project import LiveProject
from tests.support.people import files_with, rows_with
from tournaments.models.clubs import Player
from tournaments.services.people.erase_player import erase_player
from tournaments.services.publishing.publications import publish

CANARY = "Zephyrine Canari"


@pytest.mark.tier_all
def test_erased_name_is_in_no_file(
    project: LiveProject, inside: Inside, settings: LazySettings
) -> None:
    mails = project.place / "mail"
    mails.mkdir()
    settings.EMAIL_FILE_PATH = str(mails)
    for number, words in enumerate((f"{CANARY} challenges you.", "Dora challenges you.")):
        mail = EmailMessage()
        mail["Subject"] = "Challenge"
        mail.set_content(words, cte="base64")
        (mails / f"{number}.eml").write_bytes(mail.as_bytes())
    with inside(project):
        cast = enter_the_cast()
        people = players(cast.riverside, CANARY, "Bert", "Cora", "Dora")
        event = league(cast.riverside)
        for number in range(1, 9):
            finished(table(event, people, round_number=number))
            publish(event.pk, now=NOW)
        assert rows_with(CANARY)
        assert files_with(project.place, CANARY)
        olga = cast.operation("olga")
        erase_player(olga, Player.objects.get(name=CANARY), confirmed="RL01", reason="Asked.")
        assert rows_with(CANARY, "Canari") == {}
    assert files_with(project.place, CANARY, "Canari") == []
    assert sorted(one.name for one in mails.iterdir()) == ["1.eml"]
