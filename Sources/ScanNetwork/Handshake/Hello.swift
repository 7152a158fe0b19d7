public import ScanCluster
import ScanBasics

/// A node's description of itself, sent to each coordinator that connects.
public struct NodeInfo: Codable, Equatable, Sendable {
    /// The node's identity, the same at all its addresses.
    public var identity: SystemID
    /// The node's name.
    public var name: String
    /// Tasks it runs at the same time.
    public var slots: Int
    /// Tasks that may wait there beyond those.
    public var queueLimit: Int
    /// Version of its software.
    public var software: String
    /// Names of the types of task that it runs; `scanners` in the coded form.
    public var taskTypes: [String]
    /// Tasks that ran or waited there when it sent its hello; nil if it does not report that.
    public var busy: Int?
    /// Whether it reads bulk bytes by reference; nil if not.
    package var readsReferences: Bool?
    /// Whether it reads bulk bytes by a reference that identifies them, and reports their checksum; nil if not.
    package var identifiesBulk: Bool?
    /// Whether a task may state that it uses a bulk key for the last time; nil if not.
    package var forgetsBulk: Bool?
    /// The packed form of bulk bytes that it unpacks, see ``BulkUnpacker/form``; nil if none.
    package var unpacks: String?
    /// The form of compressed bulk bytes that it expands, see ``BulkCompression/form``; nil if none.
    package var expands: String?
    /// The form of compressed floats that are scaled integers that it expands, see ``BulkCompression/scaledForm``; nil if
    /// none.
    package var expandsScaled: String?
    /// Whether it takes bulk bytes in part frames; nil if not.
    package var takesParts: Bool?
    /// Speed of one of its slots, see ``SlotSpeed``; nil if it does not report it.
    package var speed: Double?
    /// Its processors; nil if it does not report them.
    package var processors: ProcessorShare?
    /// How it computes; nil if it does not report that.
    public var arithmetic: Arithmetic?
    /// Whether a coordinator may change its weight; nil if not.
    package var changesWeight: Bool?
    /// What it has that tasks may need, in its owner's words; nil for nothing.
    public var tags: [String]?
    /// Its answer to the order of this connection's greeting; nil without an order.
    package var answer: NodeOrder.Answer?
    /// Whether it answers calls; nil if not.
    package var answersCalls: Bool?
    /// Bytes that its tasks may need together; nil if it does not report that.
    package var memory: Int?
    /// Longest frame it accepts, in bytes.
    package var frameLimit: Int

    private enum CodingKeys: String, CodingKey {
        case identity, name, slots, queueLimit, software, taskTypes = "scanners", busy, readsReferences, identifiesBulk
        case forgetsBulk, unpacks, expands, expandsScaled, takesParts, speed, processors, arithmetic, changesWeight,
            tags
        case answer, answersCalls, memory, frameLimit
    }

    /// Whether the attempt is sent to it with the flag of the last use of a bulk key. A node without ``forgetsBulk``
    /// would reject the flag as unknown.
    package func takesLastUse(of attempt: AttemptRequest) -> Bool { attempt.isLastUse && forgetsBulk == true }

    /// Tags of a node that are accepted, and the bytes of each.
    package static let tagLimit = (count: 32, bytes: 64)

    package init(
        identity: SystemID, name: String, slots: Int, queueLimit: Int, software: String = Skyfarm.version,
        taskTypes: [String], frameLimit: Int
    ) {
        self.identity = identity
        self.name = name
        self.slots = slots
        self.queueLimit = queueLimit
        self.software = software
        self.taskTypes = taskTypes
        self.frameLimit = frameLimit
    }
}

/// A coordinator's description of itself, sent when it connects.
package struct CoordinatorInfo: Codable, Equatable, Sendable {
    package var name: String
    package var software: String
    /// Longest frame it accepts, in bytes.
    package var frameLimit: Int
    /// The name of its job in its log; nil if it does not report one.
    package var job: String?
    /// Its weight where several coordinators share the node; nil for 1.
    package var weight: Double?
    /// What it orders the node to do, instead of sending tasks; nil if it sends tasks.
    package var order: NodeOrder?
    /// Whether it sends calls instead of tasks; nil if not.
    package var calls: Bool?
    /// Whether it understands frames with reports of tasks; nil if not.
    package var takesReports: Bool?

    /// Weights that nodes accept; others count as the nearest of them.
    package static let weights = 0.01...100.0

    /// The nearest weight that is accepted.
    package static func accepted(_ weight: Double) -> Double {
        weight.isNaN ? 1 : min(max(weight, weights.lowerBound), weights.upperBound)
    }

    package init(
        name: String, software: String = Skyfarm.version, frameLimit: Int, job: String? = nil, weight: Double = 1
    ) {
        self.weight = weight == 1 ? nil : weight
        self.name = name
        self.software = software
        self.frameLimit = frameLimit
        self.job = job
    }
}

