// Renews a payment link: if it is still active, it is canceled, and its invoice gets a new one.
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
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&link); err != nil {
		log.Fatal(err)
	}
	return link
}

func main() {
	old := "/" + os.Args[1]
	link := call("GET", old, "")
	if link.Status != "active" {
		log.Printf("the link is %s", link.Status)
		return
	}
	call("POST", old+"/cancel", "")
	call("POST", "", `{"invoice":"`+link.Invoice+`","type":"partner","partner":{"user":{}}}`)
}
