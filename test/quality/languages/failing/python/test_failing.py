from checkout import Checkout


def test_fails_on_purpose(project):
    link = Checkout(project.url, "any", project.id).start("inv_1")
    assert link["status"] == "completed"
