"""The desk lists all devices, connections and outputs, and says at the top what does not work. Markup in their names is shown as plain text."""

from accessible import check_accessibility
from browser import check, expect_visible, run_script, select_session

DOOR = '#connections .sources li[data-source="door"]'
HAND = '#connections .sources li[data-source="hand"]'
BUZZER = '#connections .sources li[data-source="C0:00:00:00:00:01"]'
OUTPUT = "#connections .outputs li"
DOWN = "#alerts li:has-text('serial door is down')"
FAILED = "#alerts li:has-text('was not sent')"


def run(fixture):
    fixture.require_clock("virtual")
    fixture.open()
    page = fixture.desk()
    expect_visible(page, "#connections h2", "Connections")
    expect_visible(page, DOOR, "serial")
    expect_visible(page, f"{DOOR}[data-state=down]", "down for")
    expect_visible(page, f"{DOOR} .problem", "<b>door</b>")
    expect_visible(page, f"{HAND} .problem", "<img src=x onerror=alert(1)>")
    expect_visible(page, f"{OUTPUT} code", "topic=<i>safe</i>/&amp;")
    injected = page.locator("#connections b b, #connections i, #connections img")
    check(injected.count() == 0, "a name or a topic became an element")

    # The list also contains Bluetooth devices, with the last event of each.
    fixture.server.call("advance", by="2s")
    expect_visible(page, f"{BUZZER}[data-state=up]", "bluetooth")
    expect_visible(page, f"{BUZZER} b", "Red buzzer")
    fixture.server.call("bluetooth", action="press", device="Red buzzer")
    expect_visible(page, f"{BUZZER} .last", "startPlaying → main: enter, 0 s ago")
    fixture.server.call("advance", by="5s")
    expect_visible(page, f"{BUZZER} .last", "5 s ago")

    # With a virtual clock, outputs are off until an operator switches them on.
    expect_visible(page, "#connections[data-outputs=off] .outputs-state", "Outputs are off: nothing is sent")
    expect_visible(page, f"{OUTPUT}[data-state=off]", "2 withheld")
    fixture.server.call("outputs", action="on")
    expect_visible(page, "#connections[data-outputs=on] .outputs-state", "Outputs are on")
    fixture.server.call("send", session="main", event="returnHome")
    expect_visible(page, f"{OUTPUT}[data-state=on]", "1 given up")
    expect_visible(page, f"{OUTPUT} .problem", "the connection is down")

    # What does not work is at the top, and in the tile of its session.
    expect_visible(page, DOWN, "Its inputs do not arrive")
    expect_visible(page, f"{FAILED} .session", "main")
    page.click("#overview")
    expect_visible(page, "#rooms [data-alert=true] .alert", "was not sent")
    page.click("#overview")
    check_accessibility(page, "the desk with alerts")
    page.click(f"{FAILED} button:has-text('Acknowledge')")
    page.wait_for_selector(FAILED, state="detached")
    page.click(f"{DOWN} button:has-text('Acknowledge')")
    expect_visible(page, f"{DOWN}[data-acked=true] .note", "acknowledged")
    select_session(page, fixture.session)
    check_accessibility(page, "the connections of the desk")


run_script("connections", run)
