package checkout

import "testing"

func newCheckout(project string) *Checkout {
	return &Checkout{BaseURL: mockURL, Token: "any", Project: project}
}

func TestCheckoutStartsWithAnActiveLink(t *testing.T) {
	project, _ := newProject(t)
	if link, err := newCheckout(project).Start("inv_1"); err != nil || link.Status != "active" {
		t.Errorf("got %v, %v", link, err)
	}
}

func TestInvoiceIsPaidWhenTheCustomerHasPaid(t *testing.T) {
	project, control := newProject(t)
	checkout := newCheckout(project)
	link, err := checkout.Start("inv_1")
	if err != nil {
		t.Fatal(err)
	}
	if paid, err := checkout.IsPaid(link); err != nil || paid {
		t.Errorf("before the payment: got %v, %v", paid, err)
	}
	control("POST", "/paymentLinks/"+link.ID+"/pay", "")
	if paid, err := checkout.IsPaid(link); err != nil || !paid {
		t.Errorf("after the payment: got %v, %v", paid, err)
	}
}

func TestLinkIsForTheInvoice(t *testing.T) {
	project, control := newProject(t)
	if _, err := newCheckout(project).Start("inv_1"); err != nil {
		t.Fatal(err)
	}
	control("POST", "/requests/verify",
		`{"match": {"operation": "createPaymentLink", "body": {"invoice": "inv_1"}}, "times": 1}`)
}

func TestLinkOfALostResponseIsCanceled(t *testing.T) {
	project, control := newProject(t)
	control("POST", "/faults",
		`{"match": {"operation": "createPaymentLink"}, "phase": "after", "effect": {"connection": "close"}}`)
	control("POST", "/faults", `{"effect": {"stale": {"changes": 1}}}`)
	if link, err := newCheckout(project).Start("inv_1"); err != nil || link.Status != "active" {
		t.Errorf("got %v, %v", link, err)
	}
	control("POST", "/requests/verify", `{"match": {"operation": "cancelPaymentLink", "status": 200}, "times": 1}`)
}
