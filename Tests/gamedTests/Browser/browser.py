"""Shared code of the browser scripts: it starts a browser, opens a session for each script, and waits for elements.

A script gets the arguments BASE_URL TOKEN [SOCKET]: the HTTP address of gamed, a token with the role operate, and
gamed's UNIX socket. It prints `ok NAME`, or a sentence about the first failure.
"""

import contextlib
import dataclasses
import os
import pathlib
import socket
import sys

# The client in this repository, which is not installed.
sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Clients" / "python" / "src"))

from gamed import GamedError, Refusal, connect
from playwright.sync_api import Browser, Error, Playwright, TimeoutError, sync_playwright

# Only a failing test waits for so long. On a busy machine a browser can need many seconds.
TIMEOUT_MS = 60_000
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}


@dataclasses.dataclass
class RunningBrowser:
    """Playwright, and the browser that it has started."""

    playwright: Playwright
    browser: Browser


#: The browser that several scripts use one after the other. scripts.py sets this variable. It is None if a script runs alone.
shared_browser = None


class Failed(Exception):
    """A check failed. The message is a sentence."""


class Server:
    """Calls the methods of gamed over HTTP, without a browser."""

    def __init__(self, base_url, token):
        # A script kills the daemon on purpose, and then expects an error at once.
        self.client = connect(base_url, token=token, timeout=TIMEOUT_MS / 1000, retry_for=0)

    def call(self, method, **params):
        return self.client.call(method, params)

    def send(self, session, event, **args):
        return self.call("send", session=session, event=event, args=args)

    def history(self, session):
        return self.call("history", session=session, limit=500)["records"]


class Fixture:
    """The resources of one script: a browser, a client of the server, and the name of a session that only this script uses."""

    def __init__(self, playwright, browser, name, arguments):
        self.playwright, self.browser = playwright, browser
        # The browsers that the script has started, in addition to `browser`.
        self.started_browsers = []
        self.base_url, self.token = arguments[0].rstrip("/"), arguments[1]
        self.socket_path = arguments[2] if len(arguments) > 2 else None
        self.server = Server(self.base_url, self.token)
        self.session = f"browser-{name}-{os.getpid()}"
        self.console_errors = []

    def launch(self, *options):
        """Starts another browser, with further options of Chromium."""
        self.started_browsers.append(launch(self.playwright, *options))
        return self.started_browsers[-1]

    def require_clock(self, expected_kind):
        clock = self.server.call("hello")["clock"]
        if clock != expected_kind:
            raise Failed(f"this script needs a daemon with a {expected_kind} clock, but the daemon has a {clock} clock")

    def open(self, flow="game"):
        """Opens the script's session."""
        self.server.call("open", session=self.session, flow=flow)
        return self.session

    def open_in_level(self):
        """Opens the script's session in a state with a countdown of 90 seconds and a pendulum of one second."""
        data = {"episode": 1, "level": 2}
        self.server.call("goto", session=self.open(), state="playingLevel", data=data)
        return self.session

    def close(self):
        """Closes the script's session, pages and browsers."""
        for context in self.browser.contexts:
            context.close()
        for browser in self.started_browsers:
            browser.close()
        try:
            self.server.call("close", session=self.session)
        except GamedError:
            pass  # the script has closed the session, has never opened it, or has ended the daemon

    def page(self, browser=None, viewport=DESKTOP, **options):
        """Opens a page with its own cookies. Errors in its console make the script fail."""
        context = (browser or self.browser).new_context(viewport=viewport, **options)
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: self.console_errors.append(str(error)))
        page.on("console", self.record_console_error)
        return page

    def save_picture(self, page, name):
        """Saves a screenshot for a person to look at, if the environment variable GAMED_PICTURES names a folder."""
        folder = os.environ.get("GAMED_PICTURES")
        if folder:
            page.screenshot(path=pathlib.Path(folder) / f"{name}.png")

    def record_console_error(self, message):
        # Some scripts expect failed requests. No script expects a JavaScript error, a violation of the content policy, or a
        # request for a file of the pages that does not exist.
        address = message.location.get("url", "")
        is_missing_file = "404" in message.text and "/page/" in address
        if message.type == "error" and ("Failed to load resource" not in message.text or is_missing_file):
            self.console_errors.append(f"{message.text} {address}" if is_missing_file else message.text)

    def desk(self, page=None, session=None, **options):
        """Opens the desk (the operators' page) with the token in its address. Selects a session, by default the script's."""
        page = page or self.page(**options)
        page.goto(f"{self.base_url}/#token={self.token}")
        expect_visible(page, "#connection-state[data-state=open]", "Live")
        select_session(page, session or self.session)
        return page

    def kiosk(self, page=None, **options):
        """Opens the kiosk (the players' page) of the script's session."""
        page = page or self.page(**options)
        page.goto(f"{self.base_url}/play/{self.session}#token={self.token}")
        return page


