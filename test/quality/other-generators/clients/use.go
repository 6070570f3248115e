package main

import (
	"context"
	"log"
	"os"
	"paylink/api"
	"paylink/control"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	url, project := os.Getenv("MOCK_URL"), "acme"
	apiConfig, controlConfig := api.NewConfiguration(), control.NewConfiguration()
	apiConfig.Servers = api.ServerConfigurations{{URL: url}}
	controlConfig.Servers = control.ServerConfigurations{{URL: url}}
	client, admin := api.NewAPIClient(apiConfig), control.NewAPIClient(controlConfig)
	token := context.WithValue(context.Background(), api.ContextAccessToken, "any")

	_, _, err := client.UsersApi.CreateUser(token, project).CreateUserBody(*api.NewCreateUserBody("ada@example.com")).Execute()
	check(err)
	partner := api.NewCreatePaymentLinkBodyPartner(*api.NewCreatePaymentLinkBodyPartnerUser())
	body := api.NewCreatePaymentLinkBody("inv_1", "partner", *partner)
	link, _, err := client.PaymentLinksApi.CreatePaymentLink(token, project).CreatePaymentLinkBody(*body).Execute()
	check(err)
	paid, _, err := admin.OneProjectApi.PayPaymentLink(context.Background(), project, link.Id).
		PayPaymentLinkBody(*control.NewPayPaymentLinkBody()).Execute()
	check(err)
	match := control.NewVerifyRequestsBodyMatch()
	match.SetOperation("createPaymentLink")
	verification := control.NewVerifyRequestsBody()
	verification.SetMatch(*match)
	_, _, err = admin.OneProjectApi.VerifyRequests(context.Background(), project).VerifyRequestsBody(*verification).Execute()
	check(err)
	got, _, err := client.PaymentLinksApi.RetrievePaymentLink(token, project, link.Id).Execute()
	check(err)
	if paid.Status != "completed" || got.Status != "completed" {
		log.Fatal("not completed")
	}
}
