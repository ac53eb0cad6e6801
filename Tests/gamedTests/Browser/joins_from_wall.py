"""The wall shows a QR code and a code to type while the state lets people join; a phone joins with the code, and has its buzzer."""

from browser import PHONE, check, expect_hidden, expect_visible, run_script, wait_until

# Whether the QR code and the code are completely on the screen, and the picture is drawn.
FITS = """() => {
    const boxes = ["#joining img", ".join-code"].map((each) => document.querySelector(each).getBoundingClientRect());
    const image = document.querySelector("#joining img");
    return image.naturalWidth > 0
        && boxes.every(({ top, left, bottom, right }) => top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth);
}"""


def run(fixture):
    session = fixture.session
    fixture.server.call("open", session=session, flow="party")
    hall_token = fixture.server.call("token", action="add", name="hall")["token"]
    for theme in ("light", "dark"):
        for width, height in ((1920, 1080), (1280, 800), (360, 740), (768, 1024), (1024, 600)):
            kind = "wall" if width >= 1280 else "page"
            page = fixture.page(viewport={"width": width, "height": height}, color_scheme=theme)
            suffix = "?screen=wall" if kind == "wall" else ""
            page.goto(f"{fixture.base_url}/play/{session}{suffix}#token={hall_token}")
            expect_visible(page, ".join-code")
            wait_until(page, FITS, f"the code is not on a {kind} of {width}x{height}")
            fixture.save_picture(page, f"join-{kind}-{width}-{theme}")
            page.context.close()

    wall = fixture.page(viewport={"width": 1920, "height": 1080})
    wall.goto(f"{fixture.base_url}/play/{session}?screen=wall#token={hall_token}")
    expect_visible(wall, ".join-code")
    code = wall.inner_text(".join-code")
    size = wall.evaluate("parseFloat(getComputedStyle(document.querySelector('.join-code')).fontSize)")
    check(size >= 72, f"the code has only {size} px")

    phone = fixture.page(viewport=PHONE)
    phone.goto(f"{fixture.base_url}/join")
    phone.fill("#code", code)
    phone.click("#join button")
    # A phone with a buzzer has nothing else.
    expect_visible(phone, ".buzzer-name, .buzzer")
    expect_hidden(phone, "#joining")

    fixture.server.send(session, "begin")
    expect_visible(wall, "#state", "Round one")
    expect_hidden(wall, "#joining")
    check(fixture.server.call("status", session=session).get("show", {}).get("join") is None, "the code is still shown")
    fixture.server.send(session, "home")
    expect_visible(wall, ".join-code", code)


run_script("joins_from_wall", run)
