import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FailingTest {
  @RegisterExtension Project project = new Project();

  @Test
  void failsOnPurpose() throws Exception {
    var link = new Checkout(Project.URL, "any", project.id).start("inv_1");
    assertEquals("completed", link.get("status").asText());
  }
}
