// Makes sure that a user exists, with up to three attempts to create it.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

func post(path, body string) (users struct{ Items []any }, err error) {
	request, _ := http.NewRequest("POST", os.Getenv("BASE_URL")+"/projects/acme"+path, strings.NewReader(body))
	request.Header = http.Header{"Authorization": {"Bearer any"}, "Accept": {"application/json"}, "Content-Type": {"application/json"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return users, err
	}
	defer response.Body.Close()
	if response.StatusCode > 299 {
		return users, fmt.Errorf("%s: %s", path, response.Status)
	}
	return users, json.NewDecoder(response.Body).Decode(&users)
}

func main() {
	found, err := post("/users/search", `{"email":"ada@example.com"}`)
	if err != nil {
		log.Fatal(err)
	}
	if len(found.Items) > 0 {
		return
	}
	for attempt := 1; attempt <= 3; attempt++ {
		if _, err = post("/users", `{"email":"ada@example.com"}`); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	log.Fatal(err)
}
