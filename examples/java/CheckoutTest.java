import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CheckoutTest {
  @RegisterExtension Project project = new Project();
  private Checkout checkout;

  @BeforeEach
  void createCheckout() {
    checkout = new Checkout(Project.URL, "any", project.id);
  }

  @Test
  void aCheckoutStartsWithAnActiveLink() throws Exception {
    assertEquals("active", checkout.start("inv_1").get("status").asText());
  }

  @Test
  void anInvoiceIsPaidWhenTheCustomerHasPaid() throws Exception {
    var link = checkout.start("inv_1");
    assertFalse(checkout.isPaid(link));
    project.control("POST", "/paymentLinks/" + link.get("id").asText() + "/pay", "");
    assertTrue(checkout.isPaid(link));
  }

  @Test
  void theLinkIsForTheInvoice() throws Exception {
    checkout.start("inv_1");
    project.control("POST", "/requests/verify", """
        { "match": { "operation": "createPaymentLink", "body": { "invoice": "inv_1" } }, "times": 1 }""");
  }

  @Test
  void theLinkOfALostResponseIsCanceled() throws Exception {
    project.control("POST", "/faults", """
        { "match": { "operation": "createPaymentLink" }, "phase": "after", "effect": { "connection": "close" } }""");
    project.control("POST", "/faults", """
        { "effect": { "stale": { "changes": 1 } } }""");
    assertEquals("active", checkout.start("inv_1").get("status").asText());
    project.control("POST", "/requests/verify", """
        { "match": { "operation": "cancelPaymentLink", "status": 200 }, "times": 1 }""");
  }
}
