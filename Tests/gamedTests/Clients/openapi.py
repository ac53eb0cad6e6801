"""Holds a running gamed against the description that it serves: openapi.py BASE_URL TOKEN [SEED].

schemathesis makes up requests from the description, right ones and wrong ones; what it cannot know is asked by
hand. Prints `ok openapi: N requests`, or what was not as described.

For a daemon of the test's own, without a state directory: it opens and closes sessions, makes and removes tokens
and moves a virtual clock, and asks for backups at made-up paths. The token has to operate, and no rule may let
everybody operate.
"""

import sys
import tempfile
import time

import requests
from hypothesis.configuration import set_hypothesis_home_dir
from schemathesis.engine import events, from_schema

import openapi_refusals
import openapi_stream
import openapi_tour
from openapi_checks import SETTINGS
from openapi_description import Description, Failed, check

SEED = 2026
# Per operation; all of it takes a few seconds.
EXAMPLES = 150
PATIENCE = 20


def settings(token, seed):
    return {
        "seed": seed,
        "headers": {"Authorization": f"Bearer {token}"},
        "request-timeout": 5.0,
        "checks": SETTINGS,
        "generation": {
            "max-examples": EXAMPLES,
            "database": "none",
            # The token is ours, and not made up.
            "with-security-parameters": False,
            # U+0000 is refused in some strings and not in others, further down than a schema looks.
            "allow-x00": False,
        },
        "phases": {
            # QUERY is a method that the HTTP library does not know, and answers with 501, as it should.
            # TRACE has no body, and schemathesis sends one.
            "coverage": {
                "unexpected-methods": ["get", "put", "post", "delete", "options", "patch"]
            },
            # One request's answer is no other request's address.
            "stateful": {"enabled": False},
        },
    }


def explore(schema):
    """Lets schemathesis ask; how often it did, and what it found."""
    count, findings = 0, []
    stream = from_schema(schema).execute()
    end = time.monotonic() + PATIENCE
    for event in stream:
        if isinstance(event, events.ScenarioFinished):
            count += len(event.recorder.interactions)
            findings += failures(event.recorder)
        elif isinstance(event, (events.NonFatalError, events.FatalError)):
            label = getattr(event, "label", "schemathesis")
            findings.append(f"{label}: {getattr(event, 'value', None) or event.exception}")
        if time.monotonic() > end:
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
    # What it would keep for the next run is not wanted where this is run.
    with tempfile.TemporaryDirectory() as folder:
        set_hypothesis_home_dir(folder)
        hold(base, token, seed)


def hold(base, token, seed):
    try:
        description = Description(base, token, settings(token, seed))
        for part in (openapi_tour, openapi_refusals, openapi_stream):
            part.run(description)
        # A stream has no end to wait for: openapi_stream.py reads one.
        count, findings = explore(description.schema.exclude(path="/v1/events"))
        check(not findings, "\n".join(findings))
        check(count > 500, f"schemathesis asked {count} times only")
        health = requests.get(f"{base}/healthz", timeout=5)
        check(health.text == "ok\n", f"it is not well afterwards: {health.text}")
    except (Failed, requests.RequestException) as problem:
        sys.exit(f"not ok openapi: {problem}")
    print(f"ok openapi: {count + description.asked} requests")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: openapi.py BASE_URL TOKEN [SEED]")
    main(sys.argv[1].rstrip("/"), *sys.argv[2:])
