// One end of a connection, spoken by quic-go: the other end is tests/interop/wire_peer.cpp, which also makes the
// files of FOLDER. docs/design/interop.md has the options and what is printed.
//
//	peer server FOLDER [OPTION…]
//	peer client FOLDER PORT [OPTION…]
package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lucas-clemente/quic-go"
)

type event map[string]interface{}

var output sync.Mutex

func report(what event) {
	line, _ := json.Marshal(what)
	output.Lock()
	defer output.Unlock()
	fmt.Println(string(line))
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
	return value
}

func digest(bytes []byte) string {
	sum := sha256.Sum256(bytes)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// What arrived, by stream. A stream is cut into frames here by the header alone: i32 length, i32 packet id.
type record struct {
	mutex   sync.Mutex
	streams map[quic.StreamID][]byte
	changed chan struct{}
}

func newRecord() *record {
	return &record{streams: map[quic.StreamID][]byte{}, changed: make(chan struct{}, 1)}
}

func (r *record) read(stream quic.ReceiveStream) {
	buffer := make([]byte, 32*1024)
	for {
		count, err := stream.Read(buffer)
		r.mutex.Lock()
		r.streams[stream.StreamID()] = append(r.streams[stream.StreamID()], buffer[:count]...)
		r.mutex.Unlock()
		select {
		case r.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func packets(bytes []byte) map[string]int {
	found := map[string]int{}
	for len(bytes) >= 8 {
		length := int(binary.LittleEndian.Uint32(bytes))
		if length > len(bytes)-8 {
			break
		}
		found[strconv.Itoa(int(binary.LittleEndian.Uint32(bytes[4:])))]++
		bytes = bytes[8+length:]
	}
	return found
}

// Waits until each of these streams has so many bytes; false when the connection ended before.
func (r *record) wait(conn quic.Connection, sizes map[quic.StreamID]int) bool {
	for {
		complete := true
		r.mutex.Lock()
		for id, size := range sizes {
			complete = complete && len(r.streams[id]) >= size
		}
		r.mutex.Unlock()
		if complete {
			return true
		}
		select {
		case <-r.changed:
		case <-conn.Context().Done():
			return false
		}
	}
}

func (r *record) report() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for id, bytes := range r.streams {
		report(event{"event": "stream", "id": id, "bytes": len(bytes), "sha256": digest(bytes), "packets": packets(bytes)})
	}
}

func reportClosed(err error) {
	closed := event{"event": "closed", "kind": "failed", "code": 0, "reason": err.Error(), "by_peer": false}
	var application *quic.ApplicationError
	var transport *quic.TransportError
	var idle *quic.IdleTimeoutError
	switch {
	case errors.As(err, &application):
		closed["kind"], closed["code"] = "application", application.ErrorCode
		closed["reason"], closed["by_peer"] = application.ErrorMessage, application.Remote
	case errors.As(err, &transport):
		closed["kind"], closed["code"] = "transport", transport.ErrorCode
		closed["reason"], closed["by_peer"] = transport.ErrorMessage, transport.Remote
	case errors.As(err, &idle):
		closed["kind"] = "idle"
	}
	report(closed)
}

// In pieces of 1, 2, 3, 5, 8 … bytes, each sent before the next is written.
func writeInPieces(stream quic.SendStream, bytes []byte) {
	for size, next := 1, 2; len(bytes) > 0; size, next = next, size+next {
		if size > len(bytes) {
			size = len(bytes)
		}
		if _, err := stream.Write(bytes[:size]); err != nil {
			return
		}
		bytes = bytes[size:]
		time.Sleep(2 * time.Millisecond)
	}
}

type options struct {
	folder    string
	protocols []string
	key       string
	window    uint64
	close     string
	retry     bool
	triesMore bool
}

func (o options) file(name string) []byte { return must(os.ReadFile(filepath.Join(o.folder, name))) }

func (o options) certificates() []tls.Certificate {
	if o.key == "none" {
		return nil
	}
	path := filepath.Join(o.folder, o.key)
	return []tls.Certificate{must(tls.LoadX509KeyPair(path+".pem", path+".key"))}
}

func (o options) config() *quic.Config {
	config := &quic.Config{HandshakeIdleTimeout: time.Minute, MaxIdleTimeout: 30 * time.Second}
	if o.window > 0 {
		config.InitialStreamReceiveWindow = o.window
		config.MaxStreamReceiveWindow = o.window
		config.InitialConnectionReceiveWindow = 2 * o.window
		config.MaxConnectionReceiveWindow = 2 * o.window
	}
	return config
}

// CloseWithError has application codes only.
func (o options) end(conn quic.Connection) {
	parts := strings.SplitN(o.close, ":", 3)
	if len(parts) != 3 || parts[0] != "application" {
		must(0, fmt.Errorf("quic-go cannot close with %s", o.close))
	}
	must(0, conn.CloseWithError(quic.ApplicationErrorCode(must(strconv.ParseUint(parts[1], 10, 62))), parts[2]))
}

func reportHandshake(conn quic.Connection) {
	state := conn.ConnectionState().TLS
	found := event{"event": "handshake", "alpn": state.NegotiatedProtocol, "fingerprint": "", "server_name": state.ServerName}
	if len(state.PeerCertificates) > 0 {
		found["fingerprint"] = digest(state.PeerCertificates[0].Raw)
	}
	report(found)
}

func finish(conn quic.Connection, received *record) {
	_, err := conn.AcceptStream(context.Background())
	received.report()
	reportClosed(err)
}

func serve(o options) {
	rules := &tls.Config{MinVersion: tls.VersionTLS13, Certificates: o.certificates(), NextProtos: o.protocols,
		ClientAuth: tls.RequireAnyClientCert}
	config := o.config()
	config.MaxIncomingStreams = 1
	config.MaxIncomingUniStreams = -1
	config.RequireAddressValidation = func(net.Addr) bool { return o.retry }
	listener := must(quic.ListenAddr("127.0.0.1:0", rules, config))
	report(event{"event": "listening", "port": listener.Addr().(*net.UDPAddr).Port})
	conn := must(listener.Accept(context.Background()))
	reportHandshake(conn)
	received := newRecord()
	stream, err := conn.AcceptStream(context.Background())
	if err != nil {
		reportClosed(err)
		return
	}
	go received.read(stream)
	connect := len(o.file("connect"))
	if received.wait(conn, map[quic.StreamID]int{0: connect}) {
		must(stream.Write(o.file("accept")))
		chunks, worldMap := must(conn.OpenUniStream()), must(conn.OpenUniStream())
		go chunks.Write(o.file("chunks"))
		go worldMap.Write(o.file("map"))
		if o.close != "" && received.wait(conn, map[quic.StreamID]int{0: connect + len(o.file("ready"))}) {
			o.end(conn)
		}
	}
	finish(conn, received)
}

func call(o options, port string) {
	rules := &tls.Config{MinVersion: tls.VersionTLS13, Certificates: o.certificates(), NextProtos: o.protocols,
		InsecureSkipVerify: true, ServerName: "localhost"}
	conn, err := quic.DialAddr("127.0.0.1:"+port, rules, o.config())
	if err != nil {
		reportClosed(err)
		return
	}
	reportHandshake(conn)
	received := newRecord()
	stream, err := conn.OpenStream()
	if err != nil {
		reportClosed(err)
		return
	}
	if o.triesMore {
		_, second := conn.OpenStream()
		_, uni := conn.OpenUniStream()
		report(event{"event": "limits", "bidi": second == nil, "uni": uni == nil})
	}
	go received.read(stream)
	go func() {
		for {
			uni, err := conn.AcceptUniStream(context.Background())
			if err != nil {
				return
			}
			go received.read(uni)
		}
	}()
	writeInPieces(stream, o.file("connect"))
	sizes := map[quic.StreamID]int{0: len(o.file("accept")), 3: len(o.file("chunks")), 7: len(o.file("map"))}
	if received.wait(conn, sizes) {
		if o.close != "" {
			o.end(conn)
		} else {
			writeInPieces(stream, o.file("ready"))
		}
	}
	finish(conn, received)
}

func main() {
	if len(os.Args) < 3 {
		must(0, errors.New("usage: peer server FOLDER | peer client FOLDER PORT"))
	}
	role, o, rest := os.Args[1], options{folder: os.Args[2], protocols: []string{"hytale/2"}, key: os.Args[1]}, os.Args[3:]
	port := ""
	if role == "client" && len(rest) > 0 {
		port, rest = rest[0], rest[1:]
	} else if role == "server" {
		o.protocols = []string{"hytale/2", "hytale/1"}
	}
	for _, argument := range rest {
		name, value, _ := strings.Cut(argument, "=")
		switch name {
		case "--alpn":
			o.protocols = strings.Split(value, ",")
		case "--key":
			o.key = value
		case "--window":
			o.window = must(strconv.ParseUint(value, 10, 31))
		case "--close":
			o.close = value
		case "--retry":
			o.retry = true
		case "--more-streams":
			o.triesMore = true
		default:
			must(0, fmt.Errorf("there is no option %s", argument))
		}
	}
	if role == "server" {
		serve(o)
	} else {
		call(o, port)
	}
}
