package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
)

// Vectors are packets that a build of the game has written, with their values, and broken ones. Those that are of other
// packets than the schema has are an error.
func replay(s *schema, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var vector struct {
			Packet     string
			ID         int
			N          int
			Decode     string // of broken payloads: what the game makes of them
			PayloadHex string `json:"payload_hex"`
			Value      json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &vector); err != nil {
			return err
		}
		where := fmt.Sprintf("%s: %s %d", path, vector.Packet, vector.N)
		payload, err := hex.DecodeString(vector.PayloadHex)
		if err != nil {
			return err
		}
		packet := s.byID[vector.ID]
		if packet == nil || packet.name != vector.Packet {
			return fmt.Errorf("%s: build %s has no such packet", where, s.build)
		}
		value, err := read(s, packet, payload)
		if vector.Decode != "" {
			if vector.Decode != "ok" && err == nil {
				return fmt.Errorf("%s: it was read, although the game refuses it", where)
			}
			continue // where the game is lenient, this reader need not be
		}
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		var expected any
		numbers := json.NewDecoder(bytes.NewReader(vector.Value))
		numbers.UseNumber()
		if err := numbers.Decode(&expected); err != nil {
			return err
		}
		if !isSame(value, expected) {
			return fmt.Errorf("%s: another value was read: %s", where, vector.Value)
		}
	}
	return lines.Err()
}

// Compares a value with its JSON.
func isSame(value, expected any) bool {
	switch v := value.(type) {
	case int64:
		number, isNumber := expected.(json.Number)
		return isNumber && number.String() == strconv.FormatInt(v, 10)
	case float32:
		return isSame(float64(v), expected)
	case float64:
		number, isNumber := expected.(json.Number)
		if !isNumber {
			return false
		}
		found, err := number.Float64()
		return err == nil && found == v
	case uuid:
		return expected == fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
	case []byte:
		return expected == hex.EncodeToString(v)
	case []any:
		list, isList := expected.([]any)
		if !isList || len(list) != len(v) {
			return false
		}
		for i := range v {
			if !isSame(v[i], list[i]) {
				return false
			}
		}
		return true
	case entries:
		list, isList := expected.([]any)
		if !isList || len(list) != len(v) {
			return false
		}
		for i := range v {
			pair, isPair := list[i].([]any)
			if !isPair || len(pair) != 2 || !isSame(v[i].key, pair[0]) || !isSame(v[i].value, pair[1]) {
				return false
			}
		}
		return true
	case *record:
		object, isObject := expected.(map[string]any)
		if !isObject {
			return false
		}
		if kind, isMember := object["$type"]; isMember && kind != v.layout.name {
			return false
		}
		for i, f := range v.layout.fields {
			if !isSame(v.fields[i], object[f.name]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(value, expected)
}
