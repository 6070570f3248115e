package checkout

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

var mockURL, adminToken = os.Getenv("PAYLINK_MOCK_URL"), os.Getenv("PAYLINK_MOCK_ADMIN_TOKEN")

// newProject returns a project for this test alone, and a function that calls the control API for it.
// If the test fails, it logs the report of the project.
func newProject(t *testing.T) (id string, control func(method, path, body string) string) {
	if mockURL == "" || adminToken == "" {
		t.Fatal("Set PAYLINK_MOCK_URL and PAYLINK_MOCK_ADMIN_TOKEN to those of a running mock.")
	}
	id = projectIDFor(strings.Split(t.Name(), "/")...)
	control = func(method, path, body string) string {
		t.Helper()
		request, err := http.NewRequest(method, mockURL+"/__admin/projects/"+id+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Authorization": {"Bearer " + adminToken}, "Content-Type": {"application/json"}}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode >= 300 {
			t.Fatal(method, path, string(text), err)
		}
		return string(text)
	}
	control("POST", "/reset", "") // An earlier run may have used the same mock.
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(control("GET", "/report", ""))
		}
	})
	return id, control
}
