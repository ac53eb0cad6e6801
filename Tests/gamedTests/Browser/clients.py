"""The desk lists the connected clients, what they watch and how much they send, and disconnects one of them after confirmation."""

import contextlib
import os
import socket

from accessible import check_accessibility
from browser import check, expect_hidden, expect_visible, run_script
from fitting import SIZES, expect_fit

ROW = "#clients li"


class WatchingClient:
    """A client of the daemon's UNIX socket."""

    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        self.lines = self.connection.makefile("rb")

    def ask(self, line):
        self.connection.sendall(line.encode() + b"\n")
        return self.lines.readline().decode()

    def is_disconnected(self):
        """Waits for the end of the connection. A connection that lasts makes the script fail after the timeout."""
        self.connection.settimeout(60)
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            return self.lines.read() == b""
        return False


def check_sizes(fixture, desk):
    """Checks the list and the question on all screens, in both colour schemes."""
    for theme in ("light", "dark"):
        desk.emulate_media(color_scheme=theme)
        for width, height in SIZES:
            desk.set_viewport_size({"width": width, "height": height})
            expect_fit(desk, "#none", "#clients :is(button, summary)", f"the clients, {theme}, {width}x{height}")
            heights = desk.eval_on_selector_all(f"{ROW} button", "buttons => buttons.map(each => each.offsetHeight)")
            check(len(set(heights)) == 1, f"a button has several lines, {theme}, {width}x{height}: {heights}")
            is_too_wide = desk.evaluate("document.documentElement.scrollWidth > innerWidth")
            check(not is_too_wide, f"the clients are too wide for {width}x{height}")
            desk.locator("#clients summary").evaluate("each => each.scrollIntoView({block: 'center'})")
            fixture.save_picture(desk, f"clients-{theme}-{width}")
            desk.locator(f"{ROW} button").first.click()
            expect_fit(
                desk, "dialog[open] :is(h2, p, button)", "dialog[open] button", f"the question, {theme}, {width}x{height}")
            fixture.save_picture(desk, f"disconnect-{theme}-{width}")
            desk.click("dialog[open] button:has-text('Cancel')")


def run(fixture):
    session = fixture.open()
    hall_token = fixture.server.call("token", action="add", name="hall")["token"]
    client = WatchingClient(fixture.socket_path)
    client.ask(f"watch @{session} topics=changes,beats")
    client.ask(f"send @{session} nonsense")
    desk = fixture.desk()
    desk.click("#clients summary")
    row = f"{ROW}:has-text('watches {session} (changes, beats)')"
    expect_visible(desk, row, f"uid:{os.getuid()}")
    expect_visible(desk, row, f"pid {os.getpid()} · operate")
    expect_visible(desk, row, "2 requests a minute, 1 refused")
    # The stream of this page.
    expect_visible(desk, f"{ROW}:has-text('stream')", "this page's identity")
    check_accessibility(desk, "the desk with its clients")

    # The list is drawn again each second. The button keeps the focus.
    desk.focus(f"{row} button")
    client.ask("ping")
    expect_visible(desk, row, "3 requests a minute")
    check(desk.evaluate("document.activeElement.textContent") == "Disconnect", "the button has lost the focus")

    # If the operator does not confirm, no client is disconnected. A hurried second press does not confirm.
    desk.keyboard.press("Enter")
    expect_visible(desk, "dialog[open] h2", "Disconnect this client?")
    check_accessibility(desk, "the question before a client is disconnected")
    desk.keyboard.press("Enter")
    expect_hidden(desk, "dialog[open]")
    check("OK" in client.ask("ping"), "the client was disconnected without confirmation")
    check_sizes(fixture, desk)

    desk.click(f"{row} button")
    expect_visible(desk, "dialog[open]", f"(pid {os.getpid()}) loses its connection. It may connect again.")
    desk.click("dialog[open] button.danger")
    expect_hidden(desk, row)
    check(client.is_disconnected(), "the client is still connected")

    # The page that disconnects itself connects again.
    desk.click(f"{ROW}:has-text('stream') button")
    expect_visible(desk, "dialog[open]", "revoke its token")
    expect_visible(desk, "dialog[open]", "a connection of this page")
    desk.click("dialog[open] button.danger")
    expect_hidden(desk, "dialog[open]")
    expect_visible(desk, "#connection-state[data-state=open]", "Live")
    expect_visible(desk, f"{ROW}:has-text('stream')", "this page's identity")

    hall_desk = fixture.page()
    hall_desk.goto(f"{fixture.base_url}/#token={hall_token}")
    expect_visible(hall_desk, "#identity", "hall · play")
    expect_hidden(hall_desk, "#clients")


run_script("clients", run)
