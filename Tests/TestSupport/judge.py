"""Compares what the local API does with the document that describes it.

Takes the document's path. Reads JSON lines: an exchange that took place, a value of a schema, or the list of routes.
Prints a line for each: nothing if all is as the document says, else what is not.
"""
import json
import re
import sys
import urllib.parse

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

DOCUMENT = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
REGISTRY = Registry().with_resource("urn:document", Resource(contents=DOCUMENT, specification=DRAFT202012))
METHODS = {"get", "post", "put", "delete", "patch"}


def operations():
    for path, item in DOCUMENT["paths"].items():
        for method in METHODS & item.keys():
            yield method.upper(), path, item


def resolved(node):
    """A part of the document, and the pointer to it where it is only referred to."""
    while "$ref" in node:
        target = DOCUMENT
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        node = target
    return node


def faults(schema, value):
    absolute = json.loads(json.dumps(schema).replace('"#/', '"urn:document#/'))
    validator = Draft202012Validator(absolute, registry=REGISTRY)
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}"[:300] for error in validator.iter_errors(value)]


def operation(method, path):
    """The operation for a request, and its parameters with what the path gives; a literal path before an open one."""
    found = []
    for candidate, template, item in operations():
        pattern = re.sub(r"\\\{([^/]*)\\\}", r"(?P<\1>[^/]+)", re.escape(template))
        if candidate == method and (match := re.fullmatch(pattern, path)):
            given = {name: urllib.parse.unquote(value) for name, value in match.groupdict().items()}
            found.append((len(given), item[method.lower()], parameters(item, method), given))
    return min(found, key=lambda entry: entry[0])[1:] if found else (None, [], {})


def parameters(item, method):
    return [resolved(part) for part in item.get("parameters", []) + item[method.lower()].get("parameters", [])]


def wrong_parameters(described, in_path, in_query):
    """What a request that was taken has in its path and its query and the document does not, or otherwise."""
    found = [f"{name}: not in the document" for name in in_query
             if name not in {p["name"] for p in described if p["in"] == "query"}]
    for parameter in described:
        given = {"path": in_path, "query": in_query}.get(parameter["in"], {})
        if parameter["name"] in given:
            value, schema = given[parameter["name"]], resolved(parameter["schema"])
            if schema.get("type") == "integer" and re.fullmatch("-?[0-9]+", value):
                value = int(value)
            found += [parameter["name"] + fault for fault in faults(schema, value)]
        elif parameter.get("required"):
            found.append(f"{parameter['name']}: missing, and not optional")
    return found


def judge_exchange(exchange):
    status, media, body = exchange["status"], exchange.get("type", "").split(";")[0], exchange.get("body", "")
    wanted, described, in_path = operation(exchange["method"], exchange["path"])
    where = f"{exchange['method']} {exchange['path'][:80]} answered {status}"
    if wanted is None or status >= 400:
        if wanted is None and status < 400:
            return f"{where}, and the document has no such operation"
        response = DOCUMENT["components"]["responses"]["Error"]
    else:
        response = wanted["responses"].get(str(status))
        if response is None:
            return f"{where}, and the document does not say so"
        response = resolved(response)
        if found := wrong_parameters(described, in_path, exchange["query"]):
            return f"{where}, and took what is not as the document says: {found}"
        sent = exchange.get("request", "")
        if sent and "requestBody" not in wanted:
            return f"{where}, and took a body that the document does not have"
        if sent:
            schema = wanted["requestBody"]["content"]["application/json"]["schema"]
            if found := faults(schema, json.loads(sent)):
                return f"{where}, and took a body that is not as the document says: {found}"
    content = response.get("content", {})
    if not content:
        return f"{where} with a body, and the document has none" if body else ""
    if media not in content:
        return f"{where} with {media or 'no type'}, and the document says {list(content)}"
    if media != "application/json":
        return ""
    if found := faults(content[media]["schema"], json.loads(body)):
        return f"{where}, and its body is not as the document says: {found}"
    return ""


def judge_routes(routes):
    described = set()
    for method, path, item in operations():
        named = parameters(item, method)
        query = sorted(p["name"] for p in named if p["in"] == "query")
        opened = sorted(p["name"] for p in named if p["in"] == "path")
        described.add((method, path, tuple(query), tuple(opened), item[method.lower()].get("x-scope", ""),
                       "requestBody" in item[method.lower()]))
    served = {(r["method"], r["path"], tuple(sorted(r["query"])), tuple(sorted(r["parameters"])), r["scope"],
               r["takesBody"]) for r in routes}
    missing, extra = sorted(served - described), sorted(described - served)
    return f"not in the document: {missing}; not served: {extra}" if missing or extra else ""


for line in sys.stdin:
    order = json.loads(line)
    if "routes" in order:
        answer = judge_routes(order["routes"])
    elif "schema" in order:
        answer = "; ".join(faults({"$ref": f"#/components/schemas/{order['schema']}"}, order["value"]))
    else:
        answer = judge_exchange(order)
    print(answer.replace("\n", " "), flush=True)
