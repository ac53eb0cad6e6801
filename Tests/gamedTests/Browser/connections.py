"""The desk lists all devices and connections, Bluetooth included, and the outputs, as plain text."""

from accessible import inspect
from browser import check, choose, see, tell

DOOR = '#connections .sources li[data-source="door"]'
HAND = '#connections .sources li[data-source="hand"]'
BUZZER = '#connections .sources li[data-source="C0:00:00:00:00:01"]'
OUTPUT = "#connections .outputs li"


def run(stage):
    stage.needs_clock("virtual")
    stage.open()
    page = stage.desk()
    see(page, "#connections h2", "Connections")
    see(page, DOOR, "serial")
    see(page, f"{DOOR}[data-state=down]", "down for")
    see(page, f"{DOOR} .problem", "<b>door</b>")
    see(page, f"{HAND} .problem", "<img src=x onerror=alert(1)>")
    see(page, f"{OUTPUT} code", "topic=<i>safe</i>/&amp;")
    inside = page.locator("#connections b b, #connections i, #connections img")
    check(inside.count() == 0, "a name or a topic became an element")

    # The same list contains Bluetooth devices, with their last value.
    stage.server.call("advance", by="2s")
    see(page, f"{BUZZER}[data-state=up]", "bluetooth")
    see(page, f"{BUZZER} b", "Red buzzer")
    stage.server.call("bluetooth", action="press", device="Red buzzer")
    see(page, f"{BUZZER} .last", "startPlaying → main: enter, 0 s ago")
    stage.server.call("advance", by="5s")
    see(page, f"{BUZZER} .last", "5 s ago")

    # With a virtual clock, outputs are off until an operator switches them on.
    see(page, "#connections[data-outputs=off] .switch", "Outputs are off: nothing is sent")
    see(page, f"{OUTPUT}[data-state=off]", "2 withheld")
    stage.server.call("outputs", action="on")
    see(page, "#connections[data-outputs=on] .switch", "Outputs are on")
    stage.server.call("send", session="main", event="returnHome")
    see(page, f"{OUTPUT}[data-state=on]", "1 given up")
    see(page, f"{OUTPUT} .problem", "the connection is down")
    choose(page, stage.name)
    inspect(page, "the connections of the desk")


tell("connections", run)
