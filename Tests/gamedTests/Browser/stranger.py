"""The page asks users without a valid token for one, also after a reload once they have signed out."""

from browser import check, gone, see, tell


def run(stage):
    session = stage.open()
    page = stage.page()
    for path in ("/", f"/play/{session}"):
        page.goto(stage.base + path)
        see(page, "#signin label", "Token")
        see(page, "#signin .help", "gamectl token add NAME")
        gone(page, "#page")
        check(page.inner_text("#signin .message") == "", "somebody without a token is scolded")

    wrong = "0" * len(stage.token)
    page.goto("about:blank")
    page.goto(f"{stage.base}/#token={wrong}")
    see(page, "#signin .message", "not known")
    check(wrong not in page.url, f"the wrong token is still in the address: {page.url}")

    page.fill("#token", wrong)
    page.click("#signin button")
    see(page, "#signin .message", "not known")
    page.fill("#token", stage.token)
    page.click("#signin button")
    see(page, "#link[data-link=open]", "Live")
    gone(page, "#signin")

    page.reload()
    see(page, "#link[data-link=open]", "Live")
    page.click("#signout")
    see(page, "#signin label", "Token")
    page.reload()
    see(page, "#signin label", "Token")
    gone(page, "#page")


tell("stranger", run)
