"""Reads the metrics of a running gamed with the parser of Prometheus: metrics.py BASE_URL. Prints `ok metrics`."""

import sys
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families

FAMILIES = {
    "gamed_sessions": "gauge",
    "gamed_sessions_quarantined": "gauge",
    "gamed_clients": "gauge",
    "gamed_changes": "counter",
    "gamed_refusals": "counter",
    "gamed_web_requests": "counter",
    "gamed_build": "info",
    "gamed_storage_outage": "gauge",
    "gamed_storage_up": "gauge",
    "gamed_uptime_seconds": "gauge",
}


def check(condition, failure):
    if not condition:
        sys.exit(f"not ok metrics: {failure}")


def read(base):
    """The metric families by name. Fails if the text is not valid OpenMetrics."""
    with urllib.request.urlopen(f"{base}/metrics", timeout=60) as response:
        content_type = response.headers["Content-Type"]
        text = response.read().decode()
    check(content_type == "application/openmetrics-text; version=1.0.0; charset=utf-8", f"the content type is {content_type}")
    try:
        return {family.name: family for family in text_string_to_metric_families(text)}
    except ValueError as error:
        check(False, f"{error} in:\n{text}")


def value(families, name):
    """The value of a family without labels."""
    check(len(families[name].samples) == 1, f"{name} has {families[name].samples}")
    return families[name].samples[0].value


def main(base):
    before = read(base)
    for name, metric_type in FAMILIES.items():
        check(name in before, f"there is no {name}, only {', '.join(before)}")
        check(before[name].type == metric_type, f"{name} is a {before[name].type}, not a {metric_type}")
    for name, family in before.items():
        check(family.documentation.endswith("."), f"{name} does not say what it is")
        check(value(before, name) >= 0, f"{name} is below 0")
    check(before["gamed_uptime_seconds"].unit == "seconds", "the uptime has no unit")
    check(value(before, "gamed_clients") >= 1, "the client that asks is not counted")
    after = read(base)
    increase = value(after, "gamed_web_requests") - value(before, "gamed_web_requests")
    # Other clients may have made requests between the two reads.
    check(increase >= 1, f"after one more request, gamed_web_requests has grown by {increase}")
    print("ok metrics")


if len(sys.argv) != 2:
    sys.exit("usage: metrics.py BASE_URL")
main(sys.argv[1].rstrip("/"))
