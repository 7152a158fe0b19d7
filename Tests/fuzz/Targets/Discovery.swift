import ScanCluster
import Foundation

@testable import ScanDiscovery
@testable import ScanNetwork
@testable import ScanSecurity

extension FuzzTarget {
    /// What nodes announce, what name servers answer, and the texts of keys and addresses; the first byte chooses.
    static let discovery = FuzzTarget(name: "discovery") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte() % 6
        let rest = [UInt8](input.rest)
        let text = String(decoding: rest, as: UTF8.self)
        switch choice {
        case 0:
            let record = TXTRecord(parsing: rest)
            let said = NodeAdvertisement(record)
            precondition(NodeAdvertisement(said.record) == said)
            if let coded = try? record.encoded() { precondition(TXTRecord(parsing: coded) == record) }
        case 1:
            if let answer = SRVAnswer(parsing: rest) { precondition(answer.targets.allSatisfy { $0.port > 0 }) }
        case 2:
            if let key = try? ClusterKey(text: rest) { precondition(key.exportText().utf8.count <= rest.count) }
        case 3: _ = try? KeyRing.retired(text: rest)
        case 4:
            _ = KeyFingerprint(text)
            _ = ClusterKey.fingerprint(tlsIdentity: rest)
        default:
            if let address = HostAddress(text) { precondition(!address.description.isEmpty) }
            if let address = try? SocketAddress(parsing: text) { precondition(!address.description.isEmpty) }
        }
    } seeds: {
        let said = NodeAdvertisement(versions: 1...2, slots: 8, keyFingerprint: "0123456789", id: nil)
        let question: [UInt8] = [4] + Array("_sky".utf8) + [4] + Array("_tcp".utf8) + [1, 0x61, 0, 0, 33, 0, 1]
        let answer: [UInt8] = [0xc0, 12, 0, 33, 0, 1, 0, 0, 0, 60, 0, 8, 0, 1, 0, 2, 18, 52, 0xc0, 22]
        let key = try ClusterKey.zeros()
        return [
            "txt": try said.record.encoded().chosen(0),
            "srv": ([0, 1, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] + question + answer).chosen(1),
            "key": Array(key.exportText().utf8).chosen(2),
            "retired": Array("\(key.exportText()) 2030-01-01T00:00:00Z\n".utf8).chosen(3),
            "identity": Array(key.tlsIdentity.utf8).chosen(4),
            "address": Array("[fe80::1%eth0]:4870".utf8).chosen(5),
        ]
    }
}

extension ClusterKey {
    /// Nobody's key, made of zeros.
    static func zeros() throws -> ClusterKey {
        try ClusterKey { (bytes) throws(KeyError) in bytes.initializeMemory(as: UInt8.self, repeating: 0) }
    }
}
