import static java.net.http.HttpRequest.BodyPublishers.ofString;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Gives each test a project of its own. A failed test prints the report of its project. */
class Project implements BeforeEachCallback, AfterTestExecutionCallback {
  static final String URL = System.getenv("PAYLINK_MOCK_URL");
  private static final String ADMIN_TOKEN = System.getenv("PAYLINK_MOCK_ADMIN_TOKEN");
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  String id;

  @Override
  public void beforeEach(ExtensionContext test) throws Exception {
    if (URL == null || ADMIN_TOKEN == null)
      throw new AssertionError("Set PAYLINK_MOCK_URL and PAYLINK_MOCK_ADMIN_TOKEN to those of a running mock.");
    String type = test.getRequiredTestClass().getName();
    id = ProjectIds.projectIdFor(type, test.getRequiredTestMethod().getName(), test.getDisplayName());
    control("POST", "/reset", ""); // An earlier run may have used the same mock.
  }

  @Override
  public void afterTestExecution(ExtensionContext test) throws Exception {
    if (test.getExecutionException().isPresent()) System.out.println(control("GET", "/report", ""));
  }

  /** Calls the control API for this project and returns the body of the response. */
  String control(String method, String path, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(URL + "/__admin/projects/" + id + path))
        .header("Authorization", "Bearer " + ADMIN_TOKEN)
        .header("Content-Type", "application/json")
        .method(method, ofString(body));
    var response = CLIENT.send(request.build(), BodyHandlers.ofString());
    if (response.statusCode() >= 300) throw new AssertionError(response.body());
    return response.body();
  }
}
