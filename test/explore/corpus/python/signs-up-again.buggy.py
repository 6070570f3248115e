"""Bills a user, who is created first if there is none. Takes a failed search for a missing user."""

from client import call, create_link, three_times

EMAIL = "ada@example.com"


def find_users():
    try:
        return three_times(lambda: call("POST", "/users/search", {"email": EMAIL}))["items"]
    except (OSError, ValueError):
        return []


if not find_users():
    three_times(lambda: call("POST", "/users", {"email": EMAIL}, "user-ada"))
three_times(lambda: create_link("inv_7", "link-inv_7"))
