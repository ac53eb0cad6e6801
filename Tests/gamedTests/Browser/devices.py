"""Bluetooth devices at the desk: their connections, their presses, and the controls of simulated devices.

Which checks run depends on the daemon: it has simulated devices, a controller that does not exist, or no controller.
"""

import urllib.parse

from accessible import check_accessibility
from browser import DESKTOP, PHONE, check, expect_hidden, expect_visible, launch_through, run_script, wait_until
from web_proxy import WebProxy

RED_ROW = '#devices li[data-device="C0:00:00:00:00:01"]'
KEY_ROW = '#devices li[data-device="C0:00:00:00:00:02"]'

# A row lights up for a moment when its device is pressed, so the lights are recorded as they occur.
RECORD_LIGHTS = """() => {
    window.lights = [];
    const recordLights = records => {
        for (const { target } of records) {
            if (target.dataset.highlight) lights.push(target.dataset.highlight);
        }
    };
    const options = { subtree: true, attributes: true, attributeFilter: ['data-highlight'] };
    new MutationObserver(recordLights).observe(document.querySelector('#devices'), options);
}"""

SET_HIDDEN = """isHidden => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event('visibilitychange'));
}"""


def press_button(page, row, button=1):
    page.fill(f"{row} input[name=button]", str(button))
    click_control(page, row, "Press")


def click_control(page, row, label):
    """Clicks a control of a simulated device, and waits for the response."""
    with page.expect_response(is_control_response):
        page.click(f'{row} button:text-is("{label}")')


def expect_lights(page, expected):
    script = "wanted => lights.join(' ') === wanted"
    wait_until(page, script, f"the rows do not light up as {expected}", expected)


def check_without_controller(fixture):
    """Without a controller the page has no list of devices, and does not request it after the first time."""
    page = fixture.page()
    page.clock.install()
    with page.expect_response(is_devices_request):
        fixture.desk(page)
    expect_hidden(page, "#devices")
    requests = record_devices_requests(page)
    page.clock.run_for(5_000)
    check(not requests, "the page asks for devices where there are none")
    expect_hidden(page, "#devices")


def check_controller_down(fixture):
    page = fixture.desk()
    expect_visible(page, "#devices .controller", "hci:unix:")
    expect_visible(page, "#devices .lamp-text", "down: No such file or directory")
    expect_visible(page, "#devices .help", "No device matches")
    expect_hidden(page, "#devices details")
    check_accessibility(page, "a controller that is down")


def is_devices_request(request_or_response):
    """Whether the argument is a call of the method `bluetooth`, or the response to such a call."""
    request = getattr(request_or_response, "request", request_or_response)
    return '"bluetooth"' in (request.post_data or "")


def is_control_response(response):
    return is_devices_request(response) and '"action"' in response.request.post_data


def record_devices_requests(page):
    """Returns a list to which the page's further requests for the devices are appended."""
    requests = []
    page.on("request", lambda request: requests.append(request) if is_devices_request(request) else None)
    return requests


def check_discovery(fixture, page):
    expect_visible(page, "#devices .controller", "sim:")
    expect_visible(page, "#devices .lamp-text", "ready")
    expect_visible(page, "#devices .help", "No device matches")
    fixture.server.call("advance", by="2s")
    expect_visible(page, f"{RED_ROW} .names", "Red buzzer")
    expect_visible(page, f"{RED_ROW} .names", "C0:00:00:00:00:01")
    expect_visible(page, f"{RED_ROW} .state", "in reach")
    expect_visible(page, f"{RED_ROW} .signal", "−60 dBm")
    expect_visible(page, f"{RED_ROW} .battery", "battery 90 %")
    expect_visible(page, f"{KEY_ROW} .battery", "battery 9 %, low")
    expect_visible(page, f"{KEY_ROW} .signal", "−85 dBm")
    check(page.locator(f"{KEY_ROW} .bars .full").count() == 1, "a weak signal has more than one bar")
    expect_hidden(page, "#devices .help")
    expect_visible(page, "#devices summary", "1 other heard")
    page.click("#devices summary")
    expect_visible(page, "#devices details li", "Stranger")
    expect_visible(page, "#devices details li", "advertising, not mapped")
    check(page.locator("#devices details fieldset").count() == 0, "a stranger can be pressed")


