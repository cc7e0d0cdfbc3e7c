// A player that knows nothing of our code: quic-go for the wire, and frames written out by hand from the layouts in
// docs/formats/network.md. It joins a server, stays until enough columns, a tile
// of the map and a ping have come, and leaves. Every
// frame of both sides goes into a recording, one JSON object per line.
//
//	visitor HOST:PORT RECORDING COLUMNS
package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/lucas-clemente/quic-go"
)

// Packet ids that this player understands.
const (
	idDisconnect        = 1
	idPing              = 2
	idWorldSettings     = 20
	idWorldLoadFinished = 22
	idJoinWorld         = 104
	idSetChunk          = 131
	idUpdateWorldMap    = 241
)

// Whole frames: i32 length, i32 packet id, payload.
const (
	connect = "4d00000000000000" + "00" + "84ef2baf" + "14000000" + "323032362e30322e31372d323535333634623865" + "00" +
		"00112233445566778899aabbccddeeff" + "00000000" + "ffffffff" + "05000000" + "ffffffff" + "ffffffff" +
		"04626f7431" + "05656e2d5553"
	requestNoAssets = "0b00000017000000" + "28b52ffd20021100000100" // an empty list, compressed
	viewRadius      = "0400000020000000" + "c0000000"
	playerOptions   = "0100000021000000" + "00"
	readyForChunks  = "0200000069000000" + "0100"
	readyForPlay    = "0200000069000000" + "0101"
	leave           = "0f00000001000000" + "01000c506c61796572206c65617665"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "visitor:", err)
		os.Exit(1)
	}
	return value
}

type recording struct {
	mutex sync.Mutex
	file  *bufio.Writer
	begin time.Time
}

func (r *recording) add(to string, stream quic.StreamID, frame []byte) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	line := must(json.Marshal(map[string]interface{}{"ms": time.Since(r.begin).Milliseconds(), "to": to,
		"stream": stream, "frame_hex": hex.EncodeToString(frame)}))
	must(r.file.Write(append(line, '\n')))
}

type player struct {
	stream   quic.Stream
	recorded *recording
	over     chan error
	once     sync.Once

	mutex   sync.Mutex
	frames  int
	isReady bool
	pings   int
	tiles   int
	hasLeft bool
	wanted  int
}

func (p *player) end(err error) { p.once.Do(func() { p.over <- err }) }

func (p *player) send(text string) {
	frame := must(hex.DecodeString(text))
	p.recorded.add("server", p.stream.StreamID(), frame)
	if _, err := p.stream.Write(frame); err != nil {
		p.end(err)
	}
}

func (p *player) read(stream quic.ReceiveStream) {
	in := bufio.NewReaderSize(stream, 64<<10)
	for {
		header := make([]byte, 8)
		if _, err := io.ReadFull(in, header); err != nil {
			return
		}
		frame := make([]byte, 8+binary.LittleEndian.Uint32(header))
		copy(frame, header)
		if _, err := io.ReadFull(in, frame[8:]); err != nil {
			return
		}
		p.recorded.add("client", stream.StreamID(), frame)
		p.understand(int(binary.LittleEndian.Uint32(header[4:])), frame[8:])
	}
}

func (p *player) understand(id int, payload []byte) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch id {
	case idDisconnect:
		p.end(fmt.Errorf("the server sends us away: %q", payload))
	case idWorldSettings:
		p.send(requestNoAssets)
	case idWorldLoadFinished:
		p.send(viewRadius)
		p.send(playerOptions)
	case idJoinWorld:
		p.send(readyForChunks)
	case idPing:
		p.pings++
		p.send("1400000003000000" + "01" + hex.EncodeToString(payload[1:5]) + "0100000000000000" + "00000000" + "00" + "0000")
	case idUpdateWorldMap:
		p.tiles++
	case idSetChunk:
		p.frames++
		if !p.isReady {
			p.isReady = true
			p.send(readyForPlay)
		}
	}
	if !p.hasLeft && p.frames >= 10*p.wanted && p.pings > 0 && p.tiles > 0 {
		p.hasLeft = true
		p.send(leave)
		p.end(nil)
	}
}

func certificate() tls.Certificate {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "visitor"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der := must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func main() {
	if len(os.Args) != 4 {
		must(0, errors.New("usage: visitor HOST:PORT RECORDING COLUMNS"))
	}
	file := must(os.Create(os.Args[2]))
	recorded := &recording{file: bufio.NewWriter(file), begin: time.Now()}
	rules := &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate()},
		NextProtos: []string{"hytale/2"}, InsecureSkipVerify: true, ServerName: "localhost"}
	conn := must(quic.DialAddr(os.Args[1], rules, &quic.Config{HandshakeIdleTimeout: time.Minute}))
	p := &player{stream: must(conn.OpenStream()), recorded: recorded, over: make(chan error, 1),
		wanted: must(strconv.Atoi(os.Args[3]))}
	go func() {
		for {
			uni, err := conn.AcceptUniStream(context.Background())
			if err != nil {
				p.end(err)
				return
			}
			go p.read(uni)
		}
	}()
	go p.read(p.stream)
	p.send(connect)
	var err error
	select {
	case err = <-p.over:
	case <-time.After(2 * time.Minute):
		err = errors.New("not all has come within two minutes")
	}
	if err == nil { // the server closes when it has heard that we leave
		select {
		case <-conn.Context().Done():
		case <-time.After(time.Minute):
		}
	}
	_ = conn.CloseWithError(0, "")
	recorded.mutex.Lock()
	must(0, recorded.file.Flush())
	must(0, file.Close())
	p.mutex.Lock()
	fmt.Printf("{\"sections\": %d, \"pings\": %d}\n", p.frames, p.pings)
	must(0, err)
	os.Exit(0)
}
