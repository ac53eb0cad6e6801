"""Takes screenshots of statistics and leaderboard: screenshot_record.py OUTDIR BASE_URL TOKEN.

The daemon must have a virtual clock and a journal.
"""

import pathlib
import sys

from browser import DESKTOP, expect_visible, run_script

LARGE_SCREEN = {"width": 1920, "height": 1080}
# For each team, the time of its first answer in tenths of a second.
TEAMS = {
    "The Quizzards": 41, "Les Quizérables": 47, "Agatha Quiztie": 52, "Owls": 55, "Οι Κουκουβάγιες": 61,
    "Trivia Newton John": 64, "Quiz Pro Quo": 70, "فريق البوم": 82,
}


def play_games(server):
    """Plays a quiz of four rounds for each team, and closes one more game before its end. One team gets help."""
    for number, (team, tenths) in enumerate(TEAMS.items()):
        server.call("open", session="hall", flow="quiz", labels={"team": team}, again=True)
        server.send("hall", "start", rounds=4)
        for question in range(4):
            server.call("advance", by=f"{tenths * 100 + 900 * question}ms")
            server.send("hall", "buzz", player=team)
            if number == 6:
                server.call("say", session="hall", text="Think of the sea")
            server.call("advance", by=f"{800 + 90 * number}ms")
            server.send("hall", "judge", correct=True)
            server.call("advance", by="5s")
    server.call("open", session="hall", flow="quiz", again=True)
    server.send("hall", "start", rounds=4)
    server.call("advance", by="9s")
    server.call("close", session="hall")


def run(fixture):
    fixture.require_clock("virtual")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    play_games(fixture.server)
    desk = fixture.page(viewport=DESKTOP, color_scheme="light", reduced_motion="reduce")
    desk.goto(f"{fixture.base_url}/stats#token={fixture.token}")
    expect_visible(desk, "#flows section[data-flow=quiz]")
    desk.screenshot(path=folder / "statistics.png")
    hall = fixture.page(viewport=LARGE_SCREEN, color_scheme="dark", reduced_motion="reduce")
    hall.goto(f"{fixture.base_url}/leaderboard/quiz#token={fixture.token}")
    expect_visible(hall, "#rows li:nth-child(3)")
    hall.screenshot(path=folder / "leaderboard.png")


run_script("screenshot_record", run, first_argument="OUTDIR")
