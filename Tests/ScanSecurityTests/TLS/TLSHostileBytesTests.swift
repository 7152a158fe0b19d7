import Foundation
import ScanBasics
import ScanSecurity
import Testing

@Suite("Hostile bytes")
struct TLSHostileBytesTests {
    let key: ClusterKey

    init() throws { key = try ClusterKey.random() }

    @Test("of any kind never establish a session and never crash")
    func random() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix64(seed: seed)
        for round in 0..<2000 {
            let session =
                round.isMultiple(of: 2)
                ? try TLSSession(client: key) : try TLSSession(server: KeyRing(current: key), at: .now)
            var bytes = generator.bytes(Int.random(in: 1...600, using: &generator))
            // Half of them begin with a valid record header, to reach the code behind it.
            if round % 4 < 2, bytes.count > 11 {
                bytes.replaceSubrange(
                    0..<5, with: [22, 3, 3, UInt8((bytes.count - 5) >> 8), UInt8((bytes.count - 5) & 255)])
                bytes.replaceSubrange(
                    5..<9,
                    with: [round % 4 == 0 ? 2 : 1, 0, UInt8((bytes.count - 9) >> 8), UInt8((bytes.count - 9) & 255)])
            }
            var received: [UInt8] = []
            do {
                try session.feed(bytes, chunk: Int.random(in: 1...600, using: &generator), into: &received)
                try session.receiveEnd()
            } catch {}
            #expect(session.phase == .failed && received.isEmpty, "seed \(seed), round \(round)")
        }
    }

    @Test("in place of one byte of the handshake never establish a session of both sides")
    func mutated() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix64(seed: seed)
        for position in 0..<700 {
            let client = try TLSSession(client: key)
            let server = try TLSSession(server: KeyRing(current: key), at: .now)
            var fromClient: [UInt8] = []
            var fromServer: [UInt8] = []
            var offset = 0
            var isChanged = false
            var isLegacy = false
            var failed = false
            func change(_ bytes: [UInt8]) -> [UInt8] {
                var bytes = bytes
                if bytes.indices.contains(position - offset) {
                    isLegacy = isRecordVersion(position - offset, of: bytes)
                    bytes[position - offset] ^= UInt8.random(in: 1...255, using: &generator)
                    isChanged = true
                }
                offset += bytes.count
                return bytes
            }
            while client.outputCount > 0 || server.outputCount > 0 {
                do {
                    try server.feed(change(client.takeOutput()), into: &fromClient)
                    try client.feed(change(server.takeOutput()), into: &fromServer)
                } catch { failed = true }
                if failed { break }
            }
            let established = client.phase == .established && server.phase == .established
            if isChanged, established { #expect(isLegacy, "seed \(seed), byte \(position)") }
            if !isChanged { #expect(established && !failed) }
        }
    }

    @Test("in place of one bit of a record are always detected")
    func mutatedRecords() throws {
        var pair = try TLSPair(key, KeyRing(current: key))
        try pair.run()
        try pair.client.seal(Array("sealed".utf8))
        let count = pair.client.outputCount
        for position in 0..<(count * 8) {
            var pair = try TLSPair(key, KeyRing(current: key))
            try pair.run()
            try pair.client.seal(Array("sealed".utf8))
            var bytes = pair.client.takeOutput()
            bytes[position / 8] ^= 1 << UInt8(position % 8)
            var received: [UInt8] = []
            #expect(throws: TLSError.self) {
                try pair.server.feed(bytes, into: &received)
                try pair.server.receiveEnd()
            }
            #expect(received.isEmpty)
        }
    }

    @Test("cut anywhere leave the session waiting, and its end is an error")
    func truncated() throws {
        let hello = try TLSSession(client: key).takeOutput()
        for count in 0..<hello.count {
            let server = try TLSSession(server: KeyRing(current: key), at: .now)
            var none: [UInt8] = []
            try server.feed(Array(hello[..<count]), into: &none)
            #expect(server.phase == .handshaking)
            let error = #expect(throws: TLSError.self) { try server.receiveEnd() }
            #expect(error?.code == .endedInHandshake)
        }
    }
}

/// Whether `position` is in the version field of a record's header, which receivers must ignore (RFC 8446, 5.1).
private func isRecordVersion(_ position: Int, of records: [UInt8]) -> Bool {
    var start = 0
    while start + 5 <= records.count {
        if position == start + 1 || position == start + 2 { return true }
        start += 5 + Int(records[start + 3]) << 8 + Int(records[start + 4])
    }
    return false
}
