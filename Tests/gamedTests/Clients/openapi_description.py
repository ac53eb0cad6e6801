"""The description that a daemon serves, and holding answers against it."""

import functools
import json

import jsonschema_rs
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup


class Failed(AssertionError):
    """Something is not as it should be; the message is a sentence."""


def check(is_so, sentence):
    if not is_so:
        raise Failed(sentence)


@functools.cache
def validator(whole):
    return jsonschema_rs.Draft202012Validator(json.loads(whole))


def fits(document, value, schema, what):
    """Holds a value against a schema that stands in the description."""
    whole = json.dumps({**schema, "components": document["components"]})
    error = next(validator(whole).iter_errors(value), None)
    check(error is None, f"{what} is not as described: {error}")


def result_schema(document, method):
    """What the description says that a method of `/v1/rpc` results in."""
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
        # How many requests were made by hand.
        self.asked = 0

    def fits(self, value, schema, what):
        fits(self.document, value, schema, what)

    def holds(self, checks, path, method, response):
        """Holds an answer to a request that was made by hand against what is said of its operation."""
        self.asked += 1
        case = self.schema[path][method].Case()
        try:
            case.validate_response(response, checks=checks)
        except FailureGroup as group:
            first = group.exceptions[0]
            what = f"{method} {path}: {response.status_code}: {first.title}"
            raise Failed(f"{what}: {first.message}") from None
