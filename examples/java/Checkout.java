import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;

/** The code under test. It knows the service by a base URL, a token and a project. */
class Checkout {
  private final HttpClient client = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private final String links;
  private final String token;

  Checkout(String baseUrl, String token, String project) {
    this.links = baseUrl + "/projects/" + project + "/paymentLinks";
    this.token = token;
  }

  /** Returns the only payment link of the invoice. A lost response may have left another one, which it cancels. */
  JsonNode start(String invoice) throws IOException, InterruptedException {
    try {
      return create(invoice);
    } catch (IOException lost) {
      var link = create(invoice);
      for (var other : listWith(link, invoice))
        if (!other.get("id").equals(link.get("id"))) call("POST", "/" + other.get("id").asText() + "/cancel", null);
      return link;
    }
  }

  /** Lists the active links of the invoice. The list may lag behind: when it has this link, it has the older ones too. */
  private JsonNode listWith(JsonNode link, String invoice) throws IOException, InterruptedException {
    for (var polls = 0; polls < 50; polls++) {
      var links = call("GET", "?status=active&invoice=" + invoice, null).get("items");
      for (var other : links) if (other.get("id").equals(link.get("id"))) return links;
      Thread.sleep(200);
    }
    throw new IOException("The list does not show " + link.get("id"));
  }

  boolean isPaid(JsonNode link) throws IOException, InterruptedException {
    return call("GET", "/" + link.get("id").asText(), null).get("status").asText().equals("completed");
  }

  private JsonNode create(String invoice) throws IOException, InterruptedException {
    var partner = Map.of("user", Map.of());
    return call("POST", "", Map.of("invoice", invoice, "type", "partner", "partner", partner));
  }

  private JsonNode call(String method, String path, Object body) throws IOException, InterruptedException {
    var content = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json.writeValueAsString(body));
    var request = HttpRequest.newBuilder(URI.create(links + path))
        .header("Authorization", "Bearer " + token)
        .header("Accept", "application/json")
        .header("Content-Type", "application/json")
        .method(method, content);
    var response = client.send(request.build(), BodyHandlers.ofString());
    if (response.statusCode() >= 300) throw new IllegalStateException(response.body());
    return json.readTree(response.body());
  }
}
