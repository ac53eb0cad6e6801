"""The desk lists tokens, revokes one after confirmation, and makes an invitation with a role, an end and fixed
arguments."""

from accessible import inspect
from browser import PHONE, check, gone, see, tell


# Returns parts of the open dialog that are outside of the screen. The dialog may scroll vertically.
DIALOG = """() => {
    const dialog = document.querySelector('dialog[open]');
    const { left, top, right, bottom } = dialog.getBoundingClientRect();
    const faults = [];
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) faults.push('it is outside of the screen');
    for (const each of dialog.querySelectorAll('input, select, button, summary')) {
        const place = each.getBoundingClientRect();
        if (each.checkVisibility() && (place.left < left || place.right > right)) faults.push(each.name || each.textContent);
    }
    return faults;
}"""


def row(name):
    return f'#tokens li[data-token="{name}"]'


def invite(stage, desk):
    """Makes an invitation for an hour, to one event with one argument."""
    desk.click("#screens button:has-text('Invite')")
    desk.fill("dialog[open] input[name=as]", "Ann")
    desk.select_option("dialog[open] select[name=for]", "1h")
    desk.click("dialog[open] details.limits summary")
    desk.select_option("dialog[open] select[name=event]", "start")
    desk.fill("dialog[open] input[name=rounds]", "3")
    inspect(desk, "the invite dialog")
    desk.click("dialog[open] button[type=submit]")
    see(desk, "dialog[open] .code")
    link = desk.get_attribute("dialog[open] a", "href")
    desk.click("dialog[open] button:has-text('Done')")
    return link


def run(stage):
    session = stage.open("quiz")
    hall = stage.server.call("token", action="add", name="hall")["token"]
    desk = stage.desk()
    desk.click("#tokens summary")
    see(desk, row("hall"), "play in every session")
    see(desk, row("hall"), "does not expire")
    see(desk, row("desk"), "this page")
    link = invite(stage, desk)
    see(desk, "#tokens li", "invitation")
    details = stage.server.call("token", action="list")["details"]
    made = next(each for each in details if each["use"] == "invitation")
    check(made["sessions"] == [session] and made["role"] == "play" and made["as"] == "Ann", f"{made}")
    see(desk, row(made["name"]), f"play in {session}")

    tablet = stage.page(viewport=PHONE)
    tablet.goto(link)
    tablet.wait_for_url(f"**/play/{session}")
    see(tablet, "button[data-event=start]")
    gone(tablet, "#board input[name=rounds]")
    tablet.click("button[data-event=start]")
    see(tablet, "#state", "Question")
    rounds = stage.server.call("status", session=session)["data"]["rounds"]
    check(rounds == 3, f"the quiz has {rounds} rounds")
    gone(tablet, "button[data-event=buzz]")

    # If the operator does not confirm, no token is revoked.
    desk.click(f"{row(made['name'])} button")
    see(desk, "dialog[open] h2", "Revoke this token?")
    inspect(desk, "the question before a token is revoked")
    desk.click("dialog[open] button:has-text('Cancel')")
    see(tablet, "#state", "Question")
    desk.click(f"{row(made['name'])} button")
    see(desk, "dialog[open]", "those who joined")
    desk.click("dialog[open] button.danger")
    gone(desk, row(made["name"]))
    see(tablet, "#signin label", "Token")

    other = stage.page()
    other.goto(f"{stage.base}/#token={hall}")
    see(other, "#who", "hall · play")
    gone(other, "#tokens")
    # With one node there is nothing to show.
    gone(desk, "#nodes")
    inspect(desk, "the desk with its tokens")
    for width, height in ((1024, 600), (390, 844)):
        desk.set_viewport_size({"width": width, "height": height})
        wide = desk.evaluate("document.documentElement.scrollWidth > innerWidth")
        check(not wide, f"the tokens are too wide for {width}x{height}")
        desk.click("#screens button:has-text('Invite')")
        desk.click("dialog[open] details.limits summary")
        faults = desk.evaluate(DIALOG)
        check(not faults, f"the invite dialog, {width}x{height}: {faults}")
        desk.click("dialog[open] button:has-text('Cancel')")


tell("tokens", run)
