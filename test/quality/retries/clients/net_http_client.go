// net/http: "Transport only retries a request upon encountering a network error if the request is idempotent and either has no
// body or has its Request.GetBody defined". POST is not idempotent.
package main

import (
	"net/http"
	"os"
	"strings"
)

func main() {
	body := `{"invoice":"inv_7","type":"partner","partner":{"user":{}}}`
	for attempts := map[string]int{"retried": 3, "once": 1}[os.Args[1]]; attempts > 0; attempts-- {
		request, _ := http.NewRequest("POST", os.Getenv("BASE_URL")+"/projects/acme/paymentLinks", strings.NewReader(body))
		request.Header = http.Header{"Authorization": {"Bearer any"}, "Accept": {"application/json"}, "Content-Type": {"application/json"}}
		if response, err := http.DefaultClient.Do(request); err == nil && response.StatusCode == 201 {
			return
		}
	}
	os.Exit(1)
}
