"""A wall shows one thing at a time, in letters that people read at ten metres, and has no controls. At the end, the wall and the
phones show a ranking. Of many names, a wall shows as many whole rows as fit. A long text has smaller letters."""

import crowd
from browser import PHONE, check, expect_hidden, expect_visible, run_script, wait_until
from fitting import SIZES, expect_fit, expect_no_faults

WALL = {"width": 1920, "height": 1080}
PLAYERS = ["Ann", "Bob", "Cat", "Dan", "Eve", "Maximiliane-Josefine"]
#: What must be on the screen.
ELEMENTS = "#state, #state-text, #first-player, .ranking li"

# `sounding` has the sounds that the page plays.
RECORD_SOUNDS = """
    window.sounding = new Set();
    HTMLMediaElement.prototype.play = function () {
        window.sounding.add(this);
        return Promise.resolve();
    };
    HTMLMediaElement.prototype.pause = function () {
        window.sounding.delete(this);
    };
"""


def font_size(page, selector):
    return float(page.eval_on_selector(selector, "each => parseFloat(getComputedStyle(each).fontSize)"))


def check_fits(page, selector=ELEMENTS):
    """Checks the layout on all screens, and sets the size of the wall again."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        expect_fit(page, selector, "button", f"{width}x{height}")
    page.set_viewport_size(WALL)


def check_rows(wall, selector, names, least):
    """Checks that a list shows whole rows with the first of the names, and says how many more names there are. On the wall, it shows
    at least `least` names."""
    script = """selector => {
        const boxes = element => {
            const result = [];
            for (let outer = element.parentElement; outer; outer = outer.parentElement)
                if (getComputedStyle(outer).overflow !== 'visible') result.push(outer.getBoundingClientRect());
            return [...result, { left: 0, top: 0, right: innerWidth, bottom: innerHeight }];
        };
        const rows = [...document.querySelectorAll(selector + ' li')].filter(each => each.checkVisibility());
        return rows.map(row => {
            const box = row.getBoundingClientRect();
            const isWhole = boxes(row).every(outer => box.left >= outer.left - 1 && box.top >= outer.top - 1
                && box.right <= outer.right + 1 && box.bottom <= outer.bottom + 1);
            const parts = [...row.querySelectorAll('span:not(.place)')];
            const sizes = parts.map(part => parseFloat(getComputedStyle(part).fontSize));
            return { isWhole, isMore: row.matches('.more'), texts: parts.map(part => part.textContent), sizes,
                text: row.textContent };
        });
    }"""
    wait_until(wall, f"() => document.querySelector('{selector} .more')?.checkVisibility()", f"all names are in {selector}")
    # Twice: what is drawn does not depend on what was drawn before.
    for width, height in [*SIZES, (WALL["width"], WALL["height"])]:
        wall.set_viewport_size({"width": width, "height": height})
        is_wall = width == WALL["width"]

        def find_faults():
            rows = wall.evaluate(script, selector)
            shown = [row["texts"][0] for row in rows if not row["isMore"]]
            rest = len(names) - len(shown)
            more = [row["text"] for row in rows if row["isMore"]]
            faults = [f"{row['text']} is cut" for row in rows if not row["isWhole"]]
            if not shown or shown != names[: len(shown)]:
                faults.append(f"shows {shown}")
            if more != ([f"and {rest} more"] if rest else []):
                faults.append(f"shows {len(shown)}, and {more}")
            if is_wall:
                if len(shown) < least:
                    faults.append(f"shows only {len(shown)} names")
                faults += [f"{row['text']} has {size} px" for row in rows for size in row["sizes"] if size < 60]
            return faults

        expect_no_faults(wall, f"{selector}, {width}x{height}", find_faults)
        expect_fit(wall, f"{selector} li, #state, #state-text, .join-code", "button", f"{width}x{height}")


def check_texts(wall, selector):
    """Checks that a text is complete on each screen."""
    script = """selector => [...document.querySelectorAll(selector)].filter(each => {
        const text = document.createRange();
        text.selectNodeContents(each);
        const { top, bottom } = text.getBoundingClientRect();
        const outer = each.closest('.data')?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
        return text.toString() === '' || top < outer.top - 1 || bottom > outer.bottom + 1 || bottom > innerHeight;
    }).map(each => each.textContent)"""
    for width, height in [*SIZES, (WALL["width"], WALL["height"])]:
        wall.set_viewport_size({"width": width, "height": height})
        expect_no_faults(wall, f"{width}x{height}, cut in {selector}", lambda: wall.evaluate(script, selector))


def show_guests(fixture, guest, wall, names):
    """Checks the names of a set, of a tally, of both, and of a text."""
    session, server = f"{fixture.session}-guests", fixture.server
    for shown, events in [(".names", ["come"]), (".pairs", ["vote"]), (".names, .pairs", ["come", "vote"])]:
        server.call("open", session=session, flow="guests")
        for name in names:
            for event in events:
                server.send(session, event, name=name)
        wall.goto(f"{fixture.base_url}/play/{session}?screen=wall#token={guest}")
        for each in shown.split(", "):
            check_rows(wall, f".data {each}", names, least=15 if len(events) == 1 else 6)
        fixture.save_picture(wall, f"wall-guests-{'-'.join(events)}")
        server.call("close", session=session)
    server.call("open", session=session, flow="guests")
    for name in names:
        server.send(session, "write", name=name)
    wall.goto(f"{fixture.base_url}/play/{session}?screen=wall#token={guest}")
    for selector in ["#state-text", ".data dd"]:
        server.send(session, "go")
        expect_visible(wall, selector, names[-1])
        check_texts(wall, selector)
        fixture.save_picture(wall, f"wall-text-{selector[1:6]}")
    # The letters of another text have the usual size again.
    server.send(session, "go")
    expect_visible(wall, "#state-text", "Nobody")
    expect_no_faults(wall, "a short text", lambda: [size for size in [font_size(wall, "#state-text")] if size < 72])
    server.call("close", session=session)


def play_with(fixture, guest, count):
    """Plays a quiz with many players, and checks the lists of names in the lobby and at the end."""
    session, server = f"{fixture.session}-{count}", fixture.server
    names = [f"{first}{number:02}-{'maximiliane'[:15 - len(first) - 3]}" for number, first in
             zip(range(count), ["Annegret", "Bob", "Cornelia", "Dan", "Ev"] * count)]
    server.call("open", session=session, flow="quiz-night", settings={"double": 0})
    wall = fixture.page(viewport=WALL)
    wall.goto(f"{fixture.base_url}/play/{session}?screen=wall#token={guest}")
    for name in names:
        server.send(session, "buzz", player=name)
    expect_visible(wall, ".join-code")
    check_rows(wall, ".data .pairs", names, least=6)
    fixture.save_picture(wall, f"wall-lobby-{count}")
    crowd.play_to_end(server, session, names[-1])
    expect_visible(wall, ".ranking .winner", names[-1])
    check_rows(wall, ".ranking", [names[-1], *names[:-1]], least=15)
    fixture.save_picture(wall, f"wall-ranking-{count}")
    server.call("close", session=session)
    wall.context.close()


def run(fixture):
    session, server = fixture.session, fixture.server
    server.call("open", session=session, flow="quiz-night", settings={"double": 2})
    guest = server.call("token", action="add", name="guest")["token"]
    wall, phone = fixture.page(viewport=WALL), fixture.page(viewport=PHONE)
    wall.add_init_script(RECORD_SOUNDS)
    wall.goto(f"{fixture.base_url}/play/{session}?screen=wall#token={guest}")
    phone.goto(f"{fixture.base_url}/play/{session}#token={guest}")
    expect_visible(wall, "#state", "Welcome")
    expect_hidden(wall, "#awake-note")
    for player in PLAYERS:
        server.send(session, "buzz", player=player)
    expect_visible(wall, ".data", "Maximiliane-Josefine")
    expect_visible(wall, ".join-code")
    check_fits(wall, "#board .pairs li, #joining img, .join-code, #state, #state-text")
    check(font_size(wall, ".data .pairs") >= 60, "the names in the lobby have less than 60 px")
    fixture.save_picture(wall, "wall-lobby")

    # The music of the lobby is played on the wall, and ends with the lobby.
    sounding = "[...window.sounding].map(({ loop }) => loop)"
    server.send(session, "music")
    server.send(session, "music")
    wait_until(wall, f"() => {sounding}.join() === 'true'", "the music is not played once, in a loop")
    server.send(session, "quiet")
    wait_until(wall, f"() => {sounding}.length === 0", "the music goes on")
    server.send(session, "music")
    wait_until(wall, f"() => {sounding}.length === 1", "the music is not played again")

    server.send(session, "begin")
    wait_until(wall, f"() => {sounding}.length === 0", "the music goes on after the lobby")
    expect_visible(wall, "#state-text", "How many legs")
    check(font_size(wall, "#state-text") >= 72, "the question has less than 72 px")
    expect_hidden(wall, ".data")
    expect_visible(wall, ".rings", "Time to buzz")
    ring = wall.locator(".rings .ring").bounding_box()
    check(ring["x"] > 1920 * 0.75 and ring["y"] < 200, f"the clock is not in the corner: {ring}")
    check(wall.locator("button:visible").count() == 0, "the wall has buttons")
    check_fits(wall)
    fixture.save_picture(wall, "wall-question")
    # A message of the host fits above the question, also on an upright screen.
    message = "Please put your phones on the table, and look at the wall for the next question."
    server.call("say", session=session, text=message)
    expect_visible(wall, "#host-message", message)
    check_fits(wall, f"#host-message, {ELEMENTS}")
    server.call("say", session=session, text="")
    expect_hidden(wall, "#host-message")
    expect_visible(phone, ".rings", "Time to buzz")
    expect_hidden(phone, ".data")

    server.send(session, "buzz", player="Ann")
    expect_visible(wall, "#first-player", "Ann")
    check(font_size(wall, "#first-player") >= 100, "the player's name is small")
    check_fits(wall)
    fixture.save_picture(wall, "wall-first")
    server.send(session, "right")
    expect_visible(wall, "#state-text", "Eight")
    fixture.save_picture(wall, "wall-answer")
    expect_visible(phone, ".data", "Points")

    server.send(session, "next")
    expect_visible(wall, "#picture")
    check_fits(wall)
    fixture.save_picture(wall, "wall-picture")
    server.send(session, "buzz", player="Bob")
    server.send(session, "right")
    for _ in range(2):
        server.send(session, "next")
        server.send(session, "skip")
    server.send(session, "next")
    for page in (wall, phone):
        expect_visible(page, ".ranking .winner", "Bob")
        rows = page.locator(".ranking li").all_inner_texts()
        check([row.split() for row in rows[:3]] == [["1.", "Bob", "20"], ["2.", "Ann", "10"], ["3.", "Cat", "0"]], f"{rows}")
        check(rows[5].split()[0] == "3.", "names with the same points have different places")
    check(font_size(wall, ".ranking .who") >= 60, "the names have less than 60 px")
    check_fits(wall)
    fixture.save_picture(wall, "wall-ranking")
    fixture.save_picture(phone, "phone-ranking")
    show_guests(fixture, guest, wall, crowd.names(40))
    for count in (25, 60):
        play_with(fixture, guest, count)


run_script("wall", run)
