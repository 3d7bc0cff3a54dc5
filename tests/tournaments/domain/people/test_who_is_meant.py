"""Who is meant by a name: a member, likely one, a choice of several, or nobody of the club."""

from collections.abc import Mapping
from datetime import date
from unittest.mock import patch

import pytest

from tournaments.domain.people import who_is_meant
from tournaments.domain.people.who_is_meant import MOST_COMPARED, Alias, Judge, Verdict

DAY = date(2026, 11, 12)
CLUB = (
    "Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk", "Kees de Vries", "Łukasz Żak",
    "Mo O'Hara", "Anne-Marie Holm", "Wim K.", "Guest 1", "Guest 12",
)  # fmt: skip


def judge_of(*names: str, nicknames: Mapping[str, str] | None = None) -> Judge[str]:
    judge = Judge[str]()
    for key, name in enumerate(names, start=1):
        nickname = (nicknames or {}).get(name, "")
        judge.add(name, key=key, player_id=f"{key}", name=name, nickname=nickname)
    return judge


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ann Tarn", "Ann Tarn"),
        ("TARN,  ann", "Ann Tarn"),
        ("Beatrice Mueller", "Béatrice Müller"),
        ("lukasz zak", "Łukasz Żak"),
        ("Mo OHara", "Mo O'Hara"),
        ("Bea", "Béatrice Müller"),
        ("dave", "David Birk"),
    ],
)
def test_whole_name_in_any_spelling_and_a_nickname_are_the_member(text: str, name: str) -> None:
    judge = judge_of(*CLUB, nicknames={"Béatrice Müller": "Bea", "David Birk": "Dave"})
    judged = judge.judge(text)
    assert (judged.verdict, judged.people) == (Verdict.MEMBER, (name,))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ann", "Ann Tarn"),
        ("Tarn", "Ann Tarn"),
        ("Tarn Ann", "Ann Tarn"),
        ("A. Tarn", "Ann Tarn"),
        ("Ann T.", "Ann Tarn"),
        ("Ann T", "Ann Tarn"),
        ("T. Ann", "Ann Tarn"),
        ("AT", "Ann Tarn"),
        ("AnnTarn", "Ann Tarn"),
        ("Ann Maria Tarn", "Ann Tarn"),
        ("Müller Béatrice", "Béatrice Müller"),
        ("Jo Müller", ""),
        ("Muller B", "Béatrice Müller"),
        ("Vries", "Kees de Vries"),
        ("Kees Vries", "Kees de Vries"),
        ("de Vries, K.", "Kees de Vries"),
        ("Dav", "David Birk"),
        ("Birk-D.", "David Birk"),
        ("Anne Marie", "Anne-Marie Holm"),
        ("Annemarie Holm", "Anne-Marie Holm"),
        ("Wim Kast", "Wim K."),
        ("Wim Last", ""),
        ("Ann An", ""),
        ("Ann Birk", ""),
        ("Guest 2", ""),
        ("Bert", ""),
        ("", ""),
        ("...", ""),
    ],
)
def test_short_forms_of_one_name_are_likely_that_member(text: str, name: str) -> None:
    judged = judge_of(*CLUB).judge(text)
    expected = (Verdict.LIKELY, (name,)) if name else (Verdict.UNKNOWN, ())
    assert (judged.verdict, judged.people) == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ann", {"Ann Tarn", "Ann Berg"}),
        ("Ann Tarn", {"Ann Tarn"}),
        ("An", {"Ann Tarn", "Ann Berg", "Anna Lund"}),
        ("B. Ann", {"Ann Berg"}),
        ("A", {"Ann Tarn", "Ann Berg", "Anna Lund"}),
        ("L", {"Anna Lund"}),
        ("Tar", {"Ann Tarn"}),
    ],
)
def test_several_are_a_choice_and_whole_words_beat_beginnings(text: str, names: set[str]) -> None:
    judged = judge_of("Ann Tarn", "Ann Berg", "Anna Lund").judge(text)
    assert set(judged.people) == names
    is_choice = len(names) > 1 or len(text) == 1
    assert (judged.verdict == Verdict.SEVERAL) is is_choice


def test_two_members_of_one_name_are_a_choice() -> None:
    judged = judge_of("Ann Tarn", "ANN Tarn", "Tarn, Ann").judge("ann tarn")
    assert (judged.verdict, len(judged.people)) == (Verdict.SEVERAL, 2)


def test_id_is_its_member_unless_the_name_is_not_theirs() -> None:
    judge = judge_of("Ann Tarn", "Cai Gale", nicknames={"Ann Tarn": "Tarnish"})
    judge.add_alias(Alias("Annie", 1, DAY))
    verdicts = {
        name: judge.judge(name, "1").verdict
        for name in ("", "tarn, ann", "tarnish", "Annie", "Ann", "Cai Gale")
    }
    assert verdicts == {
        "": "member",
        "tarn, ann": "member",
        "tarnish": "member",
        "Annie": "member",
        "Ann": "other_name",
        "Cai Gale": "other_name",
    }
    assert judge.judge("Ann Tarn", "3").verdict == Verdict.UNKNOWN


