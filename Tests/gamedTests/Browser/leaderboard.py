"""The leaderboard, as an observer sees it: all rows fit the screen, are readable from a distance, and show no internal
names."""

import urllib.parse

from accessible import check_accessibility
from browser import check, expect_visible, launch_through, run_script
from web_proxy import WebProxy

SIZES = [(3840, 2160), (1920, 1080), (1280, 800), (1024, 600), (768, 1024), (390, 844)]
TEAMS = [
    "The Quizzards", "Les Quizérables", "فريق البوم", "北京猫头鹰队", "Trivia Newton John & the Very Long Named Band",
    "bob", "Ann", "Owls", "Cats", "Ants",
]
# Returns a list of sentences about faults, and the smallest font size of a name in pixels. A fault is, for example, a row that
# is outside of the screen or covers another row.
FIND_FAULTS = """() => {
    const faults = [];
    for (const each of document.querySelectorAll('#rows li, #title, #criterion')) {
        const { left, top, right, bottom } = each.getBoundingClientRect();
        if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
            faults.push(`${each.textContent} is outside of the screen`);
    }
    const lines = [...document.querySelectorAll('#rows li')].map(each => each.getBoundingClientRect());
    lines.forEach((line, index) => {
        if (index > 0 && line.top < lines[index - 1].bottom - 1) faults.push(`row ${index + 1} covers another row`);
    });
    const page = document.documentElement;
    if (page.scrollWidth > innerWidth || page.scrollHeight > innerHeight) faults.push('the page scrolls');
    const fonts = [...document.querySelectorAll('#rows .name')].map(each => parseFloat(getComputedStyle(each).fontSize));
    return [faults, Math.min(...fonts)];
}"""


def play_game(fixture, session, seconds, team):
    call = fixture.server.call
    call("open", session=session, flow="quiz", labels={"team": team, "title": "The Pub Quiz"})
    fixture.server.send(session, "start", rounds=1)
    call("advance", by=f"{seconds}s")
    fixture.server.send(session, "buzz", player="p")
    fixture.server.send(session, "judge", correct=True)
    call("advance", by="5s")
    call("close", session=session)


def row_texts(page):
    return [line.split("\n") for line in page.locator("#rows li").all_inner_texts()]


def check_layout(page):
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            faults, font_size = page.evaluate(FIND_FAULTS)
            check(not faults, f"leaderboard, {theme}, {width}x{height}: {faults}")
            # Capitals must be 25 mm high on a screen that is 685 mm high. Capitals are about 0.73 times as high as the font
            # size. So the font size must be 5 % of the height of the screen. Names may be smaller on a screen in portrait
            # format.
            is_readable = font_size >= 0.05 * height or width < height
            check(is_readable, f"{width}x{height}: names have {font_size} px")
        check_accessibility(page, f"leaderboard, {theme}")


def run(fixture):
    fixture.require_clock("virtual")
    quiz = f"{fixture.session}-quiz"
    hall_token = fixture.server.call("token", action="add", name="watcher")["token"]
    address = urllib.parse.urlsplit(fixture.base_url)
    proxy = WebProxy(address.hostname, address.port)
    hall = fixture.page(launch_through(fixture, proxy))
    hall.goto(f"{fixture.base_url}/leaderboard/quiz#token={hall_token}")
    expect_visible(hall, "#note", "No game is over yet.")
    check_accessibility(hall, "empty leaderboard")
    # Each team needs a second more than the team before it, so TEAMS is the order of the leaderboard.
    for index, team in enumerate(TEAMS):
        play_game(fixture, quiz, 2 + index, team)
    expect_visible(hall, "#rows li", "Ants")
    shown_rows = row_texts(hall)
    check([row[1] for row in shown_rows] == TEAMS, f"the rows are {shown_rows}")
    check(shown_rows[0] == ["1", "The Quizzards", "7.0 s"], f"the first row is {shown_rows[0]}")
    text = hall.inner_text("#page")
    check(quiz not in text and "finished" not in text.lower(), f"internal names are shown: {text!r}")
    check_layout(hall)

    # The rows stay while the connection is lost. After the connection is restored, a reload shows the game that was played
    # meanwhile.
    proxy.cut()
    play_game(fixture, quiz, 1, "Faster than all")
    hall.wait_for_timeout(100)
    check(len(row_texts(hall)) == 10, "the rows are gone with the connection")
    proxy.restore()
    hall.reload()
    expect_visible(hall, "#rows li:first-child", "Faster than all")

    hall.goto(f"{fixture.base_url}/leaderboard/quiz?by=scores")
    expect_visible(hall, "#criterion", "Scores")
    expect_visible(hall, "#rows li", "p")
    hall.goto(f"{fixture.base_url}/leaderboard/nosuch")
    expect_visible(hall, "#note", "there is no flow nosuch")
    # The leaderboard has its own cookie, so the desk in another tab of the browser still asks for a token.
    desk = hall.context.new_page()
    desk.goto(fixture.base_url)
    expect_visible(desk, "#signin label", "Token")


run_script("leaderboard", run)
