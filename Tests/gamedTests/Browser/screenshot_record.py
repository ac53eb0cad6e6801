"""Takes screenshots of statistics and leaderboard: screenshot_record.py OUTDIR BASE_URL TOKEN. The daemon must have a
virtual clock and a journal."""

import pathlib
import sys

from browser import DESKTOP, see, tell

WALL = {"width": 1920, "height": 1080}
TEAMS = {
    "The Quizzards": 41, "Les Quizérables": 47, "Agatha Quiztie": 52, "Owls": 55, "Οι Κουκουβάγιες": 61, "Trivia Newton John": 64,
    "Quiz Pro Quo": 70, "فريق البوم": 82,
}


def play(server):
    """Plays a quiz of four rounds for each team, one of them with help, and abandons another game."""
    for number, (team, seconds) in enumerate(TEAMS.items()):
        server.call("open", session="hall", flow="quiz", labels={"team": team}, again=True)
        server.send("hall", "start", rounds=4)
        for question in range(4):
            server.call("advance", by=f"{seconds * 100 + 900 * question}ms")
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


def run(stage):
    stage.needs_clock("virtual")
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    play(stage.server)
    desk = stage.page(viewport=DESKTOP, color_scheme="light", reduced_motion="reduce")
    desk.goto(f"{stage.base}/stats#token={stage.token}")
    see(desk, "#flows section[data-flow=quiz]")
    desk.screenshot(path=out / "statistics.png")
    hall = stage.page(viewport=WALL, color_scheme="dark", reduced_motion="reduce")
    hall.goto(f"{stage.base}/leaderboard/quiz#token={stage.token}")
    see(hall, "#rows li:nth-child(3)")
    hall.screenshot(path=out / "leaderboard.png")


tell("screenshot_record", run, needs=3)
