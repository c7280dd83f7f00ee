"""The rules of accounts: names, passwords, attempts to sign in, quotas; browsers in words."""

from __future__ import annotations

import asyncio

import pytest
from support.accounts import PASSWORD

from teahouse.server.accounts.attempts import FREE_ATTEMPTS, Attempts, AttemptsError
from teahouse.server.accounts.common_passwords import too_common
from teahouse.server.accounts.names import check_name, guest_name, name_key
from teahouse.server.accounts.passwords import Passwords
from teahouse.server.accounts.sessions import describe_browser
from teahouse.server.accounts.sign_up_quota import SignUpQuota
from teahouse.server.web.limits import RateLimitError


@pytest.mark.parametrize(
    ("one", "other"),
    [("Anna", "ANNA"), ("Anna", "Аnnа"), ("Bill", "BiII"), ("ole", "0le"), ("René", "rene")],
)
def test_names_that_look_alike_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_names_that_differ_have_different_keys() -> None:
    names = ["Anna", "Hanna", "Ann", "Bob", "张伟", "李娜", "Ольга", "Нина"]
    assert len({name_key(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "A",
        "x" * 21,
        "a\u202eb",
        "a\u200bb",
        "Admin",
        "0perator",
        "-dash",
        "a/b",
        "a  b",
        "..",
        "<b>",
    ],
)
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        check_name(name)


@pytest.mark.parametrize("name", ["Anna", "张伟", "Jean-Luc", "O'Neil", "r2 d2", " Bo "])
def test_good_names_are_accepted(name: str) -> None:
    assert check_name(name) == name.strip()


def test_names_of_guests_are_marked() -> None:
    assert guest_name("Anna") == guest_name("Anna (guest)") == "Anna (guest)"
    assert len(guest_name("x" * 40)) == 40


@pytest.mark.parametrize(
    "password",
    ["password", "P@ssw0rd!", "Summer2024!", "12345678", "qwertyuiop", "aaaaaaaaa", "Berta1999"],
)
def test_common_passwords_are_refused(password: str) -> None:
    assert too_common(password, "Berta")


@pytest.mark.parametrize("password", [PASSWORD, "xkQ9vbnP", "four green teapots sing"])
def test_other_passwords_are_accepted(password: str) -> None:
    assert too_common(password, "Berta") is None


def test_passwords_are_hashed_again_when_parameters_change() -> None:
    async def work() -> None:
        old, new = Passwords(1), Passwords(2)
        stored = await old.hash(PASSWORD)
        assert stored.startswith("$argon2id$")
        assert (await old.verify(stored, PASSWORD)).new_hash is None
        again = (await new.verify(stored, PASSWORD)).new_hash
        assert again is not None
        assert again != stored
        assert (await new.verify(again, PASSWORD)).new_hash is None
        assert not (await new.verify(again, "another")).right
        assert not (await new.verify(None, PASSWORD)).right  # the dummy's cost is the same
        assert not (await new.verify("damaged", PASSWORD)).right
        old.close()
        new.close()

    asyncio.run(work())


def test_failed_attempts_wait_longer_and_longer_but_not_for_ever() -> None:
    now = 0.0
    attempts = Attempts(lambda: now)
    keys = [("name", "anna")]
    for _ in range(FREE_ATTEMPTS["name"]):
        attempts.begin(keys)
    waits = []
    for _ in range(15):
        with pytest.raises(AttemptsError) as refused:
            attempts.begin(keys)
        waits.append(refused.value.retry_after)
        now += refused.value.retry_after
        attempts.begin(keys)
    assert waits == sorted(waits)
    assert waits[0] == 2
    assert waits[-1] == 900
    attempts.begin([("device", "anna/known")])  # unaffected
    now += 900
    attempts.begin(keys)
    attempts.succeed(keys)
    attempts.begin(keys)


def test_browsers_in_words() -> None:
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
    assert describe_browser(agent) == "Firefox on Linux"
    assert describe_browser("") == "Unknown browser"


def test_sign_ups_at_once_are_limited_too() -> None:
    quota = SignUpQuota(2)
    for _ in range(3):
        quota.check("address")
    for _ in range(2):
        quota.add("address")
    for refused in (quota.add, quota.check):
        with pytest.raises(RateLimitError, match="new accounts"):
            refused("address")
    quota.check("another")
