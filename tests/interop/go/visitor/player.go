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
	"errors"
	"fmt"
	"io"
	"math/big"
	"sync"
	"time"

	"github.com/lucas-clemente/quic-go"
)

// How long something may take that must happen. Only a test that fails waits so long.
const patience = time.Minute

// A packet that was sent or has come.
type arrival struct {
	at     time.Duration
	toUs   bool
	stream quic.StreamID
	size   int
	packet *record
}

type blockPos struct{ x, y, z int64 }

type column struct{ x, z int64 }

// A client of one build in play, and all that it was told.
type player struct {
	schema *schema
	name   string
	uuid   uuid
	conn   quic.Connection
	stream quic.Stream
	begin  time.Time

	readers sync.WaitGroup
	sending sync.Mutex
	mutex   sync.Mutex // of all below
	changed *sync.Cond
	ended   error // why nothing more comes
	late    bool
	stopped func() bool // somebody else has failed
	log     []arrival
	first   map[string]*record
	counts  map[string]int

	clientID int64
	places   map[int64]point
	inHand   map[int64]string
	sections map[column]map[int64][]byte
	blocks   map[blockPos][]int64
	chains   chains
	said     []*record
	tiles    int
}

// Says what failed; caught where the player was started.
type failure struct{ text string }

func (p *player) fail(format string, values ...any) { panic(failure{fmt.Sprintf(format, values...)}) }

var identity = certificate()

func certificate() tls.Certificate {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "visitor"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der := must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func dial(address string, s *schema) (quic.Connection, error) {
	rules := &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{identity},
		NextProtos: []string{fmt.Sprintf("hytale/%d", s.version)}, InsecureSkipVerify: true, ServerName: "localhost"}
	return quic.DialAddr(address, rules, &quic.Config{HandshakeIdleTimeout: patience})
}

func newPlayer(s *schema, number int, stopped func() bool) *player {
	p := &player{schema: s, name: fmt.Sprintf("visitor_%d", number), stopped: stopped, begin: time.Now(),
		first: map[string]*record{}, counts: map[string]int{}, places: map[int64]point{}, inHand: map[int64]string{},
		sections: map[column]map[int64][]byte{}, blocks: map[blockPos][]int64{}}
	copy(p.uuid[:], "orbis visitor \x00")
	p.uuid[15] = byte(number)
	p.changed = sync.NewCond(&p.mutex)
	return p
}

func (p *player) connect(address string) {
	conn, err := dial(address, p.schema)
	if err != nil {
		p.fail("no connection: %v", err)
	}
	p.conn = conn
	if p.stream, err = conn.OpenStream(); err != nil {
		p.fail("no stream: %v", err)
	}
	p.readers.Add(2)
	go func() {
		defer p.readers.Done()
		for {
			stream, err := conn.AcceptUniStream(context.Background())
			if err != nil {
				p.end(err)
				return
			}
			p.readers.Add(1)
			go p.read(stream)
		}
	}()
	go p.read(p.stream)
}

func (p *player) send(name string, from fields) {
	packet := p.schema.packet(name).make(from)
	frame := pack(packet)
	p.mutex.Lock()
	p.log = append(p.log, arrival{time.Since(p.begin), false, p.stream.StreamID(), len(frame), packet})
	p.mutex.Unlock()
	p.sending.Lock()
	defer p.sending.Unlock()
	if _, err := p.stream.Write(frame); err != nil {
		p.end(err)
	}
}

func (p *player) end(err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	// That the connection was closed says more than that a stream ended with it.
	var application *quic.ApplicationError
	if p.ended == nil || errors.As(err, &application) && !errors.As(p.ended, &application) {
		p.ended = err
	}
	p.changed.Broadcast()
}