/// The first message in each direction. Its first 24 bytes are the same in every version of the protocol.
package struct Hello: Equatable {
    /// What follows the fixed part.
    package enum Kind: UInt8 {
        /// A coordinator's ``CoordinatorInfo``.
        case greeting = 1
        /// A node's ``NodeInfo``: the connection is open.
        case welcome = 2
        /// The reason in UTF-8: the connection is closed.
        case refusal = 3
    }

    /// Why a node refuses a connection.
    package enum Refusal: UInt8, CaseIterable {
        case otherVersion = 1
        case tooManyConnections = 2
        case draining = 3
        case malformed = 4
        case paused = 5
    }

    /// Ends like the head of an HTTP request, so that an HTTP server answers at once and can be identified.
    static let magic: [UInt8] = Array("SKYFARM\r\n\r\n\0".utf8)
    static let headerSize = 24
    /// Longest body that is accepted.
    static let bodyLimit = 1 << 16
    /// Versions of the protocol that this software speaks.
    package static let versions: ClosedRange<UInt16> = 2...2

    package var kind: Kind
    package var versions: ClosedRange<UInt16>
    package var refusal: Refusal?
    package var body: [UInt8]

    package init(_ kind: Kind, versions: ClosedRange<UInt16>, refusal: Refusal? = nil, body: [UInt8]) {
        self.kind = kind
        self.versions = versions
        self.refusal = refusal
        self.body = body
    }

    /// The bytes on the wire.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        Self.magic.withUnsafeBytes { writer.put(raw: $0) }
        writer.put(versions.lowerBound)
        writer.put(versions.upperBound)
        writer.put(kind.rawValue)
        writer.put(refusal?.rawValue ?? 0)
        writer.put(0 as UInt16)
        writer.put(UInt32(body.count))
        body.withUnsafeBytes { writer.put(raw: $0) }
        return Array(writer.bytes)
    }

    /// Reads a hello at the start of `bytes`; nil while more bytes are needed.
    /// - Throws: ``ForeignPeer`` if the bytes are not a hello of Skyfarm.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(ForeignPeer) -> (hello: Hello, size: Int)? {
        guard bytes.starts(with: magic.prefix(bytes.count)) else { throw ForeignPeer(firstBytes: bytes) }
        guard bytes.count >= headerSize else { return nil }
        let (least, most) = (bytes.u16(12), bytes.u16(14))
        let length = Int(bytes.u32(20))
        guard let kind = Kind(rawValue: bytes[16]), least <= most, length <= bodyLimit else {
            throw ForeignPeer(description: "sends a malformed hello")
        }
        guard bytes.count >= headerSize + length else { return nil }
        let body = [UInt8](bytes[headerSize..<headerSize + length])
        let refusal = Refusal(rawValue: bytes[17])
        return (Hello(kind, versions: least...most, refusal: refusal, body: body), headerSize + length)
    }
}

/// A peer that speaks another protocol.
package struct ForeignPeer: Error, Equatable, CustomStringConvertible {
    /// What it appears to be, as in "answers HTTP".
    package var description: String

    package init(description: String) { self.description = description }

    /// Guesses the protocol from a peer's first bytes.
    package init(firstBytes: UnsafeRawBufferPointer) {
        let start = String(decoding: firstBytes.prefix(16), as: UTF8.self).lowercased()
        let known = [
            ("http/", "HTTP"), ("<!doctype", "HTTP"), ("<html", "HTTP"), ("ssh-", "SSH"), ("220", "FTP or SMTP"),
            ("* ok", "IMAP"), ("+ok", "POP3"), ("\u{15}\u{03}", "TLS"),
        ]
        if let (_, name) = known.first(where: { start.hasPrefix($0.0) }) {
            description = "answers \(name)"
        } else {
            description = "answers in an unknown protocol"
        }
    }
}
