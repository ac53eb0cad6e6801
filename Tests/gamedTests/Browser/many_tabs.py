"""A browser has six connections to a server that speaks HTTP/1.1. With six tabs, a press gets no answer, and the page says so."""

from browser import expect_visible, run_script

TAB_COUNT = 6


def run(fixture):
    session = fixture.open()
    first = fixture.kiosk()
    expect_visible(first, "button[data-event=startPlaying]")
    for _ in range(TAB_COUNT - 1):
        tab = first.context.new_page()
        # The last tab takes the last connection for its events, so its other requests wait. A press before the response would
        # get the connection first.
        with tab.expect_response("**/v1/events?*"):
            tab.goto(f"{fixture.base_url}/play/{session}", wait_until="commit")
    first.bring_to_front()
    first.click("button[data-event=startPlaying]")
    expect_visible(first, "#notice", "close other tabs of this browser")


run_script("many_tabs", run)
