"""The desk's list of sessions marks a session if a text of its screen or of an effect `say` cannot be computed, or if its state refuses its own timer."""

from browser import expect_hidden, expect_visible, run_script


def run(fixture):
    session, server = fixture.session, fixture.server
    server.call("open", session=session, flow="faulty")
    desk = fixture.desk()
    mark = f"#roster a[data-session='{session}'] .mark"
    expect_hidden(desk, f"{mark}:not(:empty)")
    server.send(session, "empty")
    expect_visible(desk, mark, "text missing")
    desk.reload()
    expect_visible(desk, mark, "text missing")
    fixture.save_picture(desk, "marks-text")
    server.send(session, "fill")
    expect_hidden(desk, f"{mark}:not(:empty)")
    server.call("advance", by="10s")
    expect_visible(desk, mark, "timer refused")
    fixture.save_picture(desk, "marks-timer")
    server.send(session, "home")
    expect_hidden(desk, f"{mark}:not(:empty)")
    server.send(session, "speak")
    expect_visible(desk, mark, "text missing")
    server.send(session, "fill")
    expect_hidden(desk, f"{mark}:not(:empty)")


run_script("marks", run)
