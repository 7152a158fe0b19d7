import Foundation

@testable import ScanSecurity

extension FuzzTarget {
    /// The first bytes of a connection, as both sides' TLS sessions take them from any peer. The first byte chooses
    /// the side and the pieces. No such bytes establish a session, or produce more than a refusal.
    static let tls = FuzzTarget(name: "tls") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte()
        let piece = [1, 5, 100, 4096][Int(choice >> 1) % 4]
        guard let key = try? ClusterKey.zeros(),
            let session = choice & 1 == 0
                ? try? TLSSession(server: KeyRing(current: key), at: .now) : try? TLSSession(client: key)
        else { preconditionFailure("OpenSSL gives no session") }
        do throws(TLSError) {
            while !input.rest.isEmpty {
                let space = session.space()
                guard !space.isEmpty else { break }
                let part = input.bytes(min(piece, space.count))
                space.copyMemory(from: part)
                try session.received(part.count)
                precondition(session.phase == .handshaking, "a stranger has established a session")
            }
            try session.receiveEnd()
        } catch {
            precondition(!error.message.isEmpty && session.phase == .failed)
        }
        precondition(session.key == nil && session.outputCount < 1024)
    } seeds: {
        let key = try ClusterKey.zeros()
        let client = try TLSSession(client: key)
        let hello = client.takeBytes()
        let server = try TLSSession(server: KeyRing(current: key), at: .now)
        server.space().copyBytes(from: hello)
        try server.received(hello.count)
        return [
            "client-hello": hello.chosen(6), "client-hello-in-pieces": hello.chosen(2),
            "server-hello": server.takeBytes().chosen(7), "http": Array("GET / HTTP/1.1\r\n\r\n".utf8).chosen(0),
            "tls-1.2":
                ([22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0, 47, 1, 0])
                .chosen(6),
        ]
    }
}

extension TLSSession {
    fileprivate func takeBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        withOutput {
            bytes = Array($0)
            return $0.count
        }
        return bytes
    }
}
