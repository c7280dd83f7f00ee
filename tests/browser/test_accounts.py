"""A guest plays, signs up, and goes on with the game in a second browser."""

from __future__ import annotations

import random

from playwright.sync_api import expect
from support.accounts import PASSWORD
from support.axe import violations
from support.browser import NewUser

import teahouse as th

GAME = th.games()[0]


def test_a_guest_signs_up_and_goes_on_elsewhere(new_user: NewUser) -> None:
    guest = new_user()
    page = guest.page
    table = guest.create_table(GAME, {}, ["local", "bot-1"])
    guest.play_random_move(random.Random(1))
    page.click("#open-settings")
    page.check("[name=colours][value=colour-blind]")
    page.keyboard.press("Escape")
    page.click("text=Sign in")
    page.click("text=Sign up")
    assert not violations(guest), "sign up"
    page.fill("[name=name]", "Rosa")
    page.fill("[name=password]", "password1")
    expect(page.locator("#bring-games input")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.locator("#error")).to_contain_text("common")
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/tables/{table}")  # where they came from
    expect(page.locator(".seat.yours .profile")).to_have_text("Rosa")
    page.click("#open-account")
    expect(page.locator(".account-name")).to_have_text("Rosa")
    assert not violations(guest), "menu"
    guest.expect_answers(422)

    phone = new_user(size=(390, 844))
    there = phone.page
    phone.open("/mine")
    expect(there.locator("#lists")).to_contain_text("No games yet")
    there.click("text=Sign in")
    there.fill("[name=name]", "rosa")
    there.fill("[name=password]", "not the password")
    there.keyboard.press("Enter")
    expect(there.locator("#error")).to_have_text("The name or the password is not right.")
    assert not violations(phone), "sign in"
    there.fill("[name=password]", PASSWORD)
    there.keyboard.press("Enter")
    there.wait_for_url("**/mine")
    expect(there.locator("html")).to_have_attribute("data-colours", "colour-blind")
    there.click(f"a[href='/tables/{table}']")
    phone.play_random_move(random.Random(2))
    there.click("#open-account")
    there.click("#sign-out")
    expect(there.locator(".sign-in-link")).to_be_visible()
    expect(there.locator(".seat .profile")).to_have_text("Rosa")
    expect(there.locator(".seat.yours")).to_have_count(0)
    phone.expect_answers(401)
    page.keyboard.press("Escape")
    guest.play_random_move(random.Random(3))  # the first browser is still signed in
