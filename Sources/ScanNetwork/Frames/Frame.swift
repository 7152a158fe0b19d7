package import ScanCluster

/// One message of an open connection; see "Frames" in Docs/Protocol.md. Views are valid only while the frame is handled.
package enum Frame {
    case task(TaskFrame)
    case response(ResponseFrame)
    case refusal(request: UInt64, reason: RefusalReason, message: String)
    case cancel(request: UInt64)
    case ping(UInt64)
    case pong(UInt64)
    /// The sender is about to close; `draining` if it finishes its tasks first.
    case goodbye(draining: Bool, message: String)
    /// A call of a holder of the key, and the node's reply to one.
    case call(CallFrame)
    case reply(CallFrame)
    /// The coordinator's weight from now on.
    case weight(Double)
    /// A task that runs on the node reports something.
    case report(request: UInt64, TaskReport)
}

/// A call or its reply: bytes that the protocol does not look into.
package struct CallFrame {
    /// Chosen by the caller; the reply has the same.
    package var number: UInt64
    package var body: UnsafeRawBufferPointer
}

/// An attempt at a task, on its way to a node.
package struct TaskFrame {
    /// Which attempt at which task it is.
    package struct Identity: Equatable, Sendable {
        /// Checksum of the coded task, which contains the task's identity.
        package var task: UInt64
        /// Number of the attempt, from 1.
        package var attempt: UInt32

        package init(task: UInt64, attempt: UInt32) { (self.task, self.attempt) = (task, attempt) }
    }
    package var request: UInt64
    package var identity: Identity
    package var typeName: UnsafeRawBufferPointer
    package var task: UnsafeRawBufferPointer
    /// The task's bulk bytes; nil if it has none. Boxed: frames of small tasks are passed on by the hundred thousand.
    package var part: Boxed<BulkPart>?

    /// See ``BulkPart/key``.
    package var key: BulkKey? { part?.value.key }
    /// See ``BulkPart/isLastUse``.
    package var isLastUse: Bool { part?.value.isLastUse ?? false }
    /// See ``BulkPart/bulk``.
    package var bulk: BulkBytes? { part?.value.bulk }
    /// See ``BulkPart/referred``.
    package var referred: ReferredBulk? { part?.value.referred }

    /// The name of its type, safe to print.
    var printableTypeName: String { String(decoding: typeName, as: UTF8.self).printable }
}

/// What a task's frame says of its bulk bytes.
package struct BulkPart {
    package var key: BulkKey?
    /// Whether no other task will have ``key``.
    package var isLastUse = false
    /// Nil if there are no bulk bytes, or the node holds those of ``key``.
    package var bulk: BulkBytes?
    /// The bulk bytes that the node reads by reference.
    package var referred: ReferredBulk?
}

/// A value behind one reference, so that a structure that seldom has it stays small.
package indirect enum Boxed<Value> {
    case value(Value)

    package init(_ value: Value) { self = .value(value) }

    package var value: Value {
        switch self {
        case .value(let value): value
        }
    }
}

extension Boxed: Sendable where Value: Sendable {}

/// Bulk bytes that were not sent, and how to check them.
package struct ReferredBulk: Equatable, Sendable {
    package var reference: BulkReference
    package var byteCount: Int
    /// Nil if the reference identifies the bytes: then the node reports the checksum of those that it read.
    package var checksum: UInt64?
    /// Number of bytes once they are unpacked; nil if they are not packed.
    package var unpackedCount: Int?

    /// Reads the bytes.
    /// - Throws: what `resolver` throws, and an error if its bytes have another length or checksum.
    package func read(by resolver: any BulkResolver) throws -> BulkBytes {
        let bytes = try resolver.bytes(of: reference, count: byteCount, unpackedCount: unpackedCount)
        guard bytes.count == byteCount, bytes.unpackedCount == unpackedCount,
            checksum == nil || bytes.withUnsafeBytes(ScanNetwork.checksum) == checksum
        else {
            throw OtherBytes()
        }
        return bytes
    }

    private struct OtherBytes: Error, CustomStringConvertible {
        let description = "the bytes read here have another length or checksum; was the file changed?"
    }
}

