package main

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// Both serve all players.
var (
	compressor   = must(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(true), zstd.WithEncoderCRC(false)))
	decompressor = must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(2)))
)

const headerSize = 8 // i32 bytes of payload, i32 packet id

// A frame with this packet.
func pack(value *record) []byte {
	payload := encode(value)
	if value.layout.compressed && len(payload) > 0 {
		payload = compressor.EncodeAll(payload, nil)
	}
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
	frame = binary.LittleEndian.AppendUint32(frame, uint32(value.layout.id))
	return append(frame, payload...)
}

// The packet of a payload, which must be written as the game writes it, byte for byte.
func unpack(s *schema, id int, payload []byte) (*record, error) {
	l := s.byID[id]
	if l == nil {
		return nil, fmt.Errorf("packet %d, which build %s does not have", id, s.build)
	}
	if l.direction == "ToServer" {
		return nil, fmt.Errorf("%s, which only clients send", l.name)
	}
	if len(payload) > l.max {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are allowed", l.name, len(payload), l.max)
	}
	if l.compressed && len(payload) > 0 {
		var header zstd.Header
		if err := header.Decode(payload); err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		if !header.HasFCS || header.FrameContentSize > uint64(l.max) {
			return nil, fmt.Errorf("%s does not state a size that is allowed", l.name)
		}
		content, err := decompressor.DecodeAll(payload, nil)
		if err != nil || uint64(len(content)) != header.FrameContentSize {
			return nil, fmt.Errorf("%s cannot be decompressed: %d bytes, %w", l.name, len(content), err)
		}
		payload = content
	}
	return read(s, l, payload)
}

// The value of a payload without compression.
func read(s *schema, l *layout, payload []byte) (*record, error) {
	value, err := decode(s, l, payload)
	if err != nil {
		return nil, err
	}
	if again := encode(value); !bytes.Equal(again, payload) {
		at := 0
		for at < len(again) && at < len(payload) && again[at] == payload[at] {
			at++
		}
		return nil, fmt.Errorf("%s is not written as the game writes it: at byte %d of %d", l.name, at, len(payload))
	}
	return value, nil
}
