import Foundation
import ScanBasics
import ScanSecurity
import Testing

@Suite("A TLS session")
struct TLSSessionTests {
    let key: ClusterKey
    let ring: KeyRing

    init() throws {
        key = try ClusterKey.random()
        ring = KeyRing(current: key)
    }

    @Test("between two holders of one key is established with the fixed parameters")
    func establishes() throws {
        var pair = try TLSPair(key, ring)
        #expect(pair.client.phase == .handshaking)
        #expect(pair.client.key == nil)
        try pair.run()
        for session in [pair.client, pair.server] {
            #expect(session.phase == .established)
            #expect(session.key == key.fingerprint)
            #expect(session.parameters.version == "TLSv1.3")
            #expect(session.parameters.group == "x25519")
            #expect(["TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"].contains(session.parameters.cipher))
        }
        // A ticket would resume a session without a check of the key ring.
        #expect(pair.receivedByClient.isEmpty && pair.receivedByServer.isEmpty)
    }

    @Test("gives the same plaintext for any segmentation of the ciphertext", arguments: [1, 2, 5, 100, 16_383, 65_536])
    func cutsAnywhere(chunk: Int) throws {
        var generator = SplitMix64(seed: UInt64(chunk))
        let question = generator.bytes(chunk == 1 ? 3000 : 70_000)
        let answer = generator.bytes(40)
        var pair = try TLSPair(key, ring)
        try pair.run(chunk: chunk)
        try pair.client.seal(question)
        try pair.client.seal([])
        try pair.server.seal(answer)
        try pair.run(chunk: chunk)
        #expect(pair.receivedByServer == question)
        #expect(pair.receivedByClient == answer)
    }

    @Test("reads data received together with the end of the handshake")
    func readsEarly() throws {
        let pair = try TLSPair(key, ring)
        var none: [UInt8] = []
        try pair.server.feed(pair.client.takeOutput(), into: &none)
        try pair.client.feed(pair.server.takeOutput(), into: &none)
        try pair.client.seal(Array("hello".utf8))
        var received: [UInt8] = []
        try pair.server.feed(pair.client.takeOutput(), into: &received)
        #expect(received == Array("hello".utf8))
    }

    @Test("provides no space while plaintext is unread")
    func waitsForReader() throws {
        var pair = try TLSPair(key, ring)
        try pair.run()
        try pair.client.seal([1, 2, 3])
        let ciphertext = pair.client.takeOutput()
        let space = pair.server.space()
        space.copyBytes(from: ciphertext)
        try pair.server.received(ciphertext.count)
        #expect(pair.server.space().isEmpty)
    }

    @Test("updates its traffic key after the set number of records without loss")
    func changesKeys() throws {
        var pair = try TLSPair(key, ring, recordsPerKey: 3)
        try pair.run()
        var sent: [UInt8] = []
        for round in 0..<50 {
            let message = [UInt8](repeating: UInt8(round), count: 1000)
            try pair.client.seal(message)
            try pair.server.seal(message)
            sent += message
            if round.isMultiple(of: 7) { try pair.run() }
        }
        try pair.run()
        #expect(pair.receivedByServer == sent)
        #expect(pair.receivedByClient == sent)
    }

    @Test("distinguishes close_notify from a truncated connection")
    func distinguishesCloseNotify() throws {
        var pair = try TLSPair(key, ring)
        try pair.run()
        try pair.client.seal([7])
        pair.client.close()
        try pair.run()
        #expect(pair.receivedByServer == [7])
        #expect(pair.server.phase == .closed)
        try pair.server.receiveEnd()
        #expect(pair.server.space().isEmpty)
        // The other direction is still open.
        try pair.server.seal([8])
        try pair.run()
        #expect(pair.receivedByClient == [8])
        let error = try #require(throws: TLSError.self) { try pair.client.receiveEnd() }
        #expect(error.code == .truncated)
        #expect(throws: error) { try pair.client.seal([9]) }
    }

    @Test("reports a peer that closes in the handshake")
    func endsInHandshake() throws {
        let client = try TLSSession(client: key)
        let error = #expect(throws: TLSError.self) { try client.receiveEnd() }
        #expect(error?.code == .endedInHandshake)
        #expect(client.phase == .failed)
    }

    @Test("keeps output that the socket did not accept")
    func keepsUnsent() throws {
        let client = try TLSSession(client: key)
        let all = client.outputCount
        client.withOutput { min(100, $0.count) }
        #expect(client.outputCount == all - 100)
        client.withOutput { $0.count }
        #expect(client.outputCount == 0)
        client.withOutput { _ in
            Issue.record("nothing waits")
            return 0
        }
    }

    @Test("transfers 50 MB unchanged")
    func carriesBulk() throws {
        var pair = try TLSPair(key, ring)
        try pair.run()
        var generator = SplitMix64(seed: 50)
        let words = (0..<(1 << 17)).map { _ in generator.next() }
        let piece = words.withUnsafeBytes { Array($0) }
        let received = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 16)
        defer { received.deallocate() }
        for _ in 0..<50 {
            try pair.client.seal(piece)
            try pair.client.carry(to: pair.server, into: received)
            #expect(received.elementsEqual(piece))
        }
    }
}
