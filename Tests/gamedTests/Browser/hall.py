"""The players' page in a hall: a clock that is readable at ten metres, the first player as headline, a screen that may
sleep."""

from browser import check, gone, see, tell

SIZES = [(3840, 2160), (1920, 1080), (1280, 800), (1024, 600), (768, 1024), (390, 844)]
MEASURE = """() => {
    const digits = document.querySelector('.ring .digits');
    const dial = document.querySelector('.ring .dial').getBoundingClientRect().width;
    return [parseFloat(getComputedStyle(digits).fontSize), digits.getBoundingClientRect().width / dial];
}"""


def run(stage):
    room = stage.open("quiz")
    stage.server.call("label", session=room, labels={"title": "The Pub Quiz"})
    data = {"round": 1, "rounds": 2, "scores": {"Ann": 1}, "out": []}
    stage.server.call("goto", session=room, state="question", data=data)
    page = stage.page()
    page.add_init_script("Object.defineProperty(navigator, 'wakeLock', { value: undefined })")
    page.goto(f"{stage.base}/play/{room}#token={stage.token}")
    see(page, "#show", "The Pub Quiz")
    see(page, "#awake", "This screen may go dark")
    covered = """() => {
        const note = document.querySelector('#awake').getBoundingClientRect();
        return [...document.querySelectorAll('#board button')].some(
            each => each.getBoundingClientRect().bottom > note.top);
    }"""
    check(not page.evaluate(covered), "the note about the screen covers a button")
    page.click("#awake button")
    gone(page, "#awake")

    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        font, share = page.evaluate(MEASURE)
        is_large = font >= 0.12 * height or share >= 0.75
        check(is_large, f"{width}x{height}: the clock has {font} px and {share} of the ring")

    gone(page, "#first")
    stage.server.send(room, "buzz", player="Ann & the Team 北京")
    see(page, "#first", "Ann & the Team 北京")
    see(page, "#state", "Locked")
    check("Player" not in page.inner_text("#board .data"), "the name is shown twice")


tell("hall", run)
