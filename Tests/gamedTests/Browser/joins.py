"""The operator invites Ann at the desk. Her tablet joins by the code, then by the link, and buzzes as Ann."""

from browser import PHONE, check, gone, see, tell

NAME = "آن 安"


def run(stage):
    session = stage.open("quiz")
    desk = stage.desk()
    desk.click("#screens button:has-text('Invite')")
    desk.fill("dialog[open] input[name=as]", NAME)
    desk.check("dialog[open] input[name=once]")
    desk.click("dialog[open] button[type=submit]")
    see(desk, "dialog[open] .code")
    code = desk.inner_text("dialog[open] .code")
    link = desk.get_attribute("dialog[open] a", "href")
    box = desk.locator("dialog[open] .picture svg").bounding_box()
    check(box["width"] > 200, f"the QR code is {box['width']} wide")
    desk.click("dialog[open] button:has-text('Done')")
    # The dialog empties itself in its `close` event, which comes a moment after the click; waits, and fails after a time.
    desk.wait_for_function("link => !document.documentElement.outerHTML.includes(link)", arg=link)

    tablet = stage.page(viewport=PHONE)
    tablet.goto(f"{stage.base}/join")
    tablet.fill("#code", "AAAAAA")
    tablet.click("#join button")
    see(tablet, "#message", "not known")
    tablet.fill("#code", code.lower())
    tablet.click("#join button")
    tablet.wait_for_url(f"**/play/{session}")
    see(tablet, "#state", "Lobby")

    stage.server.send(session, "start", rounds=2)
    see(tablet, "button[data-event=buzz]")
    gone(tablet, "input[name=player]")
    tablet.click("button[data-event=buzz]")
    see(tablet, "#state", "Locked")
    player = stage.server.call("status", session=session)["data"]["player"]
    check(player == NAME, f"{player} has buzzed")

    see(desk, "#screens li[data-state=up]", NAME)

    # The link is for one person: the same tablet can open it again in another tab, but another tablet cannot.
    second = tablet.context.new_page()
    second.goto(link)
    second.wait_for_url(f"**/play/{session}")
    see(second, "#state", "Locked")
    other = stage.page(viewport=PHONE)
    other.goto(link)
    see(other, "#message", "for one person")
    check(link.split("#")[1] not in other.url, f"the link's text is still in the address: {other.url}")

    tablet.context.close()
    see(desk, "#screens li[data-state=down]", NAME)


tell("joins", run)
