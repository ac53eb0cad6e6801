"""The common part of the browser scripts: a browser, a session for the script, and functions that wait for elements.

A script gets the arguments BASE_URL TOKEN [SOCKET]: the HTTP address of gamed, a token with the role operate, and
gamed's UNIX socket. It prints `ok NAME`, or a sentence about the first failure.
"""

import http.cookiejar
import json
import os
import pathlib
import sys
import urllib.error
import urllib.request

from playwright.sync_api import Error, TimeoutError, sync_playwright

# Only a test that fails waits so long. On a machine with other work a browser can need many seconds.
PATIENCE_MS = 60_000
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}


class Failed(Exception):
    """A check failed. The message is a sentence."""


class Refused(Exception):
    """The server answered with an error of JSON-RPC."""


class Server:
    """Calls the server's methods, without a browser."""

    def __init__(self, base, token):
        self.base = base
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar)
        self.post("/v1/login", {"token": token})

    def post(self, path, message):
        body = json.dumps(message).encode()
        headers = {"Content-Type": "application/json", "Origin": self.base}
        request = urllib.request.Request(self.base + path, body, headers)
        try:
            with self.opener.open(request, timeout=PATIENCE_MS / 1000) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            answer = json.load(error)
            if path == "/v1/login":
                raise Failed(f"the token is not taken: {error.code} {answer}") from None
            return answer

    def call(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = self.post("/v1/rpc", request)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def send(self, session, event, **args):
        return self.call("send", session=session, event=event, args=args)

    def history(self, session):
        return self.call("history", session=session, limit=500)["records"]


class Stage:
    """The browser, the server and the session of a script."""

    def __init__(self, playwright, name, arguments):
        self.playwright = playwright
        self.base, self.token = arguments[0].rstrip("/"), arguments[1]
        self.socket = arguments[2] if len(arguments) > 2 else None
        self.server = Server(self.base, self.token)
        self.name = f"browser-{name}-{os.getpid()}"
        self.complaints = []
        self.browser = self.launch()

    def launch(self, *options):
        """Starts a browser, Debian's Chromium if it is installed."""
        path = pathlib.Path("/usr/bin/chromium-headless-shell")
        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
        return self.playwright.chromium.launch(
            executable_path=path if path.exists() else None,
            args=[*sandbox, *options],
            timeout=PATIENCE_MS,
        )

    def needs_clock(self, kind):
        clock = self.server.call("hello")["clock"]
        if clock != kind:
            raise Failed(f"this story needs a daemon on a {kind} clock, and this one's is {clock}")

    def open(self, flow="game"):
        self.server.call("open", session=self.name, flow=flow)
        return self.name

    def open_in_a_level(self):
        """A session with a countdown of 90 seconds and a pendulum of one."""
        data = {"episode": 1, "level": 2}
        self.server.call("goto", session=self.open(), state="playingLevel", data=data)
        return self.name

    def close(self):
        try:
            self.server.call("close", session=self.name)
        except (Refused, urllib.error.URLError):
            pass  # the script has closed it, has never opened it, or has ended the daemon

    def page(self, browser=None, viewport=DESKTOP, **options):
        """A page with its own cookies, whose console is checked for errors."""
        context = (browser or self.browser).new_context(viewport=viewport, **options)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self.listen)
        return page

    def listen(self, message):
        # Some scripts expect failed requests. None expects a JavaScript error or a violation of the content policy.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def desk(self, page=None, session=None, **options):
        """The desk, signed in by its address, with the script's session selected."""
        page = page or self.page(**options)
        page.goto(f"{self.base}/#token={self.token}")
        see(page, "#link[data-link=open]", "Live")
        choose(page, session or self.name)
        return page

    def kiosk(self, page=None, **options):
        page = page or self.page(**options)
        page.goto(f"{self.base}/play/{self.name}#token={self.token}")
        return page


def through(stage, proxy):
    """A browser that connects to the server's addresses through the proxy."""
    return stage.launch(f"--host-resolver-rules=MAP * 127.0.0.1:{proxy.port}")


def choose(page, session):
    """Selects a session in the list, which is folded on a phone."""
    if page.is_visible("#drawer"):
        page.click("#drawer")
    if page.is_visible("#roster input[type=search]"):
        page.fill("#roster input[type=search]", session)
    page.click(f'#roster a[data-session="{session}"]')
    see(page, "#now .session", session)


def see(page, selector, text="", timeout=PATIENCE_MS):
    """Waits until an element is visible that contains this text."""
    found = page.locator(selector).filter(has_text=text).filter(visible=True)
    try:
        found.first.wait_for(timeout=timeout)
    except TimeoutError:
        there = page.locator(selector).all_inner_texts()
        saying = f' that says "{text}"' if text else ""
        raise Failed(f"no {selector}{saying} is seen; there is {there}") from None


def gone(page, selector):
    """Waits until none of these elements is visible."""
    try:
        page.locator(selector).filter(visible=True).first.wait_for(state="hidden")
    except TimeoutError:
        raise Failed(f"{selector} is still seen: {page.inner_text(selector)!r}") from None


def comes(page, selector, text, milliseconds=2_000):
    """Waits for an element that contains this text. Returns whether it has come."""
    try:
        page.locator(selector).filter(has_text=text).first.wait_for(timeout=milliseconds)
    except TimeoutError:
        return False
    return True


def until(page, script, sentence, argument=None):
    """Waits until a JavaScript expression in the page is true."""
    try:
        page.wait_for_function(script, arg=argument)
    except TimeoutError:
        raise Failed(sentence) from None


def check(is_so, sentence):
    if not is_so:
        raise Failed(sentence)


def log_positions(page):
    """The positions of the changes in the log, the newest first."""
    script = "rows => rows.map(row => Number(row.dataset.pos))"
    return page.eval_on_selector_all("#log li[data-pos]", script)


def tell(name, run, needs=2):
    """Runs a script and prints its result."""
    arguments = sys.argv[1:]
    if len(arguments) < needs:
        sys.exit(f"usage: {name}.py {'OUTDIR ' if needs > 2 else ''}BASE_URL TOKEN [SOCKET]")
    try:
        with sync_playwright() as playwright:
            stage = Stage(playwright, name, arguments[needs - 2 :])
            try:
                run(stage)
            finally:
                stage.close()
            check(not stage.complaints, f"the browser complains: {stage.complaints}")
    except (Failed, Refused, Error) as problem:
        sys.exit(f"not ok {name}: {problem}")
    print(f"ok {name}")
