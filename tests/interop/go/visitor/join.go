package main

import (
	"fmt"
	"os"
	"strings"
)

// In join.txt: all registries of a build but the translations.
const registries = "registries"

// Lines of join.txt: packets that come one after another when a client joins.
func loadOrder(path string) ([][]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var order [][]string
	for _, line := range strings.Split(string(content), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		var chain []string
		for _, name := range strings.Split(line, "<") {
			chain = append(chain, strings.TrimSpace(name))
		}
		order = append(order, chain)
	}
	return order, nil
}

// The registries are what the build calls assets and compresses.
func (s *schema) registries() map[string]bool {
	found := map[string]bool{}
	for name, packet := range s.packets {
		if packet.group == "assets" && packet.compressed && name != "UpdateTranslations" {
			found[name] = true
		}
	}
	return found
}

// What a list of players says of this one.
func (p *player) ownEntry(packet *record) *record {
	for _, item := range packet.list("players") {
		if item.(*record).get("uuid") == p.uuid {
			return item.(*record)
		}
	}
	return nil
}

// Whether it is about this player; others join at the same time.
func (p *player) isOwn(packet *record) bool {
	switch packet.layout.name {
	case "AddToServerPlayerList", "UpdateServerPlayerList":
		return p.ownEntry(packet) != nil
	case "ServerMessage":
		return mentions(packet, "server.general.playerJoinedWorld") && mentions(packet, p.name)
	}
	return true
}

// Whether a text is somewhere in a packet.
func mentions(value any, wanted string) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, wanted)
	case *record:
		for _, below := range v.fields {
			if mentions(below, wanted) {
				return true
			}
		}
	case []any:
		for _, below := range v {
			if mentions(below, wanted) {
				return true
			}
		}
	case entries:
		for _, below := range v {
			if mentions(below.value, wanted) {
				return true
			}
		}
	}
	return false
}

// Compares what has come with the order of join.txt. Streams are not ordered among each other.
func (p *player) checkOrder(order [][]string) (skipped []string, problems []error) {
	expected, all := map[string]bool{}, p.schema.registries()
	for _, chain := range order {
		for _, name := range chain {
			expected[name] = true
		}
	}
	firsts, hasJoined := map[string]int{}, false
	lastRegistry := 0
	for i, came := range p.log {
		name := came.packet.layout.name
		if !came.toUs || !p.isOwn(came.packet) {
			continue
		}
		_, isKnown := firsts[name]
		if !isKnown {
			firsts[name] = i
		}
		switch {
		case hasJoined:
		case all[name]:
			if kind := text(came.packet.get("type")); isKnown || kind != "Init" {
				problems = append(problems, fmt.Errorf("%s of type %s came, again: %t", name, kind, isKnown))
			}
			if _, hasRegistry := firsts[registries]; !hasRegistry {
				firsts[registries] = i
			}
			lastRegistry = i
		case !expected[name] && !isOfOthers[name]:
			problems = append(problems, fmt.Errorf("%s came before JoinWorld", name))
		}
		hasJoined = hasJoined || name == "JoinWorld"
	}
	for name := range all {
		if _, came := firsts[name]; !came {
			problems = append(problems, fmt.Errorf("the registry %s did not come", name))
		}
	}
	for _, chain := range order {
		before := ""
		for _, name := range chain {
			at, came := firsts[name]
			switch {
			case name != registries && p.schema.packets[name] == nil:
				skipped = append(skipped, name)
				continue
			case !came:
				problems = append(problems, fmt.Errorf("%s did not come", name))
				continue
			}
			if before != "" {
				end := firsts[before]
				if before == registries {
					end = lastRegistry
				}
				if p.log[end].stream == p.log[at].stream && end >= at {
					problems = append(problems, fmt.Errorf("%s came before %s", name, before))
				}
			}
			before = name
		}
	}
	return skipped, problems
}

// What a client may hear before it is in a world: of others, of time, and the question who it is.
var isOfOthers = map[string]bool{"AddToServerPlayerList": true, "RemoveFromServerPlayerList": true, "Ping": true,
	"RequestInsecurePlayerOptions": true, "ServerMessage": true, "UpdateServerPlayerListPing": true}
