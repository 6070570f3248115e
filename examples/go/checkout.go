// Package checkout is the code under test. It knows the service by a base URL, a token and a project.
package checkout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Link is a payment link.
type Link struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// Checkout starts payments.
type Checkout struct {
	BaseURL, Token, Project string
}

// Start returns the only payment link of the invoice. A lost response may have left another one, which it cancels.
func (c *Checkout) Start(invoice string) (Link, error) {
	link, err := c.create(invoice)
	var lost *url.Error
	if !errors.As(err, &lost) {
		return link, err
	}
	if link, err = c.create(invoice); err != nil {
		return Link{}, err
	}
	links, err := c.listWith(link, invoice)
	for _, other := range links {
		if err == nil && other.ID != link.ID {
			err = c.call("POST", "/"+other.ID+"/cancel", nil, &other)
		}
	}
	return link, err
}

// listWith lists the active links of the invoice. The list may lag behind: when it has this link, it has the older ones too.
func (c *Checkout) listWith(link Link, invoice string) ([]Link, error) {
	for polls := 0; polls < 50; polls++ {
		var found struct{ Items []Link }
		if err := c.call("GET", "?status=active&invoice="+url.QueryEscape(invoice), nil, &found); err != nil {
			return nil, err
		}
		for _, other := range found.Items {
			if other.ID == link.ID {
				return found.Items, nil
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	return nil, fmt.Errorf("the list does not show %s", link.ID)
}

// IsPaid reports whether the customer has paid.
func (c *Checkout) IsPaid(link Link) (bool, error) {
	err := c.call("GET", "/"+link.ID, nil, &link)
	return link.Status == "completed", err
}

func (c *Checkout) create(invoice string) (link Link, err error) {
	partner := map[string]any{"user": map[string]any{}}
	body := map[string]any{"invoice": invoice, "type": "partner", "partner": partner}
	err = c.call("POST", "", body, &link)
	return link, err
}

func (c *Checkout) call(method, path string, body, result any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		data = nil
	}
	address := c.BaseURL + "/projects/" + c.Project + "/paymentLinks" + path
	request, err := http.NewRequest(method, address, bytes.NewReader(data))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s", method, address, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(result)
}
