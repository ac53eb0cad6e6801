"""Reads the metrics of a running gamed with the parser of Prometheus: metrics.py BASE_URL. Prints `ok metrics`."""

import sys
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families

# What administrators rely on: each family with its type.
FAMILIES = {
    "gamed_build": "info",
    "process_cpu_seconds": "counter",
    "process_resident_memory_bytes": "gauge",
    "process_virtual_memory_bytes": "gauge",
    "process_start_time_seconds": "gauge",
    "process_open_fds": "gauge",
    "process_max_fds": "gauge",
    "gamed_requests": "counter",
    "gamed_request_seconds": "histogram",
    "gamed_turn_seconds": "histogram",
    "gamed_stall_seconds": "counter",
    "gamed_timer_lateness_seconds": "histogram",
    "gamed_commit_seconds": "histogram",
    "gamed_commit_rows": "histogram",
    "gamed_transitions": "counter",
    "gamed_refusals": "counter",
    "gamed_sessions": "gauge",
    "gamed_sessions_stuck": "gauge",
    "gamed_sessions_quarantined": "gauge",
    "gamed_timers": "gauge",
    "gamed_clients": "gauge",
    "gamed_limited": "counter",
    "gamed_connection_up": "gauge",
    "gamed_inputs": "counter",
    "gamed_inputs_unmatched": "counter",
    "gamed_outputs": "counter",
    "gamed_outputs_waiting": "gauge",
    "gamed_alerts": "gauge",
    "gamed_journal_rows": "counter",
    "gamed_journal_bytes": "gauge",
    "gamed_storage_up": "gauge",
    "gamed_backup_timestamp_seconds": "gauge",
    "gamed_archive_lag_seconds": "gauge",
    "gamed_sessions_unread": "gauge",
    "gamed_requests_held": "gauge",
    "gamed_lease_remaining_seconds": "gauge",
    "gamed_shards": "gauge",
    "gamed_shards_missing": "gauge",
    "gamed_shard_moves": "counter",
    "gamed_clock_skew_seconds": "gauge",
    "gamed_clock_steps": "counter",
    "gamed_certificate_expiry_timestamp_seconds": "gauge",
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


def total(families, name, suffix=""):
    """The sum of the samples of a family with this suffix."""
    return sum(sample.value for sample in families[name].samples if sample.name == name + suffix)


def main(base):
    before = read(base)
    types = {name: family.type for name, family in before.items()}
    check(types == FAMILIES, f"the families are {types}")
    for name, family in before.items():
        check(family.documentation.endswith("."), f"{name} does not say what it is")
        for unit in ["seconds", "bytes"]:
            check((family.unit == unit) == name.endswith(f"_{unit}"), f"{name} has the unit {family.unit}")
        for sample in family.samples:
            check(sample.value >= 0, f"{name} is below 0")
    check(total(before, "gamed_clients") >= 1, "the client that asks is not counted")
    check(total(before, "process_start_time_seconds") > 1.7e9, "the start has no time")
    request = urllib.request.Request(
        f"{base}/v1/rpc",
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        {"Content-Type": "application/json"},
    )
    try:
        urllib.request.urlopen(request, timeout=60).read()
    except urllib.error.HTTPError:
        pass  # Without rights, the request counts, too.
    after = read(base)
    # Other clients may have made requests between the two reads.
    for name, suffix in [("gamed_requests", "_total"), ("gamed_request_seconds", "_count")]:
        increase = total(after, name, suffix) - total(before, name, suffix)
        check(increase >= 1, f"after one more request, {name} has grown by {increase}")
    print("ok metrics")


if len(sys.argv) != 2:
    sys.exit("usage: metrics.py BASE_URL")
main(sys.argv[1].rstrip("/"))
