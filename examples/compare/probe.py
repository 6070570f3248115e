"""Shows every open behavior of a service to `paylink-mock compare`. It WRITES to the service: use a test project.

It creates users and payment links with emails at probe.example, then deletes the users and cancels the links. The canceled
links remain. PROJECT, TOKEN and INVOICE name a project, a token that is valid for this project only, and one of its invoices.
OTHER_PROJECT is a project of another token, OTHER_TOKEN.
"""

import json
import os
import uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

env = os.environ.get
base_url, token = os.environ["BASE_URL"], env("TOKEN", "probe")
project, other_project = env("PROJECT", "probe"), env("OTHER_PROJECT", "probe-other")
users, links = f"/projects/{project}/users", f"/projects/{project}/paymentLinks"
invoice, unique = env("INVOICE", "inv_probe"), uuid.uuid4().hex[:8]
created = []


def call(method, path, body=None, **headers):
    """Returns the response as JSON, whatever its status."""
    defaults = {"authorization": f"Bearer {token}", "accept": "application/json", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    sent = {name.replace("_", "-"): value for name, value in {**defaults, **headers}.items() if value}
    try:
        with urlopen(Request(base_url + path, data, sent, method=method)) as response:
            text = response.read()
    except HTTPError as error:
        text = error.read()
    try:
        return json.loads(text)
    except ValueError:
        return {}


def create(path, body, **headers):
    record = call("POST", path, body, **headers)
    if record.get("object") in ("user", "paymentLink"):
        created.append(f"{path}/{record['id']}")
    return record


def email(name):
    return f"{name}.{unique}@probe.example"


def link(name, **payer):
    return {"invoice": name, "type": "partner", "partner": {"user": payer}}


def probe_users():
    ada = create(users, {"email": email("Ada"), "metadata": {"a": "1"}}).get("id", "none")
    create(users, {"email": email("Ada")})
    bea = create(users, {"email": email("bea")}).get("id", "none")
    create(users, {"email": email("max"), "metadata": {"number": 1}})
    call("GET", f"{users}?limit=5")
    for searched in [email("Ada"), email("ADA"), email("Ada")[1:], None]:
        call("POST", f"{users}/search", {"email": searched})
    call("PATCH", f"{users}/{ada}", {"metadata": {"b": "2"}})
    call("PATCH", f"{users}/{ada}", {"email": email("ada2")})
    create(users, {})
    create(users, {"email": email("eve"), "nickname": "Eve"})
    call("GET", f"{users}/{ada}", accept="text/html")
    call("DELETE", f"{users}/{bea}")
    call("GET", f"{users}?limit=1&after={bea}")


def probe_links():
    payer = {"fullName": "Ada", "email": email("ada"), "taxNumber": "1"}
    first = create(links, link(invoice, **payer)).get("id", "none")
    create(links, link(invoice, email=email("ada")))
    create(links, link("inv_" + unique, **payer))
    create(links, link("probe-" + unique, **payer))
    for _ in range(2):
        create(links, link(invoice, **payer), idempotency_key=unique)
    call("GET", f"{links}?limit=5")
    for _ in range(2):
        call("POST", f"{links}/{first}/cancel")


def probe_projects():
    if env("OTHER_TOKEN"):
        call("GET", f"/projects/{other_project}/users", authorization=f"Bearer {env('OTHER_TOKEN')}")
    call("GET", f"/projects/{other_project}/users")
    call("GET", f"/projects/probe-{unique}/users")


try:
    probe_users()
    probe_links()
    probe_projects()
finally:
    for path in dict.fromkeys(created):
        call("DELETE", path) if path.startswith(users) else call("POST", f"{path}/cancel")
    left = [path for path in dict.fromkeys(created) if path.startswith(links)]
    print(f"Left in {project}: {len(left)} canceled payment links: {' '.join(left)}")