def check_presses(fixture, page):
    expect_visible(page, "#state", "Introduction")
    press_button(page, RED_ROW)
    expect_visible(page, "#state", "Choosing episode")
    expect_visible(page, f"{RED_ROW} .verdict[data-outcome=taken]", "taken")
    expect_visible(page, f"{RED_ROW} .last", "startPlaying → main")
    expect_visible(page, f"{RED_ROW} .age", "0 s ago")
    expect_visible(page, f"{RED_ROW} .counts", "1 taken · last value 01")
    expect_visible(page, "#log li .source", "bluetooth Red buzzer")
    expect_lights(page, "taken")

    # The state has changed, and does not accept the same event again.
    press_button(page, RED_ROW)
    expect_visible(page, f"{RED_ROW} .verdict[data-outcome=refused]", "refused: no transition")
    expect_visible(page, f"{RED_ROW} .counts", "1 taken · 1 refused")
    expect_visible(page, "#log li[data-kind=refused] .source", "bluetooth Red buzzer")
    expect_lights(page, "taken refused")
    fixture.server.call("advance", by="3s")
    expect_visible(page, f"{RED_ROW} .age", "3 s ago")

    press_button(page, KEY_ROW, 2)
    expect_visible(page, f"{KEY_ROW} .answer", "button: expected 1 for Key.")
    press_button(page, KEY_ROW, 1)
    expect_hidden(page, f"{KEY_ROW} .answer")
    expect_visible(page, "#state", "Introduction")

    # The keyboard operates the controls, too. The second Tab reaches the control that makes the device go away.
    page.focus(f"{RED_ROW} input[name=button]")
    page.keyboard.press("Enter")
    expect_visible(page, "#state", "Choosing episode")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    with page.expect_response(is_control_response):
        page.keyboard.press("Space")
    fixture.server.call("advance", by="2s")
    expect_visible(page, f"{RED_ROW} .state", "away for 0:01")
    expect_hidden(page, f"{RED_ROW} .signal")


def check_return(fixture, page):
    expect_visible(page, "#announcer", "Red buzzer is away")
    click_control(page, RED_ROW, "Return")
    fixture.server.call("advance", by="1s")
    expect_visible(page, f"{RED_ROW} .state", "in reach")
    click_control(page, KEY_ROW, "Sleep")
    fixture.server.call("advance", by="1m5s")
    expect_visible(page, f"{KEY_ROW} .state", "away for 1:0")
    press_button(page, KEY_ROW)
    fixture.server.call("advance", by="1s")
    expect_visible(page, f"{KEY_ROW} .state", "in reach")


def check_polling(fixture, browser, proxy):
    """The page requests the devices once a second, while it is visible and connected."""
    page = fixture.page(browser)
    page.clock.install()
    fixture.desk(page, session="main")
    expect_visible(page, RED_ROW)
    for _ in range(3):
        with page.expect_response(is_devices_request):
            page.clock.run_for(1_000)
    page.evaluate(SET_HIDDEN, True)
    requests = record_devices_requests(page)
    page.clock.run_for(5_000)
    check(not requests, "the page asks for devices though nobody sees it")
    with page.expect_response(is_devices_request):
        page.evaluate(SET_HIDDEN, False)

    proxy.cut()
    expect_visible(page, "#connection-state", "No connection")
    check(page.is_disabled(f"{RED_ROW} button.press"), "a device can be pressed without a connection")
    requests = record_devices_requests(page)
    page.clock.run_for(400)
    check(not requests, "the page asks for devices without a connection")
    proxy.restore()
    with page.expect_response(is_devices_request):
        page.clock.run_for(5_000)
    expect_visible(page, "#connection-state[data-state=open]", "Live")

    page.click("#signout")
    expect_visible(page, "#signin label", "Token")
    requests = record_devices_requests(page)
    page.clock.run_for(5_000)
    check(not requests, "the page asks for devices though nobody is signed in")


def check_player_view(fixture):
    """A user who may not operate all sessions sees the devices without their controls."""
    hall_token = fixture.server.call("token", action="add", name="hall")["token"]
    page = fixture.page()
    page.goto(f"{fixture.base_url}/#token={hall_token}")
    expect_visible(page, f"{RED_ROW} .state", "in reach")
    check(page.locator("#devices fieldset").count() == 0, "a guest can press a device")


def check_layout(fixture):
    """The devices fit a phone and a large screen, in light and dark."""
    large_screen = {"width": 1920, "height": 1080}
    for theme in ("light", "dark"):
        for viewport in (PHONE, DESKTOP, large_screen):
            options = {"color_scheme": theme, "viewport": viewport, "reduced_motion": "reduce"}
            page = fixture.desk(session="main", **options)
            expect_visible(page, RED_ROW)
            page.click("#devices summary")
            press_button(page, KEY_ROW, 9)
            expect_visible(page, f"{KEY_ROW} .answer", "button: expected 1 for Key.")
            label = f"devices, {theme}, {viewport['width']} px"
            check_accessibility(page, label)
            script = "() => document.documentElement.scrollWidth <= innerWidth"
            check(page.evaluate(script), f"{label}: the page is wider than its window")
            page.close()


def check_simulated_devices(fixture):
    fixture.require_clock("virtual")
    page = fixture.desk(session="main")
    page.evaluate(RECORD_LIGHTS)
    check_discovery(fixture, page)
    check_presses(fixture, page)
    check_return(fixture, page)
    check_layout(fixture)
    check_player_view(fixture)
    address = urllib.parse.urlsplit(fixture.base_url)
    proxy = WebProxy(address.hostname, address.port or 80)
    check_polling(fixture, launch_through(fixture, proxy), proxy)


def run(fixture):
    fixture.open()
    status = fixture.server.call("bluetooth")
    if status["state"] == "off":
        check_without_controller(fixture)
    elif status["controller"].startswith("sim:"):
        check_simulated_devices(fixture)
    else:
        check_controller_down(fixture)


run_script("devices", run)
