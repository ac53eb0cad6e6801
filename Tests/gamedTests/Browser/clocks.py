"""The pages draw stopwatches, countdowns in overtime and paused timers, and no ring for a mark on a countdown."""

from browser import check, expect_visible, run_script


def run(fixture):
    session, server = fixture.session, fixture.server
    server.call("open", session=session, flow="clocks")
    desk = fixture.page()
    desk.goto(f"{fixture.base_url}/#token={fixture.token}&session={session}")
    desk.click(f'#roster a[data-session="{session}"]')
    expect_visible(desk, ".timers", "Time")
    server.call("advance", by="5s")
    expect_visible(desk, ".timers", "−0:02")
    expect_visible(desk, ".timers", "0:05")
    expect_visible(desk, ".timers", "Bonus")
    # Two rooms of a flow with several languages differ in their language.
    expect_visible(desk, "#present-state .session", " · en")
    server.call("open", session=f"{session}-2", flow="clocks", settings={"language": "de"})
    expect_visible(desk, f'#roster a[data-session="{session}-2"] .team', "de")
    server.send(f"{session}-2", "go")
    rows = server.call("list")["sessions"]
    languages = {row["session"]: row.get("language") for row in rows}
    check(languages[session] == "en" and languages[f"{session}-2"] == "de", f"the list has the languages {languages}")
    expect_visible(desk, f'#roster a[data-session="{session}-2"] .team', "de")
    check("NaN" not in desk.inner_text("body"), "the desk shows NaN")
    check(desk.locator(".timers .timer").count() == 3, "the mark on a countdown has a ring")
    fixture.save_picture(desk, "clocks-desk")

    guest = server.call("token", action="add", name="guest")["token"]
    page = fixture.page()
    page.goto(f"{fixture.base_url}/play/{session}#token={guest}")
    expect_visible(page, ".rings", "−0:02")
    check(page.locator(".rings .ring").count() == 1, "the page shows more than the big clock")
    expect_visible(page, "button", "Next")
    german = fixture.page()
    german.goto(f"{fixture.base_url}/play/{session}?language=de#token={guest}")
    expect_visible(german, "button", "Weiter")
    fixture.save_picture(german, "clocks-german")
    server.call("close", session=f"{session}-2")

    # Durations are written as people read them.
    labels = desk.locator("#diagram g.node text").all_text_contents()
    check("later after 1 h (paused)" in labels and "early at 10 min left (paused)" in labels, f"the diagram has {labels}")
    check("end after 3 s" in labels, f"the diagram has {labels}")
    server.send(session, "slow")
    expect_visible(desk, ".timers", "of 30 s")
    fixture.save_picture(desk, "clocks-durations")


run_script("clocks", run)
