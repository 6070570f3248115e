"""Tags all users, page by page."""

from urllib.error import HTTPError

from client import call

after = ""
while after is not None:
    try:
        page = call("GET", f"/users?limit=1{after and f'&after={after}'}")
    except HTTPError as error:
        print(f"no further page: {error}")
        break
    for user in page["items"]:
        try:
            call("PATCH", f"/users/{user['id']}", {"metadata": {"tagged": True}})
        except HTTPError as error:
            print(f"{user['id']} was deleted: {error}")
    after = page["moreItemsAfter"]
