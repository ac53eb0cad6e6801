"""The pages ask for a token if the user has no token, has a wrong token, or has signed out. A user who has signed out is also
asked after a reload."""

from browser import check, expect_hidden, expect_visible, run_script


def run(fixture):
    session = fixture.open()
    page = fixture.page()
    for path in ("/", f"/play/{session}"):
        page.goto(fixture.base_url + path)
        expect_visible(page, "#signin label", "Token")
        expect_visible(page, "#signin .help", "gamectl token add NAME")
        expect_hidden(page, "#page")
        check(page.inner_text("#signin .message") == "", "a user without a token sees an error message")

    wrong = "0" * len(fixture.token)
    page.goto("about:blank")
    page.goto(f"{fixture.base_url}/#token={wrong}")
    expect_visible(page, "#signin .message", "not known")
    check(wrong not in page.url, f"the wrong token is still in the address: {page.url}")

    page.fill("#token", wrong)
    page.click("#signin button")
    expect_visible(page, "#signin .message", "not known")
    page.fill("#token", fixture.token)
    page.click("#signin button")
    expect_visible(page, "#connection-state[data-state=open]", "Live")
    expect_hidden(page, "#signin")

    page.reload()
    expect_visible(page, "#connection-state[data-state=open]", "Live")
    page.click("#signout")
    expect_visible(page, "#signin label", "Token")
    page.reload()
    expect_visible(page, "#signin label", "Token")
    expect_hidden(page, "#page")


run_script("stranger", run)