/// A `TaskResponse` on its way to the coordinator: its identity and attempt, its result and its seconds. The connection
/// names the system.
package struct ResponseFrame {
    package var request: UInt64
    /// The task and the attempt that it answers.
    package var identity: TaskFrame.Identity
    /// Whether the scan returned; else ``body`` is a ``CodedFailure``.
    package var succeeded: Bool
    /// The node keeps the attempt's bulk bytes for later tasks with the same key.
    package var keptBulk: Bool
    package var seconds: Double
    /// Checksum of the bulk bytes that the node read by a reference that identifies them; nil if it read none.
    package var bulkChecksum: UInt64?
    package var body: UnsafeRawBufferPointer

    /// A response without ``bulkChecksum``.
    package init(
        request: UInt64, identity: TaskFrame.Identity, succeeded: Bool, keptBulk: Bool, seconds: Double,
        body: UnsafeRawBufferPointer
    ) {
        self.request = request
        self.identity = identity
        self.succeeded = succeeded
        self.keptBulk = keptBulk
        self.seconds = seconds
        self.body = body
    }
}

/// Why a node did not run a task.
package enum RefusalReason: UInt8, CaseIterable, Sendable {
    case queueFull = 1
    case draining = 2
    case unknownType = 3
    case bulkMissing = 4
    /// The node cannot read the bytes that the task refers to.
    case bulkElsewhere = 5

    /// The code under which the coordinator sees the reason.
    package var code: ScanError.Code {
        switch self {
        case .queueFull: .refused
        case .draining: .draining
        case .unknownType: .unknownType
        case .bulkMissing, .bulkElsewhere: .bulkMissing
        }
    }
}

/// A violation of the protocol by the peer, whose connection is then closed.
package struct ProtocolError: Error, Equatable, CustomStringConvertible {
    package var message: String

    package init(_ message: String) { self.message = message }

    package var description: String { "broke the protocol: \(message)" }
}

/// Sizes and numbers of the frame format.
enum FrameFormat {
    /// Length of the rest (4 bytes), type, flags, detail, a zero byte.
    static let prefixSize = 8
    static let taskHeaderSize = 64
    /// After the header of a task with packed or compressed bulk bytes: the number of bytes that they stand for.
    static let unpackedCountSize = 8
    /// Before a reference: its checksum, and the length of its origin.
    static let referenceHeaderSize = 12
    static let referenceLimit = 1 << 16
    static let responseHeaderSize = 48
    /// After the header of a response: the checksum of the bulk bytes that the node read.
    static let bulkChecksumSize = 8
    static let requestHeaderSize = 16
    /// Before the text of a report: request and fraction.
    static let reportHeaderSize = 24
    static let messageLimit = 4096
    /// Before the body of a call or a reply: its number and the body's checksum.
    static let callHeaderSize = 24
    static let callBodyLimit = 16 << 20
    /// Smallest frame limit that a peer may state.
    static let leastFrameLimit = 4096
    /// Bulk bytes of a part frame: small, so that what was cancelled soon stops being sent.
    static let partSize = 256 << 10
    /// Longest frame whose length fits in the prefix.
    static let greatestFrameLimit = Int(UInt32.max)

    enum Kind: UInt8 {
        case task = 1
        case response = 2
        case refusal = 3
        case cancel = 4
        case ping = 5
        case pong = 6
        case goodbye = 7
        case call = 8
        case reply = 9
        case weight = 10
        case part = 11
        case report = 12
    }

    enum TaskFlag {
        static let hasKey: UInt8 = 1
        static let hasBulk: UInt8 = 2
        static let hasReference: UInt8 = 4
        static let isLastUse: UInt8 = 8
        static let isPacked: UInt8 = 16
        static let isIdentified: UInt8 = 32
        static let isCompressed: UInt8 = 64
        /// The header says how many bytes the bulk bytes stand for.
        static let hasUnpackedCount = isPacked | isCompressed
        /// The bulk bytes follow in part frames.
        static let isParted: UInt8 = 128
        static let all =
            hasKey | hasBulk | hasReference | isLastUse | isPacked | isIdentified | isCompressed | isParted
    }

    enum ResponseFlag {
        static let keptBulk: UInt8 = 1
        static let failed: UInt8 = 2
        static let hasBulkChecksum: UInt8 = 4
        static let all = keptBulk | failed | hasBulkChecksum
    }
}
