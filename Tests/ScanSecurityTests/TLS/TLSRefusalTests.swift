import Foundation
import ScanSecurity
import Testing

@Suite("A TLS session refuses")
struct TLSRefusalTests {
    let key: ClusterKey
    let other: ClusterKey
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        key = try ClusterKey.random()
        other = try ClusterKey.random()
    }

    @Test("a peer with another key, and both errors name both keys")
    func wrongKey() throws {
        var pair = try TLSPair(other, KeyRing(current: key))
        let errors = pair.failures()
        #expect(errors.server?.code == .wrongKey)
        #expect(errors.client?.code == .wrongKey)
        #expect(errors.server?.message.contains(key.fingerprint.description) == true)
        #expect(errors.server?.message.contains(other.fingerprint.description) == true)
        #expect(errors.client?.message.contains(other.fingerprint.description) == true)
        #expect(errors.client?.message.contains("skyfarm key export") == true)
        #expect(pair.client.phase == .failed && pair.server.phase == .failed)
        #expect(pair.client.key == nil && pair.server.key == nil)
    }

    @Test("a retired key after its expiry, and accepts it before", arguments: [-1, 0, 1])
    func retiredKey(seconds: Double) throws {
        let ring = KeyRing(
            current: other, retired: [KeyRing.Retired(key: key, expiry: now.addingTimeInterval(seconds))])
        var pair = try TLSPair(key, ring, at: now)
        let errors = pair.failures()
        #expect((pair.server.phase == .established) == (seconds > 0))
        #expect((errors.server == nil) == (seconds > 0))
        #expect(pair.server.key == (seconds > 0 ? key.fingerprint : nil))
        var current = try TLSPair(other, ring, at: now)
        try current.run()
        #expect(current.server.key == other.fingerprint)
    }

    @Test("a peer that knows only the fingerprint of the key")
    func forgedFingerprint() throws {
        let client = try TLSSession(client: key)
        var hello = client.takeOutput()
        // The last bytes of the hello are the PSK binder, the sender's proof of the key.
        hello[hello.count - 1] ^= 1
        let server = try TLSSession(server: KeyRing(current: key), at: now)
        var none: [UInt8] = []
        let refusal = #expect(throws: TLSError.self) { try server.feed(hello, into: &none) }
        #expect(refusal?.code == .wrongKey && !server.isRecognised)
        #expect(refusal?.message.contains("impostor") == true)
        let answer = #expect(throws: TLSError.self) { try client.feed(server.takeOutput(), into: &none) }
        #expect(answer == refusal)
    }

    @Test("to establish a session with a replayed hello, which it recognises")
    func repeatedHello() throws {
        let hello = try TLSSession(client: key).takeOutput()
        let server = try TLSSession(server: KeyRing(current: key), at: now)
        var none: [UInt8] = []
        try server.feed(Array(hello.dropLast()), into: &none)
        #expect(!server.isRecognised)
        try server.feed(Array(hello.suffix(1)), into: &none)
        #expect(server.isRecognised && server.phase == .handshaking && server.key == nil)
    }

    @Test(
        "what is no TLS, and says what it is",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", "HTTP"), ("CONNECT a:1 HTTP/1.1\r\n", "HTTP"), ("SSH-2.0-x\r\n", "SSH"),
            ("HTTP/1.1 400 Bad Request\r\n", "HTTP"), ("PRI * HTTP/2.0\r\n\r\n", "HTTP"),
            ("SKYFARM hello there", "TLS"),
            ("{\"json\": 1}\n", "TLS"), (String(repeating: "\0", count: 64), "TLS"),
        ])
    func notTLS(text: String, word: String) throws {
        for session in [try TLSSession(client: key), try TLSSession(server: KeyRing(current: key), at: now)] {
            for chunk in [1, 1000] where session.phase == .handshaking {
                var none: [UInt8] = []
                let error = #expect(throws: TLSError.self) {
                    try session.feed(Array(text.utf8), chunk: chunk, into: &none)
                }
                #expect(error?.code == .notTLS)
                #expect(error?.message.contains(word) == true)
            }
        }
    }

    @Test("a handshake that exceeds the limit of bytes")
    func tooManyBytes() throws {
        let limits = UnauthenticatedLimits(handshakeBytes: 500)
        let server = try TLSSession(server: KeyRing(current: key), at: now, limits: limits)
        #expect(server.space().count == 500)
        // A client hello of an announced length of 16000 bytes, without end.
        let hello: [UInt8] = [22, 3, 1, 0x3e, 0x80, 1, 0, 0x3e, 0x7c] + [UInt8](repeating: 0, count: 600)
        var none: [UInt8] = []
        let error = #expect(throws: TLSError.self) { try server.feed(hello, into: &none) }
        #expect(error?.code == .tooManyBytes)
    }

    @Test("further calls after an error: each throws it again")
    func staysFailed() throws {
        let server = try TLSSession(server: KeyRing(current: key), at: now)
        var none: [UInt8] = []
        let error = try #require(throws: TLSError.self) { try server.feed(Array("nonsense!".utf8), into: &none) }
        #expect(server.space().isEmpty)
        #expect(throws: error) { try server.receiveEnd() }
        #expect(throws: error) { try server.seal([1]) }
        #expect(throws: error) { try server.received(0) }
        server.close()
        #expect("\(error)" == error.message)
    }

    @Test("modified records")
    func changedRecord() throws {
        var pair = try TLSPair(key, KeyRing(current: key))
        try pair.run()
        try pair.client.seal([1, 2, 3])
        var ciphertext = pair.client.takeOutput()
        ciphertext[ciphertext.count - 1] ^= 1
        var received: [UInt8] = []
        let error = #expect(throws: TLSError.self) { try pair.server.feed(ciphertext, into: &received) }
        #expect(error?.code == .corrupted)
        #expect(received.isEmpty)
        var none: [UInt8] = []
        let answer = #expect(throws: TLSError.self) { try pair.client.feed(pair.server.takeOutput(), into: &none) }
        #expect(answer?.code == .alert)
    }

    @Test("replayed or reordered records")
    func replayedRecord() throws {
        for (first, second) in [(0, 0), (1, 0)] {
            var pair = try TLSPair(key, KeyRing(current: key))
            try pair.run()
            let records = try (0..<2).map { number in
                try pair.client.seal([UInt8(number)])
                return pair.client.takeOutput()
            }
            var received: [UInt8] = []
            #expect(throws: TLSError.self) {
                try pair.server.feed(records[first] + records[second], into: &received)
            }
            #expect(received == (first == 0 ? [0] : []))
        }
    }
}
