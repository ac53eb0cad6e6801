"""The players' page in a hall. The clock is readable at ten metres, and the first player is the headline. A note says that the
screen may go dark."""

from browser import check, expect_hidden, expect_visible, run_script, wait_until
from fitting import expect_no_faults

SIZES = [(3840, 2160), (1920, 1080), (1280, 800), (1024, 600), (768, 1024), (390, 844)]
# Returns the font size of the clock's digits in pixels, and the width of the digits relative to the width of the ring.
MEASURE_CLOCK = """() => {
    const digits = document.querySelector('.ring .digits');
    const dial = document.querySelector('.ring .dial').getBoundingClientRect().width;
    return [parseFloat(getComputedStyle(digits).fontSize), digits.getBoundingClientRect().width / dial];
}"""


def run(fixture):
    session = fixture.open("quiz")
    fixture.server.call("label", session=session, labels={"title": "The Pub Quiz"})
    data = {"round": 1, "rounds": 2, "scores": {"Ann": 1}, "out": []}
    fixture.server.call("goto", session=session, state="question", data=data)
    # The buttons of a narrow screen are at its lower edge, where the note appears.
    page = fixture.page(viewport={"width": 390, "height": 844})
    # The browser cannot keep the screen awake.
    page.add_init_script("Object.defineProperty(navigator, 'wakeLock', { value: undefined })")
    page.goto(f"{fixture.base_url}/play/{session}#token={fixture.token}")
    expect_visible(page, "#show-title", "The Pub Quiz")
    expect_visible(page, "#awake-note", "This screen may go dark")
    covers_no_button = """() => {
        const note = document.querySelector('#awake-note').getBoundingClientRect();
        return [...document.querySelectorAll('#board button')].every(
            each => each.getBoundingClientRect().bottom <= note.top);
    }"""
    wait_until(page, covers_no_button, "the note about the screen covers a button")
    page.click("#awake-note button")
    expect_hidden(page, "#awake-note")

    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})

        def find_faults():
            font_size, width_ratio = page.evaluate(MEASURE_CLOCK)
            # The digits are readable at ten metres if their font size is 12 % of the height of the screen. On a screen that is
            # too narrow for this size, the digits must fill the ring.
            is_large = font_size >= 0.12 * height or width_ratio >= 0.75
            return [] if is_large else [f"the clock has {font_size} px and {width_ratio} of the ring"]

        expect_no_faults(page, f"{width}x{height}", find_faults)

    expect_hidden(page, "#first-player")
    fixture.server.send(session, "buzz", player="Ann & the Team 北京")
    expect_visible(page, "#first-player", "Ann & the Team 北京")
    expect_visible(page, "#state", "Locked")
    check("Player" not in page.inner_text("#board .data"), "the name is shown twice")


run_script("hall", run)
