"""Bluetooth devices at the desk: their connections, their presses, and the controls of simulated devices.

The script depends on the daemon's controller: simulated devices, a controller that does not exist, or none.
"""

import urllib.parse

from accessible import inspect
from browser import DESKTOP, PHONE, check, gone, see, tell, through, until
from proxy import Proxy

RED = '#devices li[data-device="C0:00:00:00:00:01"]'
KEY = '#devices li[data-device="C0:00:00:00:00:02"]'

# Records which rows light up, and how, because they are lit only for a moment.
WATCH_LIGHTS = """() => {
    window.lights = [];
    const note = records => {
        for (const { target } of records) {
            if (target.dataset.lit) lights.push(target.dataset.lit);
        }
    };
    const what = { subtree: true, attributes: true, attributeFilter: ['data-lit'] };
    new MutationObserver(note).observe(document.querySelector('#devices'), what);
}"""

HIDE = """isHidden => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event('visibilitychange'));
}"""


def press(page, row, button=1):
    page.fill(f"{row} input[name=button]", str(button))
    order(page, row, "Press")


def order(page, row, what):
    with page.expect_response(is_order):
        page.click(f'{row} button:text-is("{what}")')


def lights(page, wanted):
    script = "wanted => lights.join(' ') === wanted"
    until(page, script, f"the rows do not light up as {wanted}", wanted)


def is_off(stage):
    """Without a controller the page has no devices, and does not request them."""
    page = stage.page()
    page.clock.install()
    with page.expect_response(is_question):
        stage.desk(page)
    gone(page, "#devices")
    asked = questions(page)
    page.clock.run_for(5_000)
    check(not asked, "the page asks for devices where there are none")
    gone(page, "#devices")


def is_down(stage):
    page = stage.desk()
    see(page, "#devices .controller", "hci:unix:")
    see(page, "#devices .says", "down: No such file or directory")
    see(page, "#devices .help", "No device is there")
    gone(page, "#devices details")
    inspect(page, "a controller that is down")


def is_question(it):
    """Whether this is a request for the devices, or the response to one."""
    request = getattr(it, "request", it)
    return '"bluetooth"' in (request.post_data or "")


def is_order(response):
    return is_question(response) and '"action"' in response.request.post_data


def questions(page):
    """Records the requests of the page from now on."""
    asked = []
    page.on("request", lambda request: asked.append(request) if is_question(request) else None)
    return asked


def come(stage, page):
    see(page, "#devices .controller", "sim:")
    see(page, "#devices .says", "ready")
    see(page, "#devices .help", "No device is there")
    stage.server.call("advance", by="2s")
    see(page, f"{RED} .who", "Red buzzer")
    see(page, f"{RED} .who", "C0:00:00:00:00:01")
    see(page, f"{RED} .state", "in reach")
    see(page, f"{RED} .signal", "−60 dBm")
    see(page, f"{RED} .battery", "battery 90 %")
    see(page, f"{KEY} .battery", "battery 9 %, low")
    see(page, f"{KEY} .signal", "−85 dBm")
    check(page.locator(f"{KEY} .bars .full").count() == 1, "a weak signal has more than one bar")
    gone(page, "#devices .help")
    see(page, "#devices summary", "1 other heard")
    page.click("#devices summary")
    see(page, "#devices details li", "Stranger")
    see(page, "#devices details li", "advertising, not mapped")
    check(page.locator("#devices details fieldset").count() == 0, "a stranger can be pressed")


def are_pressed(stage, page):
    see(page, "#state", "Introduction")
    press(page, RED)
    see(page, "#state", "Choosing episode")
    see(page, f"{RED} .verdict[data-is=taken]", "taken")
    see(page, f"{RED} .last", "startPlaying → main")
    see(page, f"{RED} .age", "0 s ago")
    see(page, f"{RED} .counts", "1 taken · last value 01")
    see(page, "#log li .source", "bluetooth Red buzzer")
    lights(page, "taken")

    # The state has changed, and does not accept the same event again.
    press(page, RED)
    see(page, f"{RED} .verdict[data-is=refused]", "refused: no transition")
    see(page, f"{RED} .counts", "1 taken · 1 refused")
    see(page, "#log li[data-kind=refused] .source", "bluetooth Red buzzer")
    lights(page, "taken refused")
    stage.server.call("advance", by="3s")
    see(page, f"{RED} .age", "3 s ago")

    press(page, KEY, 2)
    see(page, f"{KEY} .answer", "button: expected 1 for Key.")
    press(page, KEY, 1)
    gone(page, f"{KEY} .answer")
    see(page, "#state", "Introduction")

    # The same with the keyboard.
    page.focus(f"{RED} input[name=button]")
    page.keyboard.press("Enter")
    see(page, "#state", "Choosing episode")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    with page.expect_response(is_order):
        page.keyboard.press("Space")
    stage.server.call("advance", by="2s")
    see(page, f"{RED} .state", "away for 0:01")
    gone(page, f"{RED} .signal")


