import Foundation
import ScanSecurity
import Testing

/// Bits that change between a coordinator and a node, behind TLS: in faulty memory, or in a faulty program.
@Suite("wrong checksums", .serialized) struct ChecksumTests {
    /// Whose payload is changed.
    enum Payload: String, CaseIterable {
        case response
        case bulk

        /// What is said of it.
        var complaint: String {
            switch self {
            case .response: "a response with a wrong checksum"
            case .bulk: "bulk bytes with a wrong checksum"
            }
        }

        /// Flips a bit of the payload; offsets and numbers as in Docs/Protocol.md.
        var change: Relay.Change {
            switch self {
            case .response:
                { frame in
                    if frame[4] == 2, frame.count > 40 { frame[(32 + frame.count) / 2] ^= 0x40 }
                }
            case .bulk:
                { frame in
                    // The end of a part, or of a task with bulk bytes: sign and exponent of a sample.
                    let hasBulk = frame[4] == 11 || frame[4] == 1 && frame[5] & 2 != 0 && frame[5] & 128 == 0
                    if hasBulk { frame[frame.count - 1] ^= 0x40 }
                }
            }
        }
    }

    @Test(
        "a node whose payloads have other checksums than they should is named and set aside, the catalogue is the same",
        arguments: Payload.allCases)
    func changed(payload: Payload) throws {
        let scene = try Scene()
        let image = try scene.sky(size: "3000x3000")
        let words = ["scan", image, "--band", "64", "--no-journal", "-o"]
        try #require(try Program.run(words + [scene.path("expected.fits")]).code == 0)
        let nodes = [try Node("crooked"), try Node("honest")]
        let port = try #require(nodes[0].address.split(separator: ":").last.flatMap { UInt16($0) })
        let keys = try KeyStore(path: Program.configuration + "/skyfarm/cluster.key").ring()
        let relay = try Foreigner(.relays(port: port, keys, change: payload.change))
        defer { relay.close() }
        var complaints: [Substring] = []
        var errors = ""
        // Where the relay gets no processor for long, others do its tasks before it has answered one, or before a hedged
        // one was sent whole.
        for _ in 0..<5 where !complaints.contains(where: { $0.contains(payload.complaint) }) {
            let result = try Program.run(
                words + [scene.path("out/o.fits"), "--overwrite", "--local-slots", "1"]
                    + ["--node", relay.address, "--node", nodes[1].address])
            #expect(result.code == 0, "\(result.errors)")
            #expect(try scene.bytes("out/o.fits") == scene.bytes("expected.fits"))
            errors = result.errors
            complaints = result.errorLines.filter { $0.contains("on crooked failed: ") }
        }
        #expect(complaints.contains { $0.contains(payload.complaint) }, "\(errors)")
        // It was set aside: most of the tasks never went there.
        #expect((1...30).contains(complaints.count), "\(errors)")
        print("wrong checksums: a node whose \(payload) payloads change met \(complaints.count) complaints")
    }

    @Test("frames that a relay leaves alone make the same catalogue with no complaint")
    func unchanged() throws {
        let scene = try Scene()
        let image = try scene.sky(size: "1000x1000")
        let words = ["scan", image, "--band", "64", "--no-journal", "-o"]
        try #require(try Program.run(words + [scene.path("expected.fits")]).code == 0)
        let node = try Node("far")
        let port = try #require(node.address.split(separator: ":").last.flatMap { UInt16($0) })
        let keys = try KeyStore(path: Program.configuration + "/skyfarm/cluster.key").ring()
        let relay = try Foreigner(.relays(port: port, keys) { _ in })
        defer { relay.close() }
        let result = try Program.run(
            words + [scene.path("out/o.fits"), "--local-slots", "0", "--node", relay.address])
        #expect(result.code == 0 && !result.errors.contains("failed"), "\(result.errors)")
        #expect(try scene.bytes("out/o.fits") == scene.bytes("expected.fits"))
    }
}
