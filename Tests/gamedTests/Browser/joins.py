"""At the desk, the operator invites a player. A tablet joins with the code, buzzes with the name of the invitation, and opens
the link."""

from browser import PHONE, check, expect_hidden, expect_visible, run_script
from fitting import SIZES, expect_fit

NAME = "آن 安"


def run(fixture):
    session = fixture.open("quiz")
    desk = fixture.desk()
    desk.click("#screens button:has-text('Invite')")
    desk.fill("dialog[open] input[name=as]", NAME)
    desk.check("dialog[open] input[name=once]")
    desk.click("dialog[open] button[type=submit]")
    expect_visible(desk, "dialog[open] .code")
    for width, height in SIZES:
        desk.set_viewport_size({"width": width, "height": height})
        expect_fit(
            desk, "dialog[open] :is(h2, button)", "dialog[open] :is(a, button)", f"invitation, {width}x{height}")
    code = desk.inner_text("dialog[open] .code")
    link = desk.get_attribute("dialog[open] a", "href")
    qr_code = desk.locator("dialog[open] .picture svg").bounding_box()
    check(qr_code["width"] > 200, f"the QR code is {qr_code['width']} wide")
    desk.click("dialog[open] button:has-text('Done')")
    # The dialog is emptied in its `close` event, a moment after the click.
    desk.wait_for_function("link => !document.documentElement.outerHTML.includes(link)", arg=link)

    tablet = fixture.page(viewport=PHONE)
    tablet.goto(f"{fixture.base_url}/join")
    expect_visible(tablet, "#join button")
    width = tablet.evaluate("Math.max(...[...document.querySelectorAll('body *')].map(each => each.getBoundingClientRect().right))")
    check(width <= PHONE["width"] + 1, f"the page at which guests join needs {width} px")
    tablet.fill("#code", "AAAAAA")
    tablet.click("#join button")
    expect_visible(tablet, "#message", "not known")
    tablet.fill("#code", code.lower())
    tablet.click("#join button")
    tablet.wait_for_url(f"**/play/{session}")
    expect_visible(tablet, "#state", "Lobby")

    fixture.server.send(session, "start", rounds=2)
    expect_visible(tablet, "button[data-event=buzz]")
    expect_hidden(tablet, "input[name=player]")
    tablet.click("button[data-event=buzz]")
    expect_visible(tablet, "#state", "Locked")
    player = fixture.server.call("status", session=session)["data"]["player"]
    check(player == NAME, f"{player} has buzzed")

    expect_visible(desk, "#screens li[data-state=up]", NAME)

    # The link is for one person: the same tablet can open it again in another tab, but another tablet cannot.
    second_tab = tablet.context.new_page()
    second_tab.goto(link)
    second_tab.wait_for_url(f"**/play/{session}")
    expect_visible(second_tab, "#state", "Locked")
    other_tablet = fixture.page(viewport=PHONE)
    other_tablet.goto(link)
    expect_visible(other_tablet, "#message", "for one person")
    check(link.split("#")[1] not in other_tablet.url, f"the link's text is still in the address: {other_tablet.url}")

    tablet.context.close()
    expect_visible(desk, "#screens li[data-state=down]", NAME)

    # A wall and an overlay have links of their own, and may only watch.
    for target, address in (("wall", f"/play/{session}?screen=wall"), ("overlay", f"/overlay/{session}")):
        desk.click("#screens button:has-text('Invite')")
        desk.select_option("dialog[open] select[name=opens]", target)
        desk.click("dialog[open] button[type=submit]")
        expect_visible(desk, "dialog[open] .code")
        expect_visible(desk, "dialog[open] .picture svg")
        fixture.save_picture(desk, f"invitation-{target}")
        screen = fixture.page()
        screen.goto(desk.get_attribute("dialog[open] a", "href"))
        screen.wait_for_url(lambda url, address=address: url.endswith(address))
        expect_visible(screen, "#state", "Locked")
        connected = [each for each in fixture.server.call("screens", session=session)["screens"] if each["connections"]]
        check([each["role"] for each in connected] == ["observe"], f"a screen may play: {connected}")
        screen.context.close()
        desk.click("dialog[open] button:has-text('Done')")


run_script("joins", run)
