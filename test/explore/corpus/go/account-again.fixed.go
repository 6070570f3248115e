// Makes sure that a user exists, with up to three attempts for each call. A failed search ends it.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

type users struct{ Items []any }

func postOnce(path, body, key string) (found users, err error) {
	request, _ := http.NewRequest("POST", os.Getenv("BASE_URL")+"/projects/acme"+path, strings.NewReader(body))
	request.Header = http.Header{"Authorization": {"Bearer any"}, "Accept": {"application/json"}, "Content-Type": {"application/json"}}
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return found, err
	}
	defer response.Body.Close()
	if response.StatusCode > 299 {
		return found, fmt.Errorf("%s: %s", path, response.Status)
	}
	return found, json.NewDecoder(response.Body).Decode(&found)
}

func post(path, body, key string) (found users, err error) {
	for attempt := 1; attempt <= 3; attempt++ {
		if found, err = postOnce(path, body, key); err == nil {
			return found, nil
		}
	}
	return users{}, err
}

func main() {
	found, err := post("/users/search", `{"email":"ada@example.com"}`, "search-ada")
	if err != nil {
		log.Fatal(err)
	}
	if len(found.Items) == 0 {
		_, err = post("/users", `{"email":"ada@example.com"}`, "user-ada")
	}
	if err != nil {
		log.Fatal(err)
	}
}
