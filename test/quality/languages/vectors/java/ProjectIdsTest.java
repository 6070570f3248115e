import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProjectIdsTest {
  record Vector(String[] names, String id) {}

  static Stream<Vector> vectors() throws Exception {
    return Stream.of(new ObjectMapper().readValue(new File("../project-ids.json"), Vector[].class));
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void followsTheRule(Vector vector) {
    assertEquals(vector.id(), ProjectIds.projectIdFor(vector.names()));
  }
}
