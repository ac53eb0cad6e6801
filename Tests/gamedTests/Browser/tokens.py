"""The desk lists tokens, revokes a token after confirmation, and makes an invitation that expires and allows one event with
a fixed argument."""

from accessible import check_accessibility
from browser import PHONE, check, expect_hidden, expect_visible, run_script

# Returns the faults of the open dialog. If the dialog is not completely on the screen, the first fault is a sentence about
# that. The other faults are the names or texts of the controls that extend beyond the dialog's left or right edge. A control
# may be below the lower edge, because the dialog scrolls vertically.
FIND_DIALOG_FAULTS = """() => {
    const dialog = document.querySelector('dialog[open]');
    const { left, top, right, bottom } = dialog.getBoundingClientRect();
    const faults = [];
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) faults.push('the dialog is outside of the screen');
    for (const each of dialog.querySelectorAll('input, select, button, summary')) {
        const box = each.getBoundingClientRect();
        if (each.checkVisibility() && (box.left < left || box.right > right)) faults.push(each.name || each.textContent);
    }
    return faults;
}"""


def token_row(name):
    return f'#tokens li[data-token="{name}"]'


def invite(fixture, desk):
    """Makes an invitation for an hour, which allows one event with one fixed argument. Returns its link."""
    desk.click("#screens button:has-text('Invite')")
    desk.fill("dialog[open] input[name=as]", "Ann")
    desk.select_option("dialog[open] select[name=for]", "1h")
    desk.click("dialog[open] details.limits summary")
    desk.select_option("dialog[open] select[name=event]", "start")
    desk.fill("dialog[open] input[name=rounds]", "3")
    check_accessibility(desk, "the invite dialog")
    desk.click("dialog[open] button[type=submit]")
    expect_visible(desk, "dialog[open] .code")
    link = desk.get_attribute("dialog[open] a", "href")
    desk.click("dialog[open] button:has-text('Done')")
    return link


def take_out(fixture, desk):
    """A guest of a link for all, and a screen with a token of its own. The operator can take out the guest."""
    session = fixture.session
    guest = fixture.page(viewport=PHONE)
    guest.goto(fixture.server.call("invite", session=session, role="observe", **{"as": "Bob"})["link"])
    expect_visible(guest, "#state", "Question")
    screen = fixture.kiosk()
    expect_visible(screen, "#state", "Question")
    expect_visible(desk, "#screens li", "Bob")
    expect_visible(desk, "#screens li", "desk")
    check(desk.locator("#screens li:has-text('desk') button:visible").count() == 0, "a screen that is no guest can be taken out")
    row = desk.locator("#screens li", has_text="Bob")
    row.locator("button").click()
    expect_visible(desk, "dialog[open] h2", "Take this guest out?")
    fixture.save_picture(desk, "take-out")
    desk.keyboard.press("Enter")
    expect_hidden(desk, "dialog[open]")
    expect_visible(guest, "#state", "Question")
    row.locator("button").click()
    desk.click("dialog[open] button.danger")
    expect_visible(guest, "#signin label", "Token")
    row.wait_for(state="detached")
    names = [each.get("as") for each in fixture.server.call("screens", session=session)["screens"]]
    check("Bob" not in names and "Ann" in names, f"the screens are {names}")
    screen.context.close()


def run(fixture):
    session = fixture.open("quiz")
    hall_token = fixture.server.call("token", action="add", name="hall")["token"]
    desk = fixture.desk()
    desk.click("#tokens summary")
    expect_visible(desk, token_row("hall"), "play in every session")
    expect_visible(desk, token_row("hall"), "does not expire")
    expect_visible(desk, token_row("desk"), "this page")
    link = invite(fixture, desk)
    expect_visible(desk, "#tokens li", "invitation")
    details = fixture.server.call("token", action="list")["details"]
    invitation = next(each for each in details if each["use"] == "invitation")
    check(invitation["sessions"] == [session] and invitation["role"] == "play" and invitation["as"] == "Ann", f"{invitation}")
    expect_visible(desk, token_row(invitation["name"]), f"play in {session}")

    tablet = fixture.page(viewport=PHONE)
    tablet.goto(link)
    tablet.wait_for_url(f"**/play/{session}")
    expect_visible(tablet, "button[data-event=start]")
    expect_hidden(tablet, "#board input[name=rounds]")
    tablet.click("button[data-event=start]")
    expect_visible(tablet, "#state", "Question")
    rounds = fixture.server.call("status", session=session)["data"]["rounds"]
    check(rounds == 3, f"the quiz has {rounds} rounds")
    expect_hidden(tablet, "button[data-event=buzz]")

    take_out(fixture, desk)

    # If the operator does not confirm, no token is revoked.
    desk.click(f"{token_row(invitation['name'])} button")
    expect_visible(desk, "dialog[open] h2", "Revoke this token?")
    check_accessibility(desk, "the question before a token is revoked")
    desk.click("dialog[open] button:has-text('Cancel')")
    expect_visible(tablet, "#state", "Question")
    desk.click(f"{token_row(invitation['name'])} button")
    expect_visible(desk, "dialog[open]", "those who joined")
    desk.click("dialog[open] button.danger")
    expect_hidden(desk, token_row(invitation["name"]))
    expect_visible(tablet, "#signin label", "Token")

    hall_desk = fixture.page()
    hall_desk.goto(f"{fixture.base_url}/#token={hall_token}")
    expect_visible(hall_desk, "#identity", "hall · play")
    expect_hidden(hall_desk, "#tokens")
    # A daemon that shares no store has no list of nodes.
    expect_hidden(desk, "#nodes")
    check_accessibility(desk, "the desk with its tokens")
    for width, height in ((1024, 600), (390, 844)):
        desk.set_viewport_size({"width": width, "height": height})
        is_too_wide = desk.evaluate("document.documentElement.scrollWidth > innerWidth")
        check(not is_too_wide, f"the tokens are too wide for {width}x{height}")
        desk.click("#screens button:has-text('Invite')")
        desk.click("dialog[open] details.limits summary")
        faults = desk.evaluate(FIND_DIALOG_FAULTS)
        check(not faults, f"the invite dialog, {width}x{height}: {faults}")
        desk.click("dialog[open] button:has-text('Cancel')")


run_script("tokens", run)
