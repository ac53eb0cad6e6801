"""The checks of every answer: those of schemathesis, and our own."""

import json

import schemathesis
from schemathesis.specs.openapi import checks

from openapi_description import fits, result_schema

# The answer matches the description.
CONFORMANCE = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]

# Headers of every answer that the daemon itself makes.
USUAL = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}

# Reasons why a request may be refused although it matches its schema.
UNSAYABLE = (
    "at most 10 years", "there is no token", "exists already", "Bluetooth is off: start gamed with --bluetooth",
    "no output uses a connection", "no line has the number or the effect", "outputs are off",
    "inputs goes with *",
)

# The enabled checks. Others are disabled, for these reasons:
# - positive_data_acceptance: `valid_data_is_taken` is the same, except for UNSAYABLE.
# - negative_data_rejection: `invalid_data_is_refused` is the same, except for notifications.
# - ignored_auth: no operation requires a token, because the daemon's rules may allow requests without one.
#   openapi_refusals.py makes requests with a wrong token, and without one where the rules require it.
# - object_level_authorization: it needs two users with objects of their own. Rights are tested in Swift.
# - missing_required_header: no header is required.
# - use_after_free, ensure_resource_availability: they check resources of REST, but sessions are opened and
#   closed by methods of one path.
# - max_response_time: times are measured by the benchmarks, on an idle machine.
SETTINGS = {
    "not_a_server_error": {
        # 503 is described: the disk has failed, or there is no journal.
        "expected-statuses": ["2xx", "3xx", "4xx", "503"]
    },
    "unsupported_method": {"enabled": True},
    "allow_header_conformance": {"enabled": True},
    "positive_data_acceptance": {"enabled": False},
    "negative_data_rejection": {"enabled": False},
    "ignored_auth": {"enabled": False},
    "object_level_authorization": {"enabled": False},
    "missing_required_header": {"enabled": False},
    "use_after_free": {"enabled": False},
    "ensure_resource_availability": {"enabled": False},
}


def reply(response):
    """The reply to a single request; None if the body is something else."""
    try:
        body = json.loads(response.content)
    except ValueError:
        return None
    return body if isinstance(body, dict) and "jsonrpc" in body else None


@schemathesis.check
def usual_headers(ctx, response, case):
    """The usual headers, except in answers of the HTTP library, which refuses some requests itself, with HTML."""
    html = response.headers.get("content-type", [""])[0].startswith("text/html")
    if html and response.status_code >= 400:
        return
    for name, value in USUAL.items():
        found = response.headers.get(name.lower())
        assert found == [value], f"{name}: expected {value}, got {found}"


@schemathesis.check
def valid_data_is_taken(ctx, response, case):
    """A request that matches the description is not answered with 400."""
    data = ((reply(response) or {}).get("error") or {}).get("data") or {}
    if response.status_code == 400 and any(words in data.get("why", "") for words in UNSAYABLE):
        return
    checks.positive_data_acceptance(ctx, response, case)


@schemathesis.check
def invalid_data_is_refused(ctx, response, case):
    """A request that does not match the description is refused. A notification gets no reply, not even an error."""
    if response.status_code == 204 and isinstance(case.body, dict) and "id" not in case.body:
        return
    checks.negative_data_rejection(ctx, response, case)


@schemathesis.check
def reply_belongs_to_its_request(ctx, response, case):
    """A reply has the id of its request, and a result that matches the method's schema."""
    if case.path != "/v1/rpc" or not isinstance(case.body, dict):
        return
    answer = reply(response)
    if answer is None:
        assert response.status_code != 204 or "id" not in case.body, "a request got no reply"
        return
    if answer["id"] is not None:
        asked = case.body.get("id")
        assert answer["id"] == asked, f"the reply to {asked!r} is to {answer['id']!r}"
    if "result" in answer:
        document = case.operation.schema.raw_schema
        method = case.body["method"]
        fits(document, answer["result"], result_schema(document, method), f"{method}'s result")
