"""Compares answers of a daemon with the OpenAPI description that it serves."""

import functools
import json

import jsonschema_rs
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup


class Failed(AssertionError):
    """A check failed. The message is a sentence."""


def check(is_so, sentence):
    if not is_so:
        raise Failed(sentence)


@functools.cache
def validator(whole):
    return jsonschema_rs.Draft202012Validator(json.loads(whole))


def fits(document, value, schema, what):
    """Checks a value against a schema of the description."""
    whole = json.dumps({**schema, "components": document["components"]})
    error = next(validator(whole).iter_errors(value), None)
    check(error is None, f"{what} is not as described: {error}")


def result_schema(document, method):
    """The schema of the result of a method of `/v1/rpc`."""
    schemas = document["components"]["schemas"]
    mapping = schemas["Request"]["discriminator"]["mapping"]
    check(method in mapping, f"the method {method} is not described")
    return schemas[mapping[method].split("/")[-1]]["x-result"]


class Description:
    def __init__(self, base, token, settings):
        self.base = base
        self.token = token
        self.bearer = {"Authorization": f"Bearer {token}"}
        config = SchemathesisConfig.from_dict(settings)
        self.schema = schemathesis.openapi.from_url(f"{base}/openapi.json", config=config)
        self.document = self.schema.raw_schema
        # The number of requests that schemathesis has not made.
        self.asked = 0

    def fits(self, value, schema, what):
        fits(self.document, value, schema, what)

    def holds(self, checks, path, method, response):
        """Checks an answer against the description of its operation."""
        self.asked += 1
        case = self.schema[path][method].Case()
        try:
            case.validate_response(response, checks=checks)
        except FailureGroup as group:
            first = group.exceptions[0]
            what = f"{method} {path}: {response.status_code}: {first.title}"
            raise Failed(f"{what}: {first.message}") from None
