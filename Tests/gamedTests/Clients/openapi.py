"""Compares a running gamed with the OpenAPI description that it serves: openapi.py BASE_URL TOKEN [SEED].

schemathesis generates valid and invalid requests from the description. Other scripts make the requests that it
cannot generate. Prints `ok openapi: N requests`, or the differences.

The daemon must be started for this test, without a state directory: the requests open and close sessions, make and
remove tokens, advance a virtual clock, and make backups at random paths. The token must have the role operate, and no
rule may give this role to everybody.
"""

import sys
import tempfile

import requests
from hypothesis.configuration import set_hypothesis_home_dir
from schemathesis.engine import events, from_schema

import openapi_refusals
import openapi_stream
import openapi_tour
from openapi_checks import SETTINGS
from openapi_description import Description, Failed, check

SEED = 2026
# The number of generated requests for each operation.
EXAMPLES = 150
# The number of requests after which no further ones are generated. A number and not a time, so that a busy machine tests
# as much as an idle one.
REQUESTS = 1000


def settings(token, seed):
    return {
        "seed": seed,
        "headers": {"Authorization": f"Bearer {token}"},
        "request-timeout": 60.0,
        "checks": SETTINGS,
        "generation": {
            "max-examples": EXAMPLES,
            "database": "none",
            # Uses the given token, not a generated one.
            "with-security-parameters": False,
            # U+0000 is refused only in some strings, which the schema does not describe.
            "allow-x00": False,
        },
        "phases": {
            # The HTTP library does not know QUERY, and correctly answers 501. TRACE must not have a body,
            # but schemathesis sends one.
            "coverage": {
                "unexpected-methods": ["get", "put", "post", "delete", "options", "patch"]
            },
            # No answer contains the address of another request.
            "stateful": {"enabled": False},
        },
    }


def explore(schema):
    """Runs schemathesis, and returns the number of its requests and its findings."""
    count, findings = 0, []
    stream = from_schema(schema).execute()
    for event in stream:
        if isinstance(event, events.ScenarioFinished):
            count += len(event.recorder.interactions)
            findings += failures(event.recorder)
        elif isinstance(event, (events.NonFatalError, events.FatalError)):
            label = getattr(event, "label", "schemathesis")
            findings.append(f"{label}: {getattr(event, 'value', None) or event.exception}")
        if count >= REQUESTS:
            stream.stop()
    return count, list(dict.fromkeys(findings))


def failures(recorder):
    for nodes in recorder.checks.values():
        for node in nodes:
            if node.failure_info:
                found = node.failure_info.failure
                yield f"{found.operation}: {found.title}: {found.message}"
                yield f"    {node.failure_info.code_sample}"


def main(base, token, seed=SEED):
    seed = int(seed)
    print(f"openapi: seed {seed}", flush=True)
    # schemathesis must not write files into the present directory for its next run.
    with tempfile.TemporaryDirectory() as folder:
        set_hypothesis_home_dir(folder)
        compare(base, token, seed)


def compare(base, token, seed):
    try:
        description = Description(base, token, settings(token, seed))
        for part in (openapi_tour, openapi_refusals, openapi_stream):
            part.run(description)
        # openapi_stream.py reads the stream, because it never ends.
        count, findings = explore(description.schema.exclude(path="/v1/events"))
        check(not findings, "\n".join(findings))
        check(count >= REQUESTS, f"schemathesis made only {count} requests")
        health = requests.get(f"{base}/healthz", timeout=60)
        check(health.text == "ok\n", f"the daemon is not healthy afterwards: {health.text}")
    except (Failed, requests.RequestException) as problem:
        sys.exit(f"not ok openapi: {problem}")
    print(f"ok openapi: {count + description.asked} requests")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: openapi.py BASE_URL TOKEN [SEED]")
    main(sys.argv[1].rstrip("/"), *sys.argv[2:])
