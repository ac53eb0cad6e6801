"""Checks the accessibility of a page with axe."""

from axe_playwright_python.sync_playwright import Axe

from browser import Failed, wait_until


def check_accessibility(page, label):
    """Fails with the first violation that axe finds. `label` names the page in the message."""
    # Elements that fade in or out do not have their final colours yet.
    is_still = "() => document.getAnimations().every(each => each.playState !== 'running')"
    wait_until(page, is_still, f"{label}: an animation does not end")
    results = Axe().run(page)
    for violation in results.response["violations"]:
        targets = [node["target"] for node in violation["nodes"]][:3]
        summary = " ".join(violation["nodes"][0]["failureSummary"].split())
        raise Failed(f"{label}: {violation['id']}: {violation['help']} at {targets}: {summary}")
