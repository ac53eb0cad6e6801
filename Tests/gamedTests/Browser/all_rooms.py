"""The overview of all rooms: tiles with state, clock and colour, which are updated with each change."""

from accessible import inspect
from browser import check, gone, see, tell


def run(stage):
    room = stage.open_in_a_level()
    other = f"{room}-b"
    stage.server.call("open", session=other, flow="quiz")
    desk = stage.desk()
    desk.click("#overview")
    gone(desk, "#stage")

    def tile(name):
        return f'#rooms li:has(a[data-session="{name}"])'

    see(desk, f"{tile(room)} .state", "Playing level")
    see(desk, f"{tile(room)} .digits", "1:30")
    see(desk, f"{tile(other)} .state", "Lobby")
    stage.server.call("timer", session=room, fires="timeUp", action="pause")
    see(desk, f'{tile(room)}[data-mark="paused"] .note', "paused")
    stage.server.call("timer", session=room, fires="timeUp", action="resume")
    stage.server.call("timer", session=room, fires="timeUp", action="set", to="8s")
    see(desk, f'{tile(room)}[data-mark="last"] .digits', "8.0")
    stage.server.send(other, "start", rounds=3)
    see(desk, f"{tile(other)} .state", "Question")
    see(desk, f"{tile(other)} .digits", "0:20")
    stage.server.call("advance", by="1s")
    see(desk, f"{tile(other)} .digits", "0:19")
    inspect(desk, "all rooms")
    third = f"{room}-c"
    stage.server.call("open", session=third, flow="quiz")
    see(desk, f"{tile(third)} .state", "Lobby")
    stage.server.call("close", session=third)
    gone(desk, tile(third))
    for width, height in ((1024, 600), (390, 844)):
        desk.set_viewport_size({"width": width, "height": height})
        wide = desk.evaluate("document.documentElement.scrollWidth > innerWidth")
        check(not wide, f"the tiles are too wide for {width}x{height}")

    desk.click(f"{tile(other)} a")
    gone(desk, "#rooms")
    see(desk, "#now .session", other)
    see(desk, "#state", "Question")
    stage.server.call("close", session=other)


tell("all_rooms", run)
