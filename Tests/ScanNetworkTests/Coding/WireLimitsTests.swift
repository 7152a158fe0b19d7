import ScanCluster
import Testing

import ScanNetwork

@Suite("The decoder of messages that a hostile member sends")
struct WireLimitsTests {
    private struct Value: Codable, Equatable {
        var a: Int?
        var b: Int?
        var c: Int?
    }

    /// A varint.
    private func varint(_ value: Int) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), value)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private func message(body: [UInt8], keys: [UInt8]) -> [UInt8] {
        [WireFormat.version] + withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) } + body + keys
    }

    private func container(_ content: [UInt8]) -> [UInt8] {
        [WireFormat.Tag.keyed.rawValue] + withUnsafeBytes(of: UInt32(content.count).littleEndian) { Array($0) }
            + content
    }

    @Test("refuses a table of so many keys that reading it takes longer than receiving it")
    func keys() throws {
        let count = 1_000_000
        let bytes = message(body: container([]), keys: varint(count) + [UInt8](repeating: 0, count: count))
        #expect(throws: WireError("\(count) keys are too many")) { try WireDecoder().decode(Value.self, from: bytes) }
        // As many as are allowed.
        let most = WireFormat.keyLimit
        let allowed = message(body: container([]), keys: varint(most) + [UInt8](repeating: 0, count: most))
        #expect(try WireDecoder().decode(Value.self, from: allowed) == Value())
        // Far more than the types have.
        let wide = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("\($0)", $0) })
        #expect(try WireDecoder().decode([String: Int].self, from: WireEncoder().encode(wide)) == wide)
    }

    private struct Required: Decodable {
        var a: Int
    }

    @Test("refuses a container that repeats a key, rather than search it for each missing one")
    func repeated() throws {
        let entry: [UInt8] = [0, WireFormat.Tag.null.rawValue]
        let bytes = message(
            body: container([UInt8](repeating: 0, count: 2_000_000)), keys: varint(1) + varint(1) + Array("x".utf8))
        #expect(throws: WireError("a container has a key twice")) {
            try WireDecoder().decode(Required.self, from: bytes)
        }
        let once = message(body: container(entry), keys: varint(1) + varint(1) + Array("x".utf8))
        #expect(try WireDecoder().decode(Value.self, from: once) == Value())
    }
}