def go_and_return(stage, page):
    see(page, "#announcer", "Red buzzer is away")
    order(page, RED, "Return")
    stage.server.call("advance", by="1s")
    see(page, f"{RED} .state", "in reach")
    order(page, KEY, "Sleep")
    stage.server.call("advance", by="1m5s")
    see(page, f"{KEY} .state", "away for 1:0")
    press(page, KEY)
    stage.server.call("advance", by="1s")
    see(page, f"{KEY} .state", "in reach")


def are_asked_for(stage, browser, proxy):
    """The page requests the devices once a second, while it is visible and connected."""
    page = stage.page(browser)
    page.clock.install()
    stage.desk(page, session="main")
    see(page, RED)
    for _ in range(3):
        with page.expect_response(is_question):
            page.clock.run_for(1_000)
    page.evaluate(HIDE, True)
    asked = questions(page)
    page.clock.run_for(5_000)
    check(not asked, "the page asks for devices though nobody sees it")
    with page.expect_response(is_question):
        page.evaluate(HIDE, False)

    proxy.cut()
    see(page, "#link", "No connection")
    check(page.is_disabled(f"{RED} button.press"), "a device can be pressed without a connection")
    asked = questions(page)
    page.clock.run_for(400)
    check(not asked, "the page asks for devices without a connection")
    proxy.restore()
    with page.expect_response(is_question):
        page.clock.run_for(5_000)
    see(page, "#link[data-link=open]", "Live")

    page.click("#signout")
    see(page, "#signin label", "Token")
    asked = questions(page)
    page.clock.run_for(5_000)
    check(not asked, "the page asks for devices though nobody is signed in")


def are_watched_only(stage):
    """Users who do not operate all sessions see the devices, but no controls."""
    hall = stage.server.call("token", action="add", name="hall")["token"]
    page = stage.page()
    page.goto(f"{stage.base}/#token={hall}")
    see(page, f"{RED} .state", "in reach")
    check(page.locator("#devices fieldset").count() == 0, "a guest can press a device")


def fit(stage):
    """The devices fit a phone and a large screen, in light and dark."""
    wall = {"width": 1920, "height": 1080}
    for theme in ("light", "dark"):
        for viewport in (PHONE, DESKTOP, wall):
            options = {"color_scheme": theme, "viewport": viewport, "reduced_motion": "reduce"}
            page = stage.desk(session="main", **options)
            see(page, RED)
            page.click("#devices summary")
            press(page, KEY, 9)
            see(page, f"{KEY} .answer", "button: expected 1 for Key.")
            what = f"devices, {theme}, {viewport['width']} px"
            inspect(page, what)
            script = "() => document.documentElement.scrollWidth <= innerWidth"
            check(page.evaluate(script), f"{what}: the page is wider than its window")
            page.close()


def play(stage):
    stage.needs_clock("virtual")
    page = stage.desk(session="main")
    page.evaluate(WATCH_LIGHTS)
    come(stage, page)
    are_pressed(stage, page)
    go_and_return(stage, page)
    fit(stage)
    are_watched_only(stage)
    address = urllib.parse.urlsplit(stage.base)
    proxy = Proxy(address.hostname, address.port or 80)
    are_asked_for(stage, through(stage, proxy), proxy)


def run(stage):
    stage.open()
    status = stage.server.call("bluetooth")
    if status["state"] == "off":
        is_off(stage)
    elif status["controller"].startswith("sim:"):
        play(stage)
    else:
        is_down(stage)


tell("devices", run)
