"""A user signs in with the token in the address, and plays a level with the mouse."""

from browser import check, expect_hidden, expect_visible, log_positions, run_script, select_session


def run(fixture):
    session = fixture.open()
    page = fixture.page()
    page.goto(f"{fixture.base_url}/#token={fixture.token}")
    expect_visible(page, "#connection-state[data-state=open]", "Live")
    check(fixture.token not in page.url, f"the token is still in the address: {page.url}")
    stored_texts = page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
    check(fixture.token not in stored_texts, f"the page can read the token: {stored_texts}")
    select_session(page, session)

    expect_visible(page, "#state", "Introduction")
    page.click("button[data-event=startPlaying]")
    expect_visible(page, "#state", "Choosing episode")
    page.fill("#present-state input[name=episode]", "2")
    page.click("button[data-event=chooseEpisode]")
    expect_visible(page, "#state", "Choosing level")
    page.fill("#present-state input[name=level]", "3")
    page.click("button[data-event=chooseLevel]")
    expect_visible(page, "#state", "Playing level")
    expect_visible(page, ".ring[data-fires=timeUp]", "of 1:30")
    expect_visible(page, ".ring[data-fires=tick]", "every 1 s")
    page.fill("#present-state input[name=score]", "870")
    page.click("button[data-event=completeLevel]")
    expect_visible(page, "#state", "Finished level")
    expect_visible(page, "#present-state .data", "870")
    expect_hidden(page, ".ring[data-fires=timeUp]")

    expect_visible(page, "#diagram .node.present", "finishedLevel")
    expect_visible(page, '#diagram .edge[data-age="0"]', "completeLevel")
    expect_visible(page, "#log li", "chooseLevel level=3")
    positions = [record["pos"] for record in fixture.server.history(session)]
    shown = log_positions(page)
    check(shown == positions, f"the log shows {shown}, the history has {positions}")


run_script("signs_in_and_plays", run)
