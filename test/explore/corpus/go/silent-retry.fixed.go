// Makes sure that an invoice has a payment link. The service ignores keys, and without one net/http sends a request only once.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func call(method, path, body string) string {
	request, _ := http.NewRequest(method, os.Getenv("BASE_URL")+"/projects/acme/paymentLinks"+path, strings.NewReader(body))
	request.Header = http.Header{"Authorization": {"Bearer any"}, "Accept": {"application/json"}, "Content-Type": {"application/json"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode > 299 {
		log.Fatal(response.Status, err)
	}
	return string(text)
}

func main() {
	if !strings.Contains(call("GET", "?invoice=inv_7&status=active,completed", ""), "inv_7") {
		call("POST", "", `{"invoice":"inv_7","type":"partner","partner":{"user":{}}}`)
	}
}
