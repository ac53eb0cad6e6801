"""Compares a running gamed with the OpenAPI description that it serves: openapi.py BASE_URL TOKEN SEED.

schemathesis generates valid and invalid requests from the description. The modules openapi_*.py make the requests that
schemathesis cannot generate. Prints `ok openapi: N requests`, or the differences.

The daemon must be started for this test, without a state directory. The requests open and close sessions, make and remove
tokens, advance a virtual clock, and make backups at random paths. The token must have the role operate, and no rule may give
this role to everybody.
"""

import sys

import requests
from hypothesis.configuration import set_hypothesis_home_dir
from schemathesis.engine import events, from_schema

import openapi_refusals
import openapi_stream
import openapi_tour
from openapi_checks import CHECK_SETTINGS
from openapi_description import Description, Failed, check

# The greatest number of generated requests for each operation.
MAX_EXAMPLES = 150
# No further requests are generated after this number. The limit is not a time, so that a busy machine tests as much as an idle
# machine.
MAX_REQUESTS = 1000


def settings(token, seed):
    return {
        "seed": seed,
        "headers": {"Authorization": f"Bearer {token}"},
        "request-timeout": 60.0,
        "checks": CHECK_SETTINGS,
        "generation": {
            "max-examples": MAX_EXAMPLES,
            "database": "none",
            # Uses the given token, and generates no tokens.
            "with-security-parameters": False,
            # Some strings must not contain U+0000; the schema does not say which.
            "allow-x00": False,
        },
        "phases": {
            # The methods QUERY and TRACE are left out. The daemon's HTTP library does not know QUERY, and answers 501, which
            # is correct. A TRACE request must not have a body, but schemathesis sends a body.
            "coverage": {
                "unexpected-methods": ["get", "put", "post", "delete", "options", "patch"]
            },
            # No answer contains a link to another request.
            "stateful": {"enabled": False},
        },
    }


def run_generated_requests(schema):
    """Runs schemathesis; returns the number of requests that it made, and a sentence for each finding."""
    count, findings = 0, []
    engine_events = from_schema(schema).execute()
    for event in engine_events:
        if isinstance(event, events.ScenarioFinished):
            count += len(event.recorder.interactions)
            findings += describe_failures(event.recorder)
        elif isinstance(event, (events.NonFatalError, events.FatalError)):
            label = getattr(event, "label", "schemathesis")
            findings.append(f"{label}: {getattr(event, 'value', None) or event.exception}")
        if count >= MAX_REQUESTS:
            engine_events.stop()
    return count, list(dict.fromkeys(findings))


def describe_failures(recorder):
    """Yields a sentence and an example command for each failed check of a scenario."""
    for nodes in recorder.checks.values():
        for node in nodes:
            if node.failure_info:
                failure = node.failure_info.failure
                yield f"{failure.operation}: {failure.title}: {failure.message}"
                yield f"    {node.failure_info.code_sample}"


def main(base, token, seed):
    seed = int(seed)
    print(f"openapi: seed {seed}", flush=True)
    # hypothesis saves tables of characters for its next run, by default in the current directory.
    set_hypothesis_home_dir(f"{sys.prefix}/hypothesis")
    compare(base, token, seed)


def compare(base, token, seed):
    try:
        description = Description(base, token, settings(token, seed))
        for part in (openapi_tour, openapi_refusals, openapi_stream):
            part.run(description)
        # The stream of events never ends, so only openapi_stream.py reads it.
        count, findings = run_generated_requests(description.schema.exclude(path="/v1/events"))
        check(not findings, "\n".join(findings))
        check(count >= MAX_REQUESTS, f"schemathesis made only {count} requests")
        health = requests.get(f"{base}/healthz", timeout=60)
        check(health.text == "ok\n", f"the daemon is not healthy afterwards: {health.text}")
    except (Failed, requests.RequestException) as error:
        sys.exit(f"not ok openapi: {error}")
    print(f"ok openapi: {count + description.request_count} requests")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: openapi.py BASE_URL TOKEN SEED")
    main(sys.argv[1].rstrip("/"), *sys.argv[2:])
