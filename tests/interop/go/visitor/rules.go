package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A line of always.txt: what must be somewhere in a packet that every joining client gets.
type rule struct {
	packet string
	path   []string
	verb   string // "", "=", "has", "lacks"
	words  []string
}

// In always.txt: the components of the player's own entity, as it is first told of it.
const ownEntity = "OwnEntity"

func (r *rule) String() string {
	return strings.TrimSpace(r.packet + " " + strings.Join(r.path, ".") + " " + r.verb + " " + strings.Join(r.words, " "))
}

func loadRules(path string) ([]*rule, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rules []*rule
	packet := ""
	for _, line := range strings.Split(string(content), "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case !strings.HasPrefix(line, " "):
			packet = words[0]
		default:
			made := &rule{packet: packet, path: strings.Split(words[0], ".")}
			if len(words) > 1 {
				made.verb, made.words = words[1], words[2:]
			}
			rules = append(rules, made)
		}
	}
	return rules, nil
}

// One value that a path leads to, and where it stands.
type spot struct {
	value  any
	list   []any // fields of a struct or elements of a list
	dict   entries
	number int
}

func (s spot) set(value any) {
	if s.list != nil {
		s.list[s.number] = value
	} else {
		s.dict[s.number].value = value
	}
}

// Whether a step of a path names this key.
func isKey(key any, step string) bool {
	switch found := key.(type) {
	case string:
		return found == step
	case int64:
		number, err := strconv.ParseInt(step, 10, 64)
		return err == nil && number == found
	}
	return text(key) == step
}

// Visits all that a path leads to, until one is wrong. `*` is every entry. A member of a union that has no such field is
// passed by.
func walk(at spot, path []string, visit func(spot) error) error {
	if len(path) == 0 {
		return visit(at)
	}
	step, rest := path[0], path[1:]
	switch value := at.value.(type) {
	case nil:
		return fmt.Errorf("null before %s", strings.Join(path, "."))
	case *record:
		if place, isThere := value.layout.place[step]; isThere {
			return walk(spot{value.fields[place], value.fields, nil, place}, rest, visit)
		}
	case entries:
		for i := range value {
			if step == "*" || isKey(value[i].key, step) {
				if err := walk(spot{value[i].value, nil, value, i}, rest, visit); err != nil {
					return err
				}
			}
		}
	case []any:
		number, err := strconv.Atoi(step)
		for i := range value {
			if step == "*" || err == nil && i == number {
				if err := walk(spot{value[i], value, nil, i}, rest, visit); err != nil {
					return err
				}
			}
		}
	default:
		return fmt.Errorf("%s before %s", text(value), strings.Join(path, "."))
	}
	return nil
}

func (r *rule) check(packet any) error {
	count := 0
	err := walk(spot{value: packet}, r.path, func(found spot) error {
		count++
		return r.checkValue(found.value)
	})
	if err == nil && count == 0 {
		err = errors.New("nothing is there")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r, err)
	}
	return nil
}

// Whether it notices that the first value at the beginning of its path is null.
func (r *rule) notices(packet any, steps int) bool {
	var first *spot
	found := errors.New("found")
	_ = walk(spot{value: packet}, r.path[:steps], func(one spot) error {
		first = &one
		return found
	})
	first.set(nil)
	defer first.set(first.value)
	return r.check(packet) != nil
}

func (r *rule) checkValue(value any) error {
	switch r.verb {
	case "":
		if value == nil {
			return fmt.Errorf("it is null")
		}
	case "=":
		expected := strings.Join(r.words, " ")
		if expected == `""` {
			expected = ""
		}
		if found := text(value); found != expected {
			return fmt.Errorf("it is %q", found)
		}
	case "has", "lacks":
		list, isList := value.([]any)
		if !isList {
			return fmt.Errorf("it is %s", text(value))
		}
		there := map[string]bool{}
		for _, item := range list {
			there[text(item)] = true
		}
		for _, word := range r.words {
			if there[word] != (r.verb == "has") {
				return fmt.Errorf("%s is there: %t", word, there[word])
			}
		}
	default:
		return fmt.Errorf("no such verb")
	}
	return nil
}

// The fields that the path leads to in a schema, one after another; nothing where the build lacks one. A step into a
// list or map has no field.
func (k *kind) follow(path []string) ([]*field, bool) {
	if len(path) == 0 {
		return nil, true
	}
	switch k.name {
	case "struct":
		return k.layout.follow(path)
	case "union":
		for _, member := range k.union.types {
			if found, isThere := member.follow(path); isThere {
				return found, true
			}
		}
	case "array", "fixedArray", "map":
		found, isThere := k.item.follow(path[1:])
		return append([]*field{nil}, found...), isThere
	}
	return nil, false
}

func (l *layout) follow(path []string) ([]*field, bool) {
	place, isThere := l.place[path[0]]
	if !isThere {
		return nil, false
	}
	found, isThere := l.fields[place].kind.follow(path[1:])
	return append([]*field{l.fields[place]}, found...), isThere
}

// The same for a rule; that of the own entity begins at one of its components.
func (s *schema) follow(r *rule) ([]*field, bool) {
	if r.packet != ownEntity {
		packet := s.packets[r.packet]
		if packet == nil {
			return nil, false
		}
		return packet.follow(r.path)
	}
	component := s.component(r.path[0])
	if component == nil {
		return nil, false
	}
	if len(r.path) == 1 {
		return []*field{nil}, true
	}
	found, isThere := component.follow(r.path[1:])
	return append([]*field{nil}, found...), isThere
}

// Checks all that a build can be told. What it has no field for is handed back.
func checkRules(s *schema, rules []*rule, first map[string]any) (skipped []string, problems []error) {
	for _, r := range rules {
		steps, isThere := s.follow(r)
		if !isThere {
			skipped = append(skipped, strings.TrimSpace(r.packet+" "+strings.Join(r.path, ".")))
			continue
		}
		packet := first[r.packet]
		if packet == nil {
			problems = append(problems, fmt.Errorf("%s: the packet did not come", r))
			continue
		}
		if err := r.check(packet); err != nil {
			problems = append(problems, err)
			continue
		}
		// The rule must notice whatever could be null on its way.
		for end := 1; end <= len(steps); end++ {
			step := steps[end-1]
			if step == nil || step.null < 0 || end == len(steps) && r.verb == "=" && r.words[0] == "null" {
				continue
			}
			if !r.notices(packet, end) {
				problems = append(problems, fmt.Errorf("%s: does not notice that %s is null", r, step.name))
			}
		}
	}
	return skipped, problems
}
