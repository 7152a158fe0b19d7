import ScanCluster

/// The node's side of the first exchange on a connection. Pure.
package struct ServerHandshake {
    /// The result of the peer's bytes so far.
    package enum Outcome: Equatable {
        /// More bytes are needed.
        case wait
        /// Send `reply`, and the connection is open; `consumed` bytes were the peer's hello.
        case open(CoordinatorInfo, reply: [UInt8], consumed: Int)
        /// Carry out the peer's order, send the ``ServerHandshake/reply(to:)``, and close.
        case obey(NodeOrder, CoordinatorInfo)
        /// Send `reply` and close; `reason` is for the log.
        case refuse(reply: [UInt8], reason: String)
    }

    private let versions: ClosedRange<UInt16>
    private let node: NodeInfo
    private let obstacle: (refusal: Hello.Refusal, message: String)?

    /// A handshake of a node that speaks `versions`, and refuses the connection if there is an obstacle.
    package init(
        node: NodeInfo, versions: ClosedRange<UInt16> = Hello.versions,
        obstacle: (refusal: Hello.Refusal, message: String)? = nil
    ) {
        self.node = node
        self.versions = versions
        self.obstacle = obstacle
    }

    /// Handles `bytes`, all that were received so far.
    package func received(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        do {
            guard let (hello, size) = try Hello.decode(bytes) else { return .wait }
            guard hello.kind == .greeting else { return refuse(.malformed, "a hello of the wrong kind") }
            let version = min(versions.upperBound, hello.versions.upperBound)
            guard versions.contains(version), hello.versions.contains(version) else {
                let both = "it speaks protocol \(hello.versions.words), this node \(versions.words)"
                return refuse(.otherVersion, both)
            }
            // A paused node still takes orders and calls.
            if let obstacle, obstacle.refusal != .paused { return refuse(obstacle.refusal, obstacle.message) }
            var info = try WireDecoder().decode(CoordinatorInfo.self, from: hello.body)
            guard info.frameLimit >= FrameFormat.leastFrameLimit else {
                return refuse(.malformed, "a frame limit of \(info.frameLimit)")
            }
            info.name = info.name.printable
            info.software = info.software.printable
            info.job = info.job.map { String($0.printable.prefix(64)) }
            info.weight = info.weight.map(CoordinatorInfo.accepted)
            info.frameLimit = min(info.frameLimit, FrameFormat.greatestFrameLimit)
            if let order = info.order { return .obey(order, info) }
            if let obstacle, !(info.calls == true && node.answersCalls == true) {
                return refuse(obstacle.refusal, obstacle.message)
            }
            return .open(info, reply: try welcome(node), consumed: size)
        } catch let foreign as ForeignPeer {
            return refuse(.malformed, "this is a skyfarm node; the peer \(foreign)")
        } catch {
            return refuse(.malformed, "a hello that cannot be read: \(error)")
        }
    }

    /// The bytes that answer an order.
    package func reply(to order: NodeOrder, _ answer: NodeOrder.Answer) throws -> [UInt8] {
        var node = node
        node.answer = answer
        return try welcome(node)
    }

    private func welcome(_ node: NodeInfo) throws -> [UInt8] {
        Hello(.welcome, versions: versions, body: try WireEncoder().encode(node)).encoded
    }

    /// The peer sent no complete hello within `limit`.
    package func timedOut(after limit: Duration) -> Outcome {
        refuse(.malformed, "no hello within \(limit.words)")
    }

    private func refuse(_ refusal: Hello.Refusal, _ message: String) -> Outcome {
        let reply = Hello(.refusal, versions: versions, refusal: refusal, body: Array(message.utf8)).encoded
        return .refuse(reply: reply, reason: message)
    }
}
