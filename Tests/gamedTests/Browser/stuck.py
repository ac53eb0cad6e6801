"""The desk marks a stuck session without a reload."""

from browser import expect_visible, run_script

MARK = '#roster a[data-session="{}"] .mark'


def run(fixture):
    fixture.require_clock("virtual")
    session = fixture.open()
    desk = fixture.desk()
    # After 20 visits of one second, a longer visit counts as stuck.
    for _ in range(20):
        fixture.server.call("advance", by="1s")
        fixture.server.call("goto", session=session, state="introduction")
    fixture.server.call("advance", by="1001ms")
    expect_visible(desk, MARK.format(session), "stuck")
    # The mark disappears when the session enters another state.
    fixture.server.call("send", session=session, event="displayHelp")
    expect_visible(desk, f'#roster a[data-session="{session}"]:not(:has(.stuck)) .state', "Help")


run_script("stuck", run)
