"""Checks a page with axe."""

from axe_playwright_python.sync_playwright import Axe

from browser import Failed, until


def inspect(page, what):
    # Elements that fade in or out do not have their final colours yet.
    still = "() => document.getAnimations().every(each => each.playState !== 'running')"
    until(page, still, f"{what}: something never stops moving")
    results = Axe().run(page)
    for violation in results.response["violations"]:
        where = [node["target"] for node in violation["nodes"]][:3]
        why = " ".join(violation["nodes"][0]["failureSummary"].split())
        raise Failed(f"{what}: {violation['id']}: {violation['help']} at {where}: {why}")
