"""The texts of the players' page follow the data of the session, and nobody sees the state's own title there."""

from browser import check, expect_visible, run_script


def run(fixture):
    session, server = fixture.session, fixture.server
    server.call("open", session=session, flow="round")
    guest = server.call("token", action="add", name="guest")["token"]
    page = fixture.page()
    page.goto(f"{fixture.base_url}/play/{session}#token={guest}")
    expect_visible(page, "#state", "Question 1")
    expect_visible(page, "#state-text", "10 spiders")
    change = server.send(session, "right")
    check(change["show"]["title"] == "Question 2", f"the change shows {change.get('show')}")
    expect_visible(page, "#state", "Question 2")
    expect_visible(page, "#state-text", "20 spiders")
    fixture.save_picture(page, "computed-screen")
    server.call("undo", session=session)
    expect_visible(page, "#state", "Question 1")
    server.send(session, "right")
    server.send(session, "done")
    expect_visible(page, "#state", "10 points")
    page.reload()
    expect_visible(page, "#state", "10 points")
    check("internal" not in page.content().lower(), "the page shows the state's title")


run_script("computed_screen", run)
