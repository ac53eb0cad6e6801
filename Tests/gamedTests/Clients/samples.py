"""Prints the samples of a running gamed as the parser of Prometheus reads them: samples.py BASE_URL.

Each line has the sample with its labels, its value, its name, and its labels as a JSON object.
"""

import json
import ssl
import sys
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families


def main(base):
    # The certificates of the tests are not those of a public authority.
    anybody = ssl._create_unverified_context()
    with urllib.request.urlopen(f"{base}/metrics", timeout=60, context=anybody) as response:
        text = response.read().decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sample.labels.items())
            print(sample.name + (f"{{{labels}}}" if labels else ""), float(sample.value), sample.name, json.dumps(sample.labels), sep="\t")


if len(sys.argv) != 2:
    sys.exit("usage: samples.py BASE_URL")
main(sys.argv[1].rstrip("/"))
