#!/usr/bin/env python3
"""Measures the players' page: `screens.py GAMED [ROUNDS]`. Needs Chromium and the packages of Tests/requirements.txt.

In Chromium it measures the time to the first paint, and the received bytes. After a press it measures the time until the page
shows that the press is sent, and the time until the page shows the answer. It also reads 500 event streams, on another core
than the daemon's. With these streams it measures how long a change takes to arrive on each stream, and the CPU time of the
daemon.
"""
import json
import os
import select
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

from shared.pages import PageDaemon, Stream, launch_browser, print_row
from shared.processes import LAST_CORE, cpu_seconds

rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
STREAMS = 500
CHANGES = 100
PAUSE_S = 0.25
TABLET = {"width": 1024, "height": 600}


# Runs in the page. For each press, records when the page has drawn that the press is sent, and when the page has drawn the next
# state.
RECORD_PRESSES = """() => {
    window.presses = [];
    // A message that is posted in an animation frame arrives after the frame was drawn.
    const drawn = done => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now());
        channel.port2.postMessage(0);
    });
    addEventListener('click', ({ target, timeStamp }) => {
        const button = target.closest('button[data-event]');
        if (!button) return;
        const press = { at: timeStamp };
        window.presses.push(press);
        const state = document.querySelector('#state');
        const before = state.textContent;
        queueMicrotask(() => {
            if (button.getAttribute('aria-busy') === 'true') drawn(now => { press.sent = now - press.at; });
        });
        const observer = new MutationObserver(() => {
            if (state.textContent === before) return;
            observer.disconnect();
            drawn(now => { press.answered = now - press.at; });
        });
        observer.observe(state, { childList: true, characterData: true, subtree: true });
    });
}"""


def open_page(browser, daemon, token):
    """Opens the players' page as a tablet does for the first time. Returns the page, the times in ms of its first paint and of
    its first paint with contents, and the kilobytes that the page received."""
    context = browser.new_context(viewport=TABLET)
    page = context.new_page()
    url = f"{daemon.web}/play/main"
    # Each page has its own cookie; `Gamed-Page` names the page.
    headers = {"Content-Type": "application/json", "Gamed-Page": "play.main", "Origin": daemon.web}
    context.request.post(f"{daemon.web}/v1/login", headers=headers, data=json.dumps({"token": token}))
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    sizes = {}

    def add_bytes(event):
        # Adds up the bytes as they arrive, because the event stream does not end. When any other request ends, Chromium
        # reports its total, which replaces the sum.
        sizes[event["requestId"]] = sizes.get(event["requestId"], 0) + event["encodedDataLength"]

    devtools.on("Network.dataReceived", add_bytes)
    devtools.on("Network.loadingFinished", lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}))
    page.goto(url)
    page.wait_for_selector("#board #state")
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
    script = "() => ['first-paint', 'first-contentful-paint'].map(name => performance.getEntriesByName(name)[0].startTime)"
    page.wait_for_selector("#board button[data-event]")
    return page, page.evaluate(script), sum(sizes.values()) / 1000


def measure_page(daemon, token):
    """Measures the players' page in Chromium."""
    first_paints, content_paints, sizes, sent, answered = [], [], [], [], []
    with sync_playwright() as playwright:
        browser = launch_browser(playwright)
        # The first page is not measured, because the browser starts processes for this page.
        open_page(browser, daemon, token)[0].context.close()
        for _ in range(rounds):
            page, (first_paint, content_paint), kilobytes = open_page(browser, daemon, token)
            first_paints.append(first_paint)
            content_paints.append(content_paint)
            page.evaluate(RECORD_PRESSES)
            for event in ("displayHelp", "dismissHelp"):
                page.wait_for_selector(f"button[data-event={event}]:enabled")
                page.click(f"button[data-event={event}]")
                page.wait_for_function("() => window.presses.at(-1).answered !== undefined")
            presses = page.evaluate("() => window.presses")
            sent += [press["sent"] for press in presses]
            answered += [press["answered"] for press in presses]
            sizes.append(kilobytes)
            page.context.close()
        browser.close()
    print_row("First paint of the players' page", "ms", first_paints, 300)
    print_row("First paint with contents", "ms", content_paints)
    print_row("Received until the buttons exist", "kB", sizes, 60)
    print_row("Press until it is drawn as sent", "ms", sent, 50, 99)
    print_row("Press until its answer is drawn", "ms", answered, 100, 99)


def measure_changes(daemon, streams, epoll):
    """Sends events, and returns how long the change of each event took to arrive on each stream, in ms."""
    delays = []
    for number in range(CHANGES):
        event = "displayHelp" if number % 2 == 0 else "dismissHelp"
        start = time.monotonic()
        seq = daemon.ask(f"send {event}")["seq"]
        waiting = set(streams)
        while waiting:
            for descriptor, _ in epoll.poll(10):
                stream = streams[descriptor]
                if seq in stream.read():
                    delays.append((time.monotonic() - start) * 1000)
                    waiting.discard(descriptor)
            if time.monotonic() - start > 10:
                sys.exit(f"{len(waiting)} streams get no change")
        time.sleep(max(0, start + PAUSE_S - time.monotonic()))
    return delays


def measure_streams(daemon, token):
    """Measures 500 streams of one session, which this program reads on the last core."""
    os.sched_setaffinity(0, {LAST_CORE})
    streams, epoll = {}, select.epoll()
    for _ in range(STREAMS):
        stream = Stream(daemon, "main", token)
        streams[stream.socket.fileno()] = stream
        epoll.register(stream.socket, select.EPOLLIN)
    # Each stream sends a snapshot first. Reads the snapshots until none has arrived for half a second.
    last_arrival = time.monotonic()
    while time.monotonic() - last_arrival < 0.5:
        for descriptor, _ in epoll.poll(0.1):
            streams[descriptor].read()
            last_arrival = time.monotonic()
    start, cpu_before = time.monotonic(), cpu_seconds(daemon.process.pid)
    delays = measure_changes(daemon, streams, epoll)
    load_percent = 100 * (cpu_seconds(daemon.process.pid) - cpu_before) / (time.monotonic() - start)
    print_row(f"A change on {STREAMS} streams", "ms", delays, 250, 99)
    rate = CHANGES / (time.monotonic() - start)
    print_row(f"CPU of the daemon, {rate:.1f} changes a second", "%", [load_percent], 40)


with tempfile.TemporaryDirectory() as folder:
    daemon = PageDaemon(sys.argv[1], folder)
    try:
        tablet = daemon.ask("token add tablet")["token"]
        measure_page(daemon, tablet)
        measure_streams(daemon, tablet)
    finally:
        daemon.stop()
