"""Records in notebooks: buttons and a slider step through the moves, without anything loaded."""

from playwright.sync_api import Browser, expect
from support.axe import violations
from support.browser import User
from support.pictures import record_of

import teahouse as th

MOVES = 5
VISIBLE = """root => [...root.querySelectorAll("svg [data-plies]")]
  .filter((part) => getComputedStyle(part).display !== "none").length"""


def test_stepping(browser: Browser) -> None:
    records = [record_of(name, MOVES) for name in th.games()]
    with browser.new_context(viewport={"width": 390, "height": 800}) as context:
        user = User(context)
        page = user.page
        page.on("request", lambda request: user.errors.append(request.url))
        shown = "".join(record._repr_html_() for record in records)
        page.set_content(
            f'<html lang="en"><title>Records</title><main><h1>Records</h1>{shown}</main></html>'
        )
        for number, record in enumerate(records):
            root = page.locator(".teahouse-record").nth(number)
            caption = root.locator(".teahouse-caption")
            expect(caption).to_contain_text(f"{MOVES} of {MOVES}")
            whole = root.evaluate(VISIBLE)
            root.get_by_role("button", name="First position").click()
            expect(caption).to_contain_text("start of the game")
            expect(root.get_by_role("button", name="One move back")).to_be_disabled()
            first = root.evaluate(VISIBLE)
            root.get_by_role("button", name="One move forward").click()
            described = record.positions[0].describe(record.moves[0])
            expect(caption).to_have_text(f"1 of {MOVES}: {described}")
            expect(root.get_by_role("img", name=described)).to_be_visible()
            root.get_by_role("slider").press("End")
            expect(caption).to_contain_text(f"{MOVES} of {MOVES}")
            assert root.evaluate(VISIBLE) == whole != first
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert not violations(user)
        assert not user.errors


def test_without_scripts_the_last_position_is_shown(browser: Browser) -> None:
    record = record_of(th.games()[0], MOVES)
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.set_content(record._repr_html_())
        expect(page.get_by_text(f"{MOVES} of {MOVES}")).to_be_visible()
        expect(page.get_by_role("button")).to_have_count(0)
        expect(page.locator("svg").first).to_be_visible()
