"""`manage.py verify_audit` walks each chain and names the first line that is not sound."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.support.builders import players
from tests.support.cast import Cast
from tournaments.models.audit import AuditHead, AuditLine


def verified(*args: str) -> str:
    out = StringIO()
    call_command("verify_audit", *args, stdout=out)
    return out.getvalue()


def broken(*args: str) -> tuple[int, str]:
    out = StringIO()
    with pytest.raises(CommandError) as fault:
        call_command("verify_audit", *args, stdout=out)
    return fault.value.returncode, out.getvalue()


@pytest.fixture
def trail(cast: Cast) -> Cast:
    players(cast.riverside, "Ada", "Ben", "Cleo")
    return cast


def lines_of(trail: Cast) -> list[AuditLine]:
    return list(AuditLine.objects.filter(club=trail.riverside).order_by("number"))


def test_sound_chains(trail: Cast) -> None:
    assert verified() == "hilltop: 1 lines, unbroken.\nriverside: 4 lines, unbroken.\n"
    assert verified("--club", "riverside") == "riverside: 4 lines, unbroken.\n"


def test_changed_line_is_named(trail: Cast) -> None:
    AuditLine.objects.filter(pk=lines_of(trail)[1].pk).update(facts={"changed": 1})
    status, said = broken()
    assert status == 1
    assert said == (
        "hilltop: 1 lines, unbroken.\n"
        "riverside: line 2 was changed: it does not match its digest.\n"
    )


def test_missing_line_is_named(trail: Cast) -> None:
    lines_of(trail)[2].delete()
    assert broken("--club", "riverside") == (1, "riverside: line 3 is missing.\n")


def test_lines_cut_off_at_the_end_are_seen(trail: Cast) -> None:
    lines_of(trail)[3].delete()
    said = "riverside: the end was changed: the head is at line 4, the last line is 3.\n"
    assert broken("--club", "riverside") == (1, said)


def test_head_that_was_written_over_is_seen(trail: Cast) -> None:
    AuditHead.objects.filter(club=trail.riverside).update(digest="0" * 64)
    assert broken("--club", "riverside")[0] == 1


def test_unknown_club(trail: Cast) -> None:
    with pytest.raises(CommandError) as fault:
        call_command("verify_audit", "--club", "nowhere")
    assert fault.value.returncode == 2