def test_name_and_id_of_a_merged_player_are_who_has_the_records() -> None:
    judge = judge_of("Ann Tarn")
    judge.add("A. Tarnowski", key=1, player_id="7", name="Ann Tarnowski")
    assert judge.judge("Ann Tarnowski").people == ("Ann Tarn",)
    assert judge.judge("", "7").people == ("Ann Tarn",)
    assert judge.judge("Ann Tarnowski", "1").verdict == Verdict.MEMBER
    assert judge.judge("Ann").verdict == Verdict.LIKELY


def test_alias_is_the_member_and_says_since_when() -> None:
    judge = judge_of(*CLUB)
    alias = Alias("Davie", 4, DAY, newest=len(CLUB))
    judge.add_alias(alias)
    judged = judge.judge("DAVIE")
    assert (judged.member, judged.alias) == ("David Birk", alias)


def test_proposed_alias_is_asked() -> None:
    judge = judge_of(*CLUB)
    judge.add_alias(Alias("Davie", 4, DAY, is_confirmed=False))
    assert judge.judge("Davie").likely == "David Birk"
    judge.add_alias(Alias("Ann", 4, DAY, is_confirmed=False))
    assert judge.judge("Ann").people == ("David Birk", "Ann Tarn")


@pytest.mark.parametrize("name", ["Davie", "Davie Jones", "Jones Davie"])
def test_new_member_of_the_name_of_an_alias_makes_it_a_question_again(name: str) -> None:
    judge = judge_of("David Birk", name)
    judge.add_alias(Alias("Davie", 1, DAY, newest=2))
    is_exact = name == "Davie"
    assert judge.judge("Davie").verdict == (Verdict.SEVERAL if is_exact else Verdict.MEMBER)
    judge = judge_of("David Birk", name)
    judge.add_alias(Alias("Davie", 1, DAY, newest=1))
    judged = judge.judge("Davie")
    assert (judged.verdict, set(judged.people)) == (Verdict.SEVERAL, {"David Birk", name})


def test_new_member_whose_name_only_begins_so_leaves_an_alias_alone() -> None:
    judge = judge_of("Ann Tarn", "Anna Berg")
    judge.add_alias(Alias("Ann", 1, DAY, newest=1))
    assert judge.judge("Ann").member == "Ann Tarn"


def test_nickname_of_another_makes_an_alias_a_question() -> None:
    judge = judge_of("David Birk", "Ivo Sand", nicknames={"Ivo Sand": "Davie"})
    judge.add_alias(Alias("Davie", 1, DAY, newest=2))
    assert judge.judge("Davie").verdict == Verdict.SEVERAL


def test_who_is_not_offered_is_found_by_the_whole_name_and_the_id() -> None:
    judge = Judge[str]()
    judge.add("Ann Tarn", key=1, player_id="1", name="Ann Tarn", is_offered=False)
    assert [judge.judge(text).verdict for text in ("Ann Tarn", "Ann")] == ["member", "unknown"]
    assert judge.with_id("1") == "Ann Tarn"


def test_member_without_a_row_gets_the_key_of_the_stored_one() -> None:
    judge = judge_of("Ann Tarn")
    judge.add("new", key=-1, player_id="9", name="Bo Lind")
    judge.replace(-1, 9, "Bo Lind", player_id="9")
    assert [judge.judge(text).people for text in ("Bo Lind", "Bo")] == [("Bo Lind",)] * 2
    assert judge.judge("", "9").people == ("Bo Lind",)


def test_names_of_a_file_are_compared_with_few_of_the_members() -> None:
    n_members, n_names = 800, 600
    members = [f"First{n % 90:02} Last{n:03}" for n in range(n_members)]
    judge = judge_of(*members)
    texts = [f"Last{n:03} F" for n in range(n_names)]
    with patch.object(who_is_meant, "begin_words", wraps=who_is_meant.begin_words) as compared:
        people = [judge.judge(text).people for text in texts]
    assert people == [(name,) for name in members[:n_names]]
    assert compared.call_count <= n_names * 2


def test_at_most_so_many_names_are_compared_with_one_text() -> None:
    judge = judge_of(*(f"Ann Bell {n}" for n in range(MOST_COMPARED * 2)))
    with patch.object(who_is_meant, "begin_words", wraps=who_is_meant.begin_words) as compared:
        judged = judge.judge("An Be")
    assert (judged.verdict, compared.call_count) == (Verdict.SEVERAL, MOST_COMPARED)


def test_whole_word_is_found_among_more_names_than_are_compared() -> None:
    judge = judge_of(*(f"Anna Bell {n}" for n in range(MOST_COMPARED * 2)), "Ann Tarn")
    assert judge.judge("Ann").people == ("Ann Tarn",)
