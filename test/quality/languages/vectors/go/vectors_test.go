package checkout

import (
	"encoding/json"
	"os"
	"testing"
)

func TestProjectIDs(t *testing.T) {
	text, err := os.ReadFile("../project-ids.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Names []string
		ID    string
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, vector := range vectors {
		t.Run(vector.ID, func(t *testing.T) {
			if id := projectIDFor(vector.Names...); id != vector.ID {
				t.Errorf("got %s", id)
			}
		})
	}
}
