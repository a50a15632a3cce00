"""Records with something wrong in them, each made of a real one by its number alone."""

import json
import random

# JSON that stands for a value: of the wrong type, out of every range, or no JSON at all
ODD = (
    *("null", "true", "false", "0", "1", "-1", "0.5", "-0.0", "1e999", "NaN", "-Infinity", "9" * 40),
    *("9" * 5000, str(2**63), str(2**64), '""', '"a"', '"<ndarray>"', '"\\ud800"', '"a\\u0000b"', '"1e9999"'),
    *('"a\\nb"', '"\\u001b[2J"', '"/dev/null"', '"/dev/zero"', '"."', '"%s"' % ("x" * 5000), "[]", "{}"),
    *("[0]", '["a"]', "[null]", "[[0]]", '{"a": 1}', '{"a": 1, "a": 2}', "[" * 100_000, "{}}", "0x1"),
    *("[" * 900 + "]" * 900, '{"a":' * 5000 + "1" + "}" * 5000),
    *('["drv"]', '"drv"', '"gps"', '"dhyb"', '"50%"'),
)
NEW = (
    *("folder", "device", "progress", "on_note", "output", "outputs", "forest", "checkpoint", "attributes"),
    *("verify", "max_ratio", "path", "seeds", "arrays", "strata", "methods", "samples", "result", "a\n"),
    "\ud800",
)
HERE = "@here@"


def places(value):
    """Every (container, key) inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, each in inside for place in ((value, key), *places(each))]


def mutated(texts, number):
    """One of some records with one to three changes: in its values, its keys, or its bytes."""
    rng = random.Random(number)
    told, odd = json.loads(rng.choice(texts)), []
    for _ in range(rng.choice((1, 1, 2, 3))):
        container, key = rng.choice(places(told))
        match rng.randrange(5):
            case 0:
                del container[key]
            case 1 if isinstance(container, dict):
                container[rng.choice(NEW)] = container[key] if rng.random() < 0.3 else _odd(rng, odd)
            case 2 if isinstance(container, dict):
                name = rng.choice(list(container))
                container[name] = container.pop(key)
            case _:
                container[key] = _odd(rng, odd)
    text = json.dumps(told)
    for each in odd:
        text = text.replace(json.dumps(each[0]), each[1], 1)
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        at = rng.randrange(len(data))
        data = rng.choice((data[:at], data[:at] + rng.randbytes(2) + data[at:], data[at:], data * 2))
    return data


def _odd(rng, odd):
    odd.append((f"{HERE}{len(odd)}", rng.choice(ODD)))
    return odd[-1][0]
