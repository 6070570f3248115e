import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The rule for project ids, as in examples/project-ids.json: a readable part, and a hash of all names. */
class ProjectIds {
  static String projectIdFor(String... names) {
    String last = names.length == 0 ? "" : names[names.length - 1];
    String readable = last.replaceAll("[^A-Za-z0-9]+", "-");
    readable = readable.substring(0, Math.min(40, readable.length())).replaceAll("^-|-$", "").toLowerCase(Locale.ROOT);
    long hash = 0xcbf29ce484222325L; // FNV-1a with 64 bits
    for (byte part : String.join("\0", names).getBytes(StandardCharsets.UTF_8))
      hash = (hash ^ (part & 0xff)) * 0x100000001b3L;
    return "%s-%016x".formatted(readable.isEmpty() ? "test" : readable, hash);
  }
}
