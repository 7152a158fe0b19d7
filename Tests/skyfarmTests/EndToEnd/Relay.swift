import Foundation
import ScanSecurity
import ScanTestSupport

/// Passes hellos and frames on between a coordinator and a node, as one who holds the key.
enum Relay {
    /// Gets each frame of either side, and may change it.
    typealias Change = @Sendable (inout [UInt8]) -> Void

    /// Relays until either side ends.
    /// - Throws: `TLSError` if a side does not hold the key, or breaks the session.
    static func run(between peer: Int32, and node: Int32, _ keys: KeyRing, _ change: Change) throws {
        let sides = [
            try SecureSocket(peer, TLSSession(server: keys, at: .now)),
            try SecureSocket(node, TLSSession(client: keys.current)),
        ]
        var streams = [FrameStream(), FrameStream()]
        func pass(_ bytes: [UInt8], from side: Int) throws {
            streams[side].bytes += bytes
            while var frame = streams[side].next() {
                if frame.isFrame { change(&frame.bytes) }
                try sides[1 - side].send(frame.bytes)
            }
        }
        while true {
            for side in sides.indices {
                while case let bytes = try sides[side].receiveWaiting(), !bytes.isEmpty { try pass(bytes, from: side) }
            }
            var polls = [peer, node].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&polls, 2, -1) > 0 else { return }
            for side in sides.indices where polls[side].revents != 0 {
                let bytes = try sides[side].receive()
                if bytes.isEmpty { return }
                try pass(bytes, from: side)
            }
        }
    }
}

/// Cuts what a side sends into its hello and its frames.
private struct FrameStream {
    var bytes: [UInt8] = []
    private var isOpen = false

    mutating func next() -> (bytes: [UInt8], isFrame: Bool)? {
        let lengthOffset = isOpen ? 0 : 20
        guard bytes.count >= lengthOffset + 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(bytes[lengthOffset + $1]) << (8 * $1) }
        let size = lengthOffset + 4 + length
        guard bytes.count >= size else { return nil }
        defer {
            bytes.removeFirst(size)
            isOpen = true
        }
        return (Array(bytes[..<size]), isOpen)
    }
}
