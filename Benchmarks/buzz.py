#!/usr/bin/env python3
"""Measures a buzzer round: `buzz.py GAMED [ROUNDS]`. Needs Chromium and the packages of Tests/requirements.txt.

60 phones follow a session and press within 10 ms of each other. A wall in Chromium shows who was first. The time is from the first
press, when the phone sends it, until Chromium has drawn the name. One program plays all phones: each has an event stream and a
connection for its presses, as a browser has. Phones and Chromium run on the last core, and the daemon on the first.
"""
import os
import pathlib
import random
import select
import socket
import sys
import tempfile
import threading
import time

from playwright.sync_api import sync_playwright

from shared.pages import PageDaemon, Stream, launch_browser, print_row
from shared.processes import LAST_CORE

rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 50
PHONES = 60
SPREAD_S = 0.01
COLLECT_MS = 150
BOUND_MS = 80
SEED = 1
FLOW = """\
flow: NAME
start: ready
events:
  ask: {args: {}, hidden: players}
  buzz: {args: {player: text 1..12}, buzz: trueCOLLECT}
states:
  ready: {title: Get ready, on: {ask: question}}
  question: {title: Question, show: {text: Who was first?}, on: {buzz: first}}
  first: {title: First, data: {player: text}, on: {ask: question}}
"""
# Runs on the wall. `window.shown` has the time on the wall clock, in ms, when each name was drawn.
RECORD_NAMES = """() => {
    window.shown = [];
    const element = document.querySelector('#first-player');
    new MutationObserver(() => {
        const name = element.textContent;
        if (name === '') return;
        requestAnimationFrame(() => {
            // A message that is posted in an animation frame arrives after the frame was drawn.
            const channel = new MessageChannel();
            channel.port1.onmessage = () => window.shown.push([name, performance.timeOrigin + performance.now()]);
            channel.port2.postMessage(0);
        });
    }).observe(element, { childList: true, characterData: true, subtree: true });
}"""


class Phone:
    """A phone: its event stream, and a connection for its presses."""

    def __init__(self, daemon, session, token, name):
        self.stream = Stream(daemon, session, token)
        host = daemon.web.removeprefix("http://")
        address, port = host.rsplit(":", 1)
        self.presses = socket.create_connection((address, int(port)))
        self.presses.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        params = f'"session":"{session}","event":"buzz","args":{{"player":"{name}"}}'
        body = f'{{"jsonrpc":"2.0","id":1,"method":"send","params":{{{params}}}}}'
        self.request = (
            f"POST /v1/rpc HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nOrigin: {daemon.web}\r\n"
            f"Gamed-Page: play.{session}\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()

    def press(self):
        self.presses.sendall(self.request)


class Phones:
    """All phones of a session. A thread reads what they receive, so that no phone is slow."""

    def __init__(self, daemon, session, token):
        self.all = [Phone(daemon, session, token, f"phone{number}") for number in range(PHONES)]
        self.epoll = select.epoll()
        self.sockets = {}
        for phone in self.all:
            for each in (phone.stream.socket, phone.presses):
                self.sockets[each.fileno()] = each
                self.epoll.register(each, select.EPOLLIN)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while True:
            for descriptor, _ in self.epoll.poll():
                if not self.sockets[descriptor].recv(1 << 16):
                    # The daemon ends.
                    return

    def press_all(self, dice):
        """All phones press, each at its own time. Returns when the first one pressed, on the wall clock in ms."""
        start = time.monotonic()
        first = None
        for due, phone in sorted(((dice.uniform(0, SPREAD_S), phone) for phone in self.all), key=lambda each: each[0]):
            while time.monotonic() - start < due:
                pass
            first = first or time.time() * 1000
            phone.press()
        return first


def measure(daemon, browser, flow, token):
    """Plays the rounds, and returns the time of each from the first press until the wall shows a name, in ms."""
    daemon.ask(f"open @{flow} flow={flow}")
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    wall = context.new_page()
    wall.goto(f"{daemon.web}/play/{flow}?screen=wall#token={token}")
    wall.wait_for_selector("#board #state")
    wall.evaluate(RECORD_NAMES)
    phones = Phones(daemon, flow, token)
    dice = random.Random(SEED)
    delays = []
    # The first round is not measured, because the page loads what a name needs.
    for number in range(rounds + 1):
        daemon.ask(f"send @{flow} ask")
        wall.wait_for_function("() => document.querySelector('#first-player').textContent === ''")
        time.sleep(0.2)
        first = phones.press_all(dice)
        wall.wait_for_function(f"() => window.shown.length > {number}")
        shown = wall.evaluate("() => window.shown")
        if len(shown) != number + 1:
            sys.exit(f"round {number}: the wall has shown {shown[number:]}")
        if number > 0:
            delays.append(shown[-1][1] - first)
    context.close()
    return delays


os.sched_setaffinity(0, {LAST_CORE})
with tempfile.TemporaryDirectory() as folder:
    flows = pathlib.Path(folder, "flows")
    flows.mkdir()
    for name, collect in (("buzz", ""), ("collected", f", collect: {COLLECT_MS}ms")):
        text = FLOW.replace("NAME", name).replace("COLLECT", collect)
        pathlib.Path(flows, f"{name}.yaml").write_text(text, encoding="utf-8")
    daemon = PageDaemon(sys.argv[1], folder, "--flows", str(flows))
    try:
        token = daemon.ask("token add tablet")["token"]
        with sync_playwright() as playwright:
            browser = launch_browser(playwright)
            for flow, bound in (("buzz", BOUND_MS), ("collected", COLLECT_MS + BOUND_MS)):
                delays = measure(daemon, browser, flow, token)
                print_row(f"First press until the name is drawn, {flow}", "ms", delays)
                print_row(f"First press until the name is drawn, {flow}", "ms", delays, bound, 99)
            browser.close()
    finally:
        daemon.stop()
