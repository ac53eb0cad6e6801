"""The overview of all rooms has a tile for each session, with state, clock and colour. Each change updates the tile."""

from accessible import check_accessibility
from browser import check, expect_hidden, expect_visible, run_script


def run(fixture):
    first = fixture.open_in_level()
    second = f"{first}-b"
    fixture.server.call("open", session=second, flow="quiz")
    desk = fixture.desk()
    desk.click("#overview")
    expect_hidden(desk, "#stage")

    def tile(name):
        return f'#rooms li:has(a[data-session="{name}"])'

    expect_visible(desk, f"{tile(first)} .state", "Playing level")
    expect_visible(desk, f"{tile(first)} .digits", "1:30")
    expect_visible(desk, f"{tile(second)} .state", "Lobby")
    fixture.server.call("timer", session=first, fires="timeUp", action="pause")
    expect_visible(desk, f'{tile(first)}[data-mark="paused"] .note', "paused")
    fixture.server.call("timer", session=first, fires="timeUp", action="resume")
    fixture.server.call("timer", session=first, fires="timeUp", action="set", to="8s")
    expect_visible(desk, f'{tile(first)}[data-mark="last"] .digits', "8.0")
    fixture.server.send(second, "start", rounds=3)
    expect_visible(desk, f"{tile(second)} .state", "Question")
    expect_visible(desk, f"{tile(second)} .digits", "0:20")
    fixture.server.call("advance", by="1s")
    expect_visible(desk, f"{tile(second)} .digits", "0:19")
    check_accessibility(desk, "all rooms")
    third = f"{first}-c"
    fixture.server.call("open", session=third, flow="quiz")
    expect_visible(desk, f"{tile(third)} .state", "Lobby")
    fixture.server.call("close", session=third)
    expect_hidden(desk, tile(third))
    for width, height in ((1024, 600), (390, 844)):
        desk.set_viewport_size({"width": width, "height": height})
        is_too_wide = desk.evaluate("document.documentElement.scrollWidth > innerWidth")
        check(not is_too_wide, f"the tiles are too wide for {width}x{height}")

    desk.click(f"{tile(second)} a")
    expect_hidden(desk, "#rooms")
    expect_visible(desk, "#now .session", second)
    expect_visible(desk, "#state", "Question")
    fixture.server.call("close", session=second)


run_script("all_rooms", run)
