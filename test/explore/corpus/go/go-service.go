// A shop with net/http. It keeps the address of a payment link in a file. MISTAKE names its mistake.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

var processKey = fmt.Sprint(time.Now().UnixNano())

type link struct {
	PaymentURL string `json:"paymentUrl"`
}

func call(method, path, body, key string, result any) error {
	request, err := http.NewRequest(method, os.Getenv("BASE_URL")+"/projects/acme/paymentLinks"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = http.Header{"Authorization": {"Bearer any"}, "Accept": {"application/json"}, "Content-Type": {"application/json"}}
	if key != "" {
		// As a header of its own: with `Idempotency-Key`, net/http would send the request again by itself.
		request.Header["idempotency-key"] = []string{key}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode > 299 {
		return fmt.Errorf("the API responds with %s", response.Status)
	}
	return json.NewDecoder(response.Body).Decode(result)
}

func createLink(order, key string) (created link, err error) {
	body := fmt.Sprintf(`{"invoice":%q,"type":"partner","partner":{"user":{}}}`, order)
	err = call("POST", "", body, key, &created)
	return created, err
}

func createLinkFor(order string) (created link, err error) {
	switch os.Getenv("MISTAKE") {
	case "none":
		return createLink(order, "pay-"+order)
	// Each attempt has a key of its own.
	case "lost":
		for attempt := 1; attempt <= 3; attempt++ {
			if created, err = createLink(order, fmt.Sprintf("pay-%s-%d", order, attempt)); err == nil {
				break
			}
		}
		return created, err
	// After a restart, the key is another one.
	case "crash":
		return createLink(order, processKey+"-"+order)
	}
	// Another click comes between the two calls.
	var found struct{ Items []link }
	if err = call("GET", "?invoice="+order+"&status=active,completed", "", "", &found); err != nil || len(found.Items) == 0 {
		if err == nil {
			return createLink(order, "")
		}
		return created, err
	}
	return found.Items[0], nil
}

func pay(order string) (string, error) {
	file := "orders." + order
	if text, err := os.ReadFile(file); err == nil {
		return string(text), nil
	}
	created, err := createLinkFor(order)
	if err != nil {
		return "", err
	}
	return created.PaymentURL, os.WriteFile(file, []byte(created.PaymentURL), 0o600)
}

func main() {
	http.HandleFunc("/orders/", func(writer http.ResponseWriter, request *http.Request) {
		url, err := pay(strings.Split(request.URL.Path, "/")[2])
		if err != nil {
			http.Error(writer, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(writer, url)
	})
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
