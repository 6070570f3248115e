package checkout

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
)

var separator = regexp.MustCompile("[^A-Za-z0-9]+")

// projectIDFor follows the rule of examples/project-ids.json: a readable part, and a hash of all names.
func projectIDFor(names ...string) string {
	last := ""
	if len(names) > 0 {
		last = names[len(names)-1]
	}
	readable := fmt.Sprintf("%.40s", separator.ReplaceAllString(last, "-"))
	readable = strings.ToLower(strings.Trim(readable, "-"))
	if readable == "" {
		readable = "test"
	}
	hash := fnv.New64a()
	hash.Write([]byte(strings.Join(names, "\x00")))
	return fmt.Sprintf("%s-%016x", readable, hash.Sum64())
}
