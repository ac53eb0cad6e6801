"""The leaderboard for observers: all rows fit the screen, are readable from a distance, and have no internal names."""

import urllib.parse

from accessible import inspect
from browser import check, see, tell, through
from proxy import Proxy

SIZES = [(3840, 2160), (1920, 1080), (1280, 800), (1024, 600), (768, 1024), (390, 844)]
TEAMS = [
    "The Quizzards", "Les Quizérables", "فريق البوم", "北京猫头鹰队", "Trivia Newton John & the Very Long Named Band",
    "bob", "Ann", "Owls", "Cats", "Ants",
]
# Returns rows that are cut off or outside of the screen, and the smallest name's height relative to the screen's.
MEASURE = """() => {
    const faults = [];
    for (const each of document.querySelectorAll('#rows li, #title, #by')) {
        const { left, top, right, bottom } = each.getBoundingClientRect();
        if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
            faults.push(`${each.textContent} is outside of the screen`);
    }
    const lines = [...document.querySelectorAll('#rows li')].map(each => each.getBoundingClientRect());
    lines.forEach((line, at) => {
        if (at > 0 && line.top < lines[at - 1].bottom - 1) faults.push(`row ${at + 1} covers another`);
    });
    const page = document.documentElement;
    if (page.scrollWidth > innerWidth || page.scrollHeight > innerHeight) faults.push('the page scrolls');
    const fonts = [...document.querySelectorAll('#rows .name')].map(each => parseFloat(getComputedStyle(each).fontSize));
    return [faults, Math.min(...fonts)];
}"""


def play(stage, session, seconds, team):
    call = stage.server.call
    call("open", session=session, flow="quiz", labels={"team": team, "title": "The Pub Quiz"})
    stage.server.send(session, "start", rounds=1)
    call("advance", by=f"{seconds}s")
    stage.server.send(session, "buzz", player="p")
    stage.server.send(session, "judge", correct=True)
    call("advance", by="5s")
    call("close", session=session)


def rows(page):
    return [line.split("\n") for line in page.locator("#rows li").all_inner_texts()]


def check_fits(page):
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            faults, font = page.evaluate(MEASURE)
            check(not faults, f"leaderboard, {theme}, {width}x{height}: {faults}")
            # Capitals, at 0.7 of the font's size, must be 25 mm high on a screen of 685 mm.
            readable = font >= 0.05 * height or width < height
            check(readable, f"{width}x{height}: names have {font} px")
        inspect(page, f"leaderboard, {theme}")


def run(stage):
    stage.needs_clock("virtual")
    quiz = f"{stage.name}-quiz"
    hall_token = stage.server.call("token", action="add", name="watcher")["token"]
    address = urllib.parse.urlsplit(stage.base)
    proxy = Proxy(address.hostname, address.port)
    hall = stage.page(through(stage, proxy))
    hall.goto(f"{stage.base}/leaderboard/quiz#token={hall_token}")
    see(hall, "#note", "No game is over yet.")
    inspect(hall, "empty leaderboard")
    for place, team in enumerate(TEAMS):
        play(stage, quiz, 2 + place, team)
    see(hall, "#rows li", "Ants")
    found = rows(hall)
    check([row[1] for row in found] == TEAMS, f"the rows are {found}")
    check(found[0] == ["1", "The Quizzards", "7.0 s"], f"the first row is {found[0]}")
    text = hall.inner_text("#page")
    check(quiz not in text and "finished" not in text.lower(), f"internal names are shown: {text!r}")
    check_fits(hall)

    # The rows stay while the connection is lost. The new game is shown when it is restored.
    proxy.cut()
    play(stage, quiz, 1, "Faster than all")
    hall.wait_for_timeout(100)
    check(len(rows(hall)) == 10, "the rows are gone with the connection")
    proxy.restore()
    hall.reload()
    see(hall, "#rows li:first-child", "Faster than all")

    hall.goto(f"{stage.base}/leaderboard/quiz?by=scores")
    see(hall, "#by", "Scores")
    see(hall, "#rows li", "p")
    hall.goto(f"{stage.base}/leaderboard/nosuch")
    see(hall, "#note", "there is no flow nosuch")
    # The leaderboard has its own cookie, so the desk in another tab keeps its role.
    desk = hall.context.new_page()
    desk.goto(stage.base)
    see(desk, "#signin label", "Token")


tell("leaderboard", run)
