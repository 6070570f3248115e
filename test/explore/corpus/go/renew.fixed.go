// Renews a payment link: cancels it unless it is paid, and gives its invoice a new one, with the same key in each attempt.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
)

func call(method, path, body string) (link struct{ Invoice, Status string }) {
	request, _ := http.NewRequest(method, os.Getenv("BASE_URL")+"/projects/acme/paymentLinks"+path, strings.NewReader(body))
	request.Header = http.Header{"Authorization": {"Bearer any"}, "Accept": {"application/json"}, "Content-Type": {"application/json"}}
	request.Header.Set("Idempotency-Key", "renew-"+os.Args[1]+path)
	response, err := http.DefaultClient.Do(request)
	if err != nil || (response.StatusCode > 299 && response.StatusCode != http.StatusConflict) {
		log.Fatal(path, response, err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&link); err != nil {
		log.Fatal(err)
	}
	return link
}

func main() {
	old := "/" + os.Args[1]
	if call("GET", old, "").Status == "active" {
		call("POST", old+"/cancel", "") // A conflict: somebody has paid or canceled it.
	}
	link := call("GET", old, "")
	switch link.Status {
	case "active":
		log.Fatal("the link is not canceled yet")
	case "canceled":
		call("POST", "", `{"invoice":"`+link.Invoice+`","type":"partner","partner":{"user":{}}}`)
	}
}
