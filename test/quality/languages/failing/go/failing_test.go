package checkout

import "testing"

func TestFailsOnPurpose(t *testing.T) {
	project, _ := newProject(t)
	link, err := newCheckout(project).Start("inv_1")
	t.Fatal(link, err)
}
