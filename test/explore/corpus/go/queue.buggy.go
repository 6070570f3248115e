// Works on a queue: takes an invoice from the file, and creates its payment link, until the file is empty.
package main

import (
	"log"
	"net/http"
	"os"
	"strings"
)

func createLink(invoice string) {
	body := strings.NewReader(`{"invoice":"` + invoice + `","type":"partner","partner":{"user":{}}}`)
	request, _ := http.NewRequest("POST", os.Getenv("BASE_URL")+"/projects/acme/paymentLinks", body)
	request.Header = http.Header{"Authorization": {"Bearer any"}, "Accept": {"application/json"}, "Content-Type": {"application/json"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode > 299 {
		log.Fatal(invoice, response, err)
	}
	response.Body.Close()
}

func main() {
	for {
		queue, err := os.ReadFile("queue.txt")
		if err != nil {
			log.Fatal(err)
		}
		invoice, others, _ := strings.Cut(string(queue), "\n")
		if invoice == "" {
			return
		}
		if err := os.WriteFile("queue.txt", []byte(others), 0o600); err != nil {
			log.Fatal(err)
		}
		createLink(invoice)
	}
}
