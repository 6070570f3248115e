"""Bills a user, who is created first if there is none. A failed search ends it."""

from client import call, create_link, three_times

EMAIL = "ada@example.com"

if not three_times(lambda: call("POST", "/users/search", {"email": EMAIL}))["items"]:
    three_times(lambda: call("POST", "/users", {"email": EMAIL}, "user-ada"))
three_times(lambda: create_link("inv_7", "link-inv_7"))
