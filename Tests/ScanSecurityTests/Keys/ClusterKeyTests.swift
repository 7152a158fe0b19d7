import Foundation
import ScanBasics
import ScanSecurity
import Testing

@Suite("A cluster key")
struct ClusterKeyTests {
    @Test("is equal to the key parsed from its text")
    func roundTrip() throws {
        let key = try ClusterKey.random()
        let text = key.exportText()
        #expect(text.hasPrefix("skyfarm-key-1-\(key.fingerprint)-"))
        for copy in [text, text + "\n", "  \(text)\r\n", "\t\n\(text)"] {
            let read = try ClusterKey(text: copy.utf8)
            #expect(read == key)
            #expect(read.fingerprint == key.fingerprint)
        }
    }

    @Test("has a stable text and fingerprint")
    func stableText() throws {
        let zeros = String(repeating: "0", count: 64)
        // printf 'skyfarm cluster key fingerprint 1\0' | cat - <(head -c 32 /dev/zero) | sha256sum
        let key = try ClusterKey(text: "skyfarm-key-1-\(Self.zeroFingerprint)-\(zeros)".utf8)
        #expect(key.fingerprint.description == Self.zeroFingerprint)
    }

    static let zeroFingerprint = "e50684dc5b"

    @Test("is never the same twice")
    func random() throws {
        let keys = try (0..<100).map { _ in try ClusterKey.random() }
        #expect(Set(keys.map(\.fingerprint)).count == keys.count)
        #expect(keys[0] != keys[1])
    }

    @Test("shows no byte of itself when described, debugged, dumped or mirrored")
    func hidesItself() throws {
        let key = try ClusterKey.random()
        let digits = String(key.exportText().suffix(64))
        let ring = KeyRing(current: key, retired: [.init(key: try ClusterKey.random(), expiry: .now)])
        var dumped = ""
        dump(key, to: &dumped)
        dump(ring, to: &dumped)
        dump([key as Any], to: &dumped)
        let mirrored = Mirror(reflecting: key).children.map { "\($0)" }.joined()
        let texts = [
            dumped, mirrored, "\(key)", "\(ring)", String(reflecting: key), String(reflecting: ring), "\([key])",
        ]
        for text in texts {
            #expect(text.contains(key.fingerprint.description))
            for start in stride(from: 0, to: 60, by: 4) {
                let piece = String(digits.dropFirst(start).prefix(8))
                #expect(!text.contains(piece))
            }
            #expect(Self.longestHexadecimalRun(text) <= 16, "a pointer at most: \(text)")
        }
    }

    private static func longestHexadecimalRun(_ text: String) -> Int {
        text.split { !$0.isHexDigit }.map(\.count).max() ?? 0
    }

    @Test(
        "is refused if its text is damaged",
        arguments: [
            "", "\n", "hello", "skyfarm-key-2-0000000000-", "skyfarm-key-1-", "-----BEGIN KEY-----", "skyfarm-key-1",
        ])
    func malformed(text: String) {
        let error = #expect(throws: KeyError.self) { try ClusterKey(text: text.utf8) }
        #expect(error?.code == .malformed)
        #expect(error.map { !"\($0)".contains("\n") } == true)
    }

    @Test("is refused if any character of its text is changed, lost or doubled, and the error quotes none of it")
    func changedText() throws {
        let text = Array(try ClusterKey.random().exportText().utf8)
        let digits = String(decoding: text.suffix(64), as: UTF8.self)
        for position in text.indices {
            var changed = text
            changed[position] = changed[position] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
            var upper = text
            upper[position] = text[position] ^ 0x20
            var lost = text
            lost.remove(at: position)
            var doubled = text
            doubled.insert(text[position], at: position)
            for broken in [changed, upper, lost, doubled, Array(text[..<position])] {
                let error = #expect(throws: KeyError.self) { try ClusterKey(text: broken) }
                #expect(error?.code == .malformed)
                #expect(error.map { "\($0)".contains(digits.prefix(8)) } == false)
            }
        }
    }

    @Test("is not parsed from random bytes")
    func randomText() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            let bytes = Array("skyfarm-key-1-".utf8) + generator.bytes(Int.random(in: 0...120, using: &generator))
            #expect(throws: KeyError.self, "seed \(seed)") { try ClusterKey(text: bytes) }
        }
    }
}

@Suite("A key's fingerprint")
struct KeyFingerprintTests {
    @Test("is ten hexadecimal digits in lower case, and nothing else")
    func parses() {
        #expect(KeyFingerprint("0123456789")?.description == "0123456789")
        #expect(KeyFingerprint("abcdef0123") != nil)
        for text in ["", "012345678", "01234567890", "ABCDEF0123", "012345678g", "0123456789\n", "٠١٢٣٤٥٦٧٨٩"] {
            #expect(KeyFingerprint(text) == nil)
        }
    }
}
