package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lucas-clemente/quic-go"
)

const (
	clientOutdated = 5
	serverOutdated = 6
)

// Clients of builds that nobody knows, an old one and a new one, are told at once which builds are taken: by the close
// code that the game has for it, without a packet.
func beRefused(address string, usual *schema, builds []string) (string, error) {
	for number, expected := range map[int64]quic.ApplicationErrorCode{1: clientOutdated, 1 << 20: serverOutdated} {
		conn, err := dial(address, usual)
		if err != nil {
			return "", err
		}
		stream, err := conn.OpenStream()
		if err != nil {
			return "", err
		}
		connect := usual.packet("Connect").make(fields{"protocolCrc": 1, "protocolBuildNumber": number, "language": "en-US",
			"clientVersion": "unknown", "username": "stranger", "uuid": uuid{1}})
		if _, err := stream.Write(pack(connect)); err != nil {
			return "", err
		}
		limit, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err = conn.AcceptUniStream(limit)
		var closed *quic.ApplicationError
		if !errors.As(err, &closed) || !closed.Remote {
			return "", fmt.Errorf("a client of build number %d was not refused: %v", number, err)
		}
		if count, _ := stream.Read(make([]byte, 1)); count > 0 {
			return "", fmt.Errorf("a client of build number %d was sent a packet", number)
		}
		taken := map[string]bool{}
		for _, build := range strings.Split(closed.ErrorMessage, ", ") {
			taken[build] = true
		}
		for _, build := range builds {
			if !taken[build] {
				return "", fmt.Errorf("%q does not name %s", closed.ErrorMessage, build)
			}
		}
		if closed.ErrorCode != expected || len(taken) != len(builds) {
			return "", fmt.Errorf("a client of build number %d was refused with %d, %q", number, closed.ErrorCode, closed.ErrorMessage)
		}
	}
	return "clients of unknown builds were told the builds that are taken", nil
}
