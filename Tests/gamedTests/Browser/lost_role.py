"""The page shows the user's new role as soon as reloaded rules change it: lost_role.py CONFIG BASE_URL TOKEN SOCKET."""

import os
import pathlib
import signal
import sys

from browser import expect_hidden, expect_visible, run_script
from daemon import Daemon


def run(fixture):
    fixture.open()
    desk = fixture.desk()
    expect_visible(desk, "#identity", "desk · operate")
    configuration = pathlib.Path(sys.argv[1])
    rules, pid = configuration.read_text(), Daemon(fixture.socket_path, fixture.base_url).pid
    try:
        configuration.write_text(rules.replace("desk operate", "desk observe"))
        os.kill(pid, signal.SIGHUP)
        expect_visible(desk, "#identity", "desk · observe")
        expect_hidden(desk, "#present-state .operator-commands")
        expect_hidden(desk, "button[data-event]")
        # The first line is the only rule for the token `desk`.
        configuration.write_text("".join(rules.splitlines(keepends=True)[1:]))
        os.kill(pid, signal.SIGHUP)
        expect_visible(desk, "#signin-message", "No rule of gamed lets you watch")
    finally:
        configuration.write_text(rules)
        os.kill(pid, signal.SIGHUP)
    # When the rights are restored, the user need not enter the token again.
    expect_visible(desk, "#identity", "desk · operate")


run_script("lost_role", run, first_argument="CONFIG")
