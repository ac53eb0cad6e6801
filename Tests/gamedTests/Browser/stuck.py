"""The desk marks a stuck session without a reload."""

from browser import see, tell

MARK = '#roster a[data-session="{}"] .mark'


def run(stage):
    stage.needs_clock("virtual")
    session = stage.open()
    desk = stage.desk()
    for _ in range(20):
        stage.server.call("advance", by="1s")
        stage.server.call("goto", session=session, state="introduction")
    stage.server.call("advance", by="1001ms")
    see(desk, MARK.format(session), "stuck")
    # The mark ends with the entry.
    stage.server.call("send", session=session, event="displayHelp")
    see(desk, f'#roster a[data-session="{session}"]:not(:has(.stuck)) .state', "Help")


tell("stuck", run)
