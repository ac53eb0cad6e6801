"""Finds elements of a page that do not fit the screen."""

import time

from browser import TIMEOUT_MS, check

# The screens on which the pages are tested: width and height.
SIZES = [(1920, 1080), (1280, 800), (1024, 600), (768, 1024), (390, 844)]

# A function that returns a sentence for each fault of the layout. An element must not be cut off, overlap another element, be
# outside of the screen or, as a control, lie behind a fixed element. The function takes two selectors:
# - The elements of `wanted` must be visible without scrolling.
# - The elements of `reachable` must be visible after vertical scrolling.
FIND_LAYOUT_FAULTS = """([wanted, reachable]) => {
    const faults = [];
    const visibleElements = selector =>
        [...document.querySelectorAll(selector)].filter(each => each.checkVisibility());
    const nameOf = each =>
        `${each.tagName.toLowerCase()} ${each.ariaLabel || each.name || each.textContent.trim()}`;
    const isWithin = (inner, outer) => inner.left >= outer.left - 1 && inner.top >= outer.top - 1
        && inner.right <= outer.right + 1 && inner.bottom <= outer.bottom + 1;
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (const each of visibleElements(wanted)) {
        const box = each.getBoundingClientRect();
        if (!isWithin(box, screen)) faults.push(`${nameOf(each)} is outside of the screen`);
        for (let outer = each.parentElement; outer; outer = outer.parentElement) {
            if (getComputedStyle(outer).overflow === 'visible') continue;
            if (!isWithin(box, outer.getBoundingClientRect()))
                faults.push(`${nameOf(each)} is cut off by ${outer.className || outer.id}`);
        }
    }
    for (const each of visibleElements(reachable)) {
        const { left, right } = each.getBoundingClientRect();
        if (left < -1 || right > innerWidth + 1) faults.push(`${nameOf(each)} is beside the screen`);
    }
    for (const ring of visibleElements('.ring.countdown')) {
        const [dial, digits] = ['.dial', '.digits']
            .map(selector => ring.querySelector(selector).getBoundingClientRect());
        // The drawing is 120 wide. Its ring has the radius 54 and a line of 7, so the circle inside has the diameter 101.
        // The glyphs of the digits fill 0.74 of their box's height.
        const inner = dial.width / 2 * 101 / 120;
        const corner = Math.hypot(digits.width / 2, digits.height * 0.37);
        if (corner > inner) faults.push(`${digits.width} px of digits in a ring of ${dial.width} px`);
    }
    // The message is complete, and has as much space above its text as below it.
    for (const each of visibleElements('#host-message')) {
        const text = document.createRange();
        text.selectNodeContents(each);
        const [inner, outer] = [text, each].map(part => part.getBoundingClientRect());
        const [above, below] = [inner.top - outer.top, outer.bottom - inner.bottom];
        if (Math.abs(above - below) > 4) faults.push(`${above} px above the message and ${below} px below it`);
    }
    const parts = visibleElements(
        '.ring, .controls button, #state, #host-message, #board .data, .presses button, .presses input');
    for (const [index, part] of parts.entries()) {
        for (const other of parts.slice(index + 1)) {
            const [a, b] = [part, other].map(each => each.getBoundingClientRect());
            if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1
                && b.top < a.bottom - 1) faults.push(`${nameOf(part)} covers ${nameOf(other)}`);
        }
    }
    // A tap at the centre of a control must reach the control: no fixed element, such as a note, may lie over it.
    const isFixed = each => {
        for (let outer = each; outer; outer = outer.parentElement)
            if (getComputedStyle(outer).position === 'fixed') return true;
        return false;
    };
    for (const each of visibleElements(reachable)) {
        const box = each.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        if (top && top !== each && !each.contains(top) && isFixed(top) && !isFixed(each))
            faults.push(`${nameOf(top)} covers ${nameOf(each)}`);
    }
    const page = document.documentElement;
    if (page.scrollWidth > innerWidth) faults.push('the page is too wide');
    if (document.querySelector('#board') && page.scrollHeight > innerHeight)
        faults.push('the page is too high');
    return faults;
}"""

# A function that returns the points at which something covers the button of a phone that has only this button.
FIND_COVERED_POINTS = """() => [[2, 2], [innerWidth - 3, innerHeight - 3], [innerWidth / 2, innerHeight / 2]]
    .filter(([x, y]) => !document.elementFromPoint(x, y)?.closest("button.buzzer"))"""


def wait_for_frames(page):
    """Waits for the frames in which a page draws clocks and buttons, and fits lists and texts to the screen."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")


def expect_no_faults(page, label, find_faults):
    """Waits until `find_faults` returns nothing; fails with what it still returns after the timeout. On a busy machine, a page may
    fit its elements later than in the next frames, because it loads the code for it when it needs it first."""
    wait_for_frames(page)
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while faults := find_faults():
        check(time.monotonic() < deadline, f"{label}: {'; '.join(map(str, faults))}")
        page.wait_for_timeout(20)


def expect_fit(page, wanted, reachable, label):
    """Waits until no element has a fault of the layout. See `FIND_LAYOUT_FAULTS` for the two selectors."""
    expect_no_faults(page, label, lambda: page.evaluate(FIND_LAYOUT_FAULTS, [wanted, reachable]))
