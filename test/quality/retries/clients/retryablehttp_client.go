// go-retryablehttp: DefaultRetryPolicy "will retry on connection errors and server errors", whatever the method is.
package main

import (
	"net/http"
	"os"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

func main() {
	body := `{"invoice":"inv_7","type":"partner","partner":{"user":{}}}`
	client := retryablehttp.NewClient()
	client.RetryWaitMin, client.RetryMax = time.Millisecond, map[string]int{"retried": 3, "once": 0}[os.Args[1]]
	request, _ := retryablehttp.NewRequest("POST", os.Getenv("BASE_URL")+"/projects/acme/paymentLinks", []byte(body))
	request.Header = http.Header{"Authorization": {"Bearer any"}, "Accept": {"application/json"}, "Content-Type": {"application/json"}}
	if response, err := client.Do(request); err != nil || response.StatusCode != 201 {
		os.Exit(1)
	}
}
