"""The desk marks a session that stays in a state longer than usual, without being asked."""

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
    # A new entry is not stuck.
    stage.server.call("send", session=session, event="displayHelp")
    see(desk, f'#roster a[data-session="{session}"]:not(:has(.stuck)) .state', "Help")


tell("stuck", run)
