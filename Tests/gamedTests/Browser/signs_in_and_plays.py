"""Signs in by the token in the address, and plays a level with the mouse."""

from browser import check, choose, gone, log_positions, see, tell


def run(stage):
    session = stage.open()
    page = stage.page()
    page.goto(f"{stage.base}/#token={stage.token}")
    see(page, "#link[data-link=open]", "Live")
    check(stage.token not in page.url, f"the token is still in the address: {page.url}")
    kept = page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
    check(stage.token not in kept, f"the page can read the token: {kept}")
    choose(page, session)

    see(page, "#state", "Introduction")
    page.click("button[data-event=startPlaying]")
    see(page, "#state", "Choosing episode")
    page.fill("#now input[name=episode]", "2")
    page.click("button[data-event=chooseEpisode]")
    see(page, "#state", "Choosing level")
    page.fill("#now input[name=level]", "3")
    page.click("button[data-event=chooseLevel]")
    see(page, "#state", "Playing level")
    see(page, ".ring[data-fires=timeUp]", "of 1:30")
    see(page, ".ring[data-fires=tick]", "every 1 s")
    page.fill("#now input[name=score]", "870")
    page.click("button[data-event=completeLevel]")
    see(page, "#state", "Finished level")
    see(page, "#now .data", "870")
    gone(page, ".ring[data-fires=timeUp]")

    see(page, "#diagram .node.lit", "finishedLevel")
    see(page, '#diagram .edge[data-road="0"]', "completeLevel")
    see(page, "#log li", "chooseLevel level=3")
    numbers = [record["pos"] for record in stage.server.history(session)]
    shown = log_positions(page)
    check(shown == numbers, f"the log shows {shown}, the history has {numbers}")


tell("signs_in_and_plays", run)
