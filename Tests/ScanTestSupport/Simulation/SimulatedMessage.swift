import ScanCluster
import ScanNetwork

/// One message on a simulated connection, in either direction. On an unreliable network each may be lost, duplicated or
/// overtaken.
enum SimulatedMessage: Sendable {
    /// From a coordinator: opens the connection.
    case hello(CoordinatorInfo)
    /// From a node: the connection is open.
    case welcome(NodeInfo)
    /// A frame of the protocol.
    case frame(SimulatedFrame)
    /// The sender has closed the connection.
    case closed
    /// From a node, or from its machine if the node is down: there is no such connection, for this reason.
    case reset(String)

    /// A frame, as `write` encodes it, with the bulk bytes that follow it.
    static func frame(bulk: BulkBytes? = nil, _ write: (inout ByteWriter) -> Void) -> SimulatedMessage {
        .frame(SimulatedFrame(bulk: bulk, write))
    }
}

/// A frame of the protocol in transit: the product encodes it and decodes it.
struct SimulatedFrame: Sendable {
    private let bytes: [UInt8]
    private let bulk: BulkBytes?

    /// A frame, as `write` encodes it, with the bulk bytes that follow it.
    init(bulk: BulkBytes? = nil, _ write: (inout ByteWriter) -> Void) {
        var writer = ByteWriter()
        write(&writer)
        bytes = Array(writer.bytes)
        self.bulk = bulk
    }

    /// Decodes the frame and hands it to `handle`; its views are valid only during that call.
    /// - Throws: ``ProtocolError`` if the decoder rejects the bytes, and what `handle` throws.
    func decode(_ handle: (Frame) throws(ProtocolError) -> Void) throws(ProtocolError) {
        var decoder = FrameDecoder(limit: 1 << 20)
        bytes.withUnsafeBytes { Self.receive($0, into: &decoder) }
        var frame = try decoder.next()
        if frame == nil, let bulk {
            bulk.withUnsafeBytes { Self.receive($0, into: &decoder) }
            frame = try decoder.next()
        }
        guard let frame else { throw ProtocolError("a part of a frame") }
        try handle(frame)
    }

    private static func receive(_ bytes: UnsafeRawBufferPointer, into decoder: inout FrameDecoder) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let space = decoder.space()
            let piece = rest.prefix(space.count)
            space.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece))
            decoder.received(piece.count)
            rest = rest.dropFirst(piece.count)
        }
    }
}
