"""The checks of every answer: the configuration of the checks of schemathesis, and checks of gamed's own rules."""

import json

import schemathesis
from schemathesis.specs.openapi import checks

from openapi_description import check_value, result_schema

# Checks that the answer matches the description.
CONFORMANCE = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]

# Headers of every answer that gamed makes. The answers that the HTTP library makes by itself lack them.
USUAL_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}

# Parts of the daemon's sentences about refusals: for these reasons a request may be refused although it matches its schema.
UNDESCRIBED_REASONS = (
    "at most 10 years", "there is no token", "exists already", "Bluetooth is off: start gamed with --bluetooth",
    "no output uses a connection", "no broker is connected", "no line has the number or the effect", "outputs are off",
    "no source has that name", "inputs goes with *",
)

# Enables checks that are off by default. Disables other checks, for these reasons:
# - positive_data_acceptance: `valid_data_acceptance` replaces it, but accepts refusals for UNDESCRIBED_REASONS.
# - negative_data_rejection: `invalid_data_refusal` replaces it, but does not check notifications.
# - ignored_auth: no operation requires a token, because the daemon's rules may allow requests without one.
#   openapi_refusals.py makes requests with a wrong token, and a request without a token where the rules require a token.
# - object_level_authorization: it needs two users with objects of their own. Rights are tested in Swift.
# - missing_required_header: no header is required.
# - use_after_free, ensure_resource_availability: they check resources of REST, but sessions are opened and
#   closed by methods of one path.
CHECK_SETTINGS = {
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


def parse_reply(response):
    """The JSON-RPC reply to a single request; None if the body of the response is something else."""
    try:
        body = json.loads(response.content)
    except ValueError:
        return None
    return body if isinstance(body, dict) and "jsonrpc" in body else None


@schemathesis.check
def usual_headers(ctx, response, case):
    """An answer has the usual headers. The HTTP library refuses some requests by itself, with HTML and without the headers."""
    html = response.headers.get("content-type", [""])[0].startswith("text/html")
    if html and response.status_code >= 400:
        return
    for name, value in USUAL_HEADERS.items():
        found = response.headers.get(name.lower())
        assert found == [value], f"{name}: expected {value}, got {found}"


@schemathesis.check
def valid_data_acceptance(ctx, response, case):
    """A request that matches the description is not answered with 400."""
    data = ((parse_reply(response) or {}).get("error") or {}).get("data") or {}
    if response.status_code == 400 and any(words in data.get("why", "") for words in UNDESCRIBED_REASONS):
        return
    checks.positive_data_acceptance(ctx, response, case)


@schemathesis.check
def invalid_data_refusal(ctx, response, case):
    """A request that does not match the description is refused. A notification gets no reply, not even an error."""
    if response.status_code == 204 and isinstance(case.body, dict) and "id" not in case.body:
        return
    checks.negative_data_rejection(ctx, response, case)


@schemathesis.check
def reply_conformance(ctx, response, case):
    """A reply has the id of its request, and a result that matches the method's schema."""
    if case.path != "/v1/rpc" or not isinstance(case.body, dict):
        return
    answer = parse_reply(response)
    if answer is None:
        assert response.status_code != 204 or "id" not in case.body, "a request got no reply"
        return
    if answer["id"] is not None:
        request_id = case.body.get("id")
        assert answer["id"] == request_id, f"the reply to {request_id!r} is to {answer['id']!r}"
    if "result" in answer:
        document = case.operation.schema.raw_schema
        method = case.body["method"]
        check_value(document, answer["result"], result_schema(document, method), f"{method}'s result")