def launch(playwright, *options):
    """Starts a browser, Debian's Chromium if it is installed."""
    path = pathlib.Path("/usr/bin/chromium-headless-shell")
    sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
    return playwright.chromium.launch(
        executable_path=path if path.exists() else None,
        args=[*sandbox, *options],
        timeout=TIMEOUT_MS,
    )


def launch_through(fixture, proxy):
    """Starts a browser whose connections all go through the proxy."""
    return fixture.launch(f"--host-resolver-rules=MAP * 127.0.0.1:{proxy.port}")


def select_session(page, session):
    """Selects a session in the list of sessions. On a phone, a button shows and hides the list."""
    if page.is_visible("#roster-button"):
        page.click("#roster-button")
    if page.is_visible("#roster input[type=search]"):
        page.fill("#roster input[type=search]", session)
    page.click(f'#roster a[data-session="{session}"]')
    expect_visible(page, "#present-state .session", session)


def expect_visible(page, selector, text="", timeout=TIMEOUT_MS):
    """Waits until an element that matches the selector and contains the text is visible; fails after the timeout."""
    elements = page.locator(selector).filter(has_text=text).filter(visible=True)
    try:
        elements.first.wait_for(timeout=timeout)
    except TimeoutError:
        texts = page.locator(selector).all_inner_texts()
        with_text = f' that says "{text}"' if text else ""
        raise Failed(f"no {selector}{with_text} is seen; there is {texts}") from None


def expect_hidden(page, selector):
    """Waits until no element that matches the selector is visible; fails after the default timeout."""
    try:
        page.locator(selector).filter(visible=True).first.wait_for(state="hidden")
    except TimeoutError:
        raise Failed(f"{selector} is still seen: {page.inner_text(selector)!r}") from None


def appears(page, selector, text, milliseconds=2_000):
    """Whether an element that contains the text appears within the given time."""
    try:
        page.locator(selector).filter(has_text=text).first.wait_for(timeout=milliseconds)
    except TimeoutError:
        return False
    return True


def wait_until(page, script, failure, argument=None):
    """Waits until a JavaScript function in the page returns true; fails with the sentence `failure`. The function may read elements
    that do not exist yet: while it throws a TypeError, the wait goes on."""
    patient_script = f"""argument => {{
        try {{
            return ({script})(argument);
        }} catch (error) {{
            if (error instanceof TypeError) return false;
            throw error;
        }}
    }}"""
    try:
        page.wait_for_function(patient_script, arg=argument)
    except TimeoutError:
        # Fails with the TypeError, if there still is one: the sentence would hide a mistake in the script.
        page.evaluate(script, argument)
        raise Failed(failure) from None


def check(condition, failure):
    if not condition:
        raise Failed(failure)


def check_not_red(page, selector):
    """Checks that no visible element that matches the selector has the colour of errors and warnings."""
    script = """elements => {
        const sample = document.body.appendChild(document.createElement('p'));
        sample.style.color = 'var(--bad)';
        const red = getComputedStyle(sample).color;
        sample.remove();
        return elements.filter(each => each.checkVisibility() && getComputedStyle(each).color === red)
            .map(each => each.outerHTML);
    }"""
    check(page.locator(selector).count() > 0, f"there is no {selector}")
    red = page.eval_on_selector_all(selector, script)
    check(not red, f"red are {red}")


def send_line(path, line):
    """Sends one line to the daemon's UNIX socket, and waits for the answer."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(line.encode() + b"\n")
        connection.makefile().readline()


def log_positions(page):
    """The positions (`pos`) of the changes in the desk's log, the newest first."""
    script = "rows => rows.map(row => Number(row.dataset.pos))"
    return page.eval_on_selector_all("#log li[data-pos]", script)


def run_script(name, run, first_argument=None):
    """Calls `run` with a fixture, and prints the result.

    `first_argument` is the name of an argument that the script takes before BASE_URL, such as OUTDIR.
    """
    arguments = sys.argv[1:]
    names = ([first_argument] if first_argument else []) + ["BASE_URL", "TOKEN"]
    if len(arguments) < len(names):
        sys.exit(f"usage: {name}.py {' '.join(names)} [SOCKET]")
    try:
        with contextlib.ExitStack() as stack:
            running_browser = shared_browser
            if running_browser is None:
                playwright = stack.enter_context(sync_playwright())
                running_browser = RunningBrowser(playwright, launch(playwright))
            fixture_arguments = arguments[len(names) - 2 :]
            fixture = Fixture(running_browser.playwright, running_browser.browser, name, fixture_arguments)
            try:
                run(fixture)
            finally:
                fixture.close()
            check(not fixture.console_errors, f"the browser's console has errors: {fixture.console_errors}")
    except (Failed, GamedError, Error) as problem:
        sys.exit(f"not ok {name}: {problem}")
    print(f"ok {name}")
