"""The overview of all rooms has a tile for each session, with state, clock and colour. Each change updates the tile."""

from accessible import check_accessibility
from browser import check, expect_hidden, expect_visible, run_script


def check_names(desk, link, session):
    """The name of a session is shown in full, also if it is long. Its title and its team are shown."""
    expect_visible(desk, f"{link} .name", session)
    expect_visible(desk, f"{link} .team", "Lighthouse for families · Owls")
    for name in desk.locator(f"{link.split()[0]} .name").all():
        is_cut = name.evaluate("each => each.scrollWidth > each.clientWidth + 1 || getComputedStyle(each).textOverflow === 'ellipsis'")
        check(not is_cut, f"the name {name.inner_text()} is cut")


def check_every_room(fixture, desk, tile, sessions):
    """One press pauses all rooms, and one resumes those that it has paused."""
    desk.click("#every-room [data-action=pause]")
    expect_visible(desk, "#every-room .answer", "paused.")
    for session in sessions:
        expect_visible(desk, f'{tile(session)}[data-mark="paused"] .note', "paused")
        timers = fixture.server.call("status", session=session)["timers"]
        check(all(timer["held"] for timer in timers), str(timers))
    fixture.save_picture(desk, "every-room-paused")
    desk.click("#every-room [data-action=resume]")
    expect_visible(desk, "#every-room .answer", "resumed.")
    for session in sessions:
        timers = fixture.server.call("status", session=session)["timers"]
        check(not any(timer["paused"] for timer in timers), str(timers))


def run(fixture):
    game_session = fixture.open_in_level()
    quiz_session = f"{game_session}-b"
    labels = {"title": "Lighthouse for families", "team": "Owls"}
    fixture.server.call("open", session=quiz_session, flow="quiz", labels=labels)
    desk = fixture.desk()
    check_names(desk, f'#roster a[data-session="{quiz_session}"]', quiz_session)
    desk.click("#overview")
    check_names(desk, f'#rooms a[data-session="{quiz_session}"]', quiz_session)
    fixture.server.call("label", session=quiz_session, labels={"team": "Cats"})
    for part in ("#roster", "#rooms"):
        expect_visible(desk, f'{part} a[data-session="{quiz_session}"] .team', "Lighthouse for families · Cats")
    expect_hidden(desk, "#stage")

    def tile(name):
        return f'#rooms li:has(a[data-session="{name}"])'

    expect_visible(desk, f"{tile(game_session)} .state", "Playing level")
    expect_visible(desk, f"{tile(game_session)} .digits", "1:30")
    expect_visible(desk, f"{tile(quiz_session)} .state", "Lobby")
    fixture.server.call("timer", session=game_session, fires="timeUp", action="pause")
    expect_visible(desk, f'{tile(game_session)}[data-mark="paused"] .note', "paused")
    fixture.server.call("timer", session=game_session, fires="timeUp", action="resume")
    fixture.server.call("timer", session=game_session, fires="timeUp", action="set", to="8s")
    expect_visible(desk, f'{tile(game_session)}[data-mark="last"] .digits', "8.0")
    fixture.server.send(quiz_session, "start", rounds=3)
    expect_visible(desk, f"{tile(quiz_session)} .state", "Question")
    expect_visible(desk, f"{tile(quiz_session)} .digits", "0:20")
    fixture.server.call("advance", by="1s")
    expect_visible(desk, f"{tile(quiz_session)} .digits", "0:19")
    check_every_room(fixture, desk, tile, (game_session, quiz_session))
    check_accessibility(desk, "all rooms")
    new_session = f"{game_session}-c"
    fixture.server.call("open", session=new_session, flow="quiz")
    expect_visible(desk, f"{tile(new_session)} .state", "Lobby")
    fixture.server.call("close", session=new_session)
    expect_hidden(desk, tile(new_session))
    for width, height in ((1024, 600), (390, 844)):
        desk.set_viewport_size({"width": width, "height": height})
        is_too_wide = desk.evaluate("document.documentElement.scrollWidth > innerWidth")
        check(not is_too_wide, f"the tiles are too wide for {width}x{height}")

    desk.click(f"{tile(quiz_session)} a")
    expect_hidden(desk, "#rooms")
    expect_visible(desk, "#present-state .session", quiz_session)
    expect_visible(desk, "#state", "Question")
    fixture.server.call("close", session=quiz_session)


run_script("all_rooms", run)
