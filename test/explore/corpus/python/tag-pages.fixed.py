"""Tags all users, page by page. If the last user of a page was deleted, it starts again."""

from urllib.error import HTTPError

from client import call

after = ""
while after is not None:
    try:
        page = call("GET", f"/users?limit=1{after and f'&after={after}'}")
    except HTTPError as error:
        if error.code != 400 or after == "":
            raise
        after = ""
        continue
    for user in page["items"]:
        try:
            call("PATCH", f"/users/{user['id']}", {"metadata": {"tagged": True}})
        except HTTPError as error:
            if error.code != 404:
                raise
    after = page["moreItemsAfter"]