// Waits until the condition holds, which is asked after each packet and has p.mutex.
func (p *player) wait(what string, condition func() bool) {
	timer := time.AfterFunc(patience, func() {
		p.mutex.Lock()
		p.late = true
		p.mutex.Unlock()
		p.changed.Broadcast()
	})
	defer timer.Stop()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for !condition() {
		switch {
		case p.stopped():
			p.fail("another client has failed")
		case p.ended != nil:
			p.fail("waited for %s: %v", what, p.ended)
		case p.late:
			p.fail("waited for %s in vain; has got %v", what, p.counts)
		}
		p.changed.Wait()
	}
}

// The first packet of this name.
func (p *player) waitFor(name string) (packet *record) {
	p.wait(name, func() bool {
		packet = p.first[name]
		return packet != nil
	})
	return packet
}

// The first packet of this name, which must have come.
func (p *player) told(name string) *record {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.first[name] == nil {
		p.fail("%s has not come", name)
	}
	return p.first[name]
}

func (p *player) read(stream quic.ReceiveStream) {
	defer p.readers.Done()
	in := bufio.NewReaderSize(stream, 64<<10)
	for {
		header := make([]byte, headerSize)
		if _, err := io.ReadFull(in, header); err != nil {
			p.end(err)
			return
		}
		payload := make([]byte, binary.LittleEndian.Uint32(header))
		if _, err := io.ReadFull(in, payload); err != nil {
			p.end(err)
			return
		}
		packet, err := unpack(p.schema, int(binary.LittleEndian.Uint32(header[4:])), payload)
		if err == nil {
			err = checkStream(p.schema, packet, stream.StreamID())
		}
		if err != nil {
			p.end(err)
			return
		}
		p.note(arrival{time.Since(p.begin), true, stream.StreamID(), headerSize + len(payload), packet})
	}
}

// The channels of a build have streams of their own; builds that have no channels have one stream.
func checkStream(s *schema, packet *record, stream quic.StreamID) error {
	streams := map[string]quic.StreamID{"": 0, "Default": 0, "Chunks": 3, "WorldMap": 7}
	expected, found := streams[packet.layout.channel]
	if !found || stream != expected {
		return fmt.Errorf("%s of the channel %q came on stream %d", packet.layout.name, packet.layout.channel, stream)
	}
	return nil
}

func (p *player) note(what arrival) {
	p.mutex.Lock()
	name, packet := what.packet.layout.name, what.packet
	p.log = append(p.log, what)
	p.counts[name]++
	if p.first[name] == nil {
		p.first[name] = packet
	}
	switch name {
	case "SetClientId":
		p.clientID = packet.number("clientId")
	case "EntityUpdates":
		p.noteEntities(packet)
	case "SetChunk":
		at := column{packet.number("x"), packet.number("z")}
		if p.sections[at] == nil {
			p.sections[at] = map[int64][]byte{}
		}
		p.sections[at][packet.number("y")], _ = packet.get("data").([]byte)
	case "ServerSetBlock":
		at := blockPos{packet.number("x"), packet.number("y"), packet.number("z")}
		p.blocks[at] = append(p.blocks[at], packet.number("blockId"))
	case "ServerSetBlocks":
		for _, command := range packet.list("cmds") {
			command := command.(*record)
			index := command.number("index")
			at := blockPos{packet.number("x")<<5 | index&31, packet.number("y")<<5 | index>>10&31, packet.number("z")<<5 | index>>5&31}
			p.blocks[at] = append(p.blocks[at], command.number("blockId"))
		}
	case "SyncInteractionChains":
		p.chains.note(packet)
	case "CancelInteractionChain":
		p.chains.cancelled = append(p.chains.cancelled, packet.number("chainId"))
	case "ServerMessage":
		p.said = append(p.said, packet)
	case "UpdateWorldMap":
		p.tiles += len(packet.list("chunks"))
	}
	p.mutex.Unlock()
	p.changed.Broadcast()
	if name == "Ping" {
		for _, kind := range []string{"Raw", "Direct", "Tick"} {
			p.send("Pong", fields{"id": packet.get("id"), "type": kind,
				"time": fields{"seconds": time.Now().Unix(), "nanos": time.Now().Nanosecond()}})
		}
	}
}
