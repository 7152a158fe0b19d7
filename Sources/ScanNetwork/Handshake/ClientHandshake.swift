import ScanBasics

/// The coordinator's side of the first exchange on a connection. Pure.
package struct ClientHandshake {
    /// The result of the node's bytes so far.
    package enum Outcome: Equatable {
        /// More bytes are needed.
        case wait
        /// The connection is open; `consumed` bytes were the node's hello.
        case open(NodeInfo, version: UInt16, consumed: Int)
        /// The connection cannot be used.
        case failed(ConnectError)
    }

    private let versions: ClosedRange<UInt16>

    /// A handshake of a coordinator that speaks `versions`.
    package init(versions: ClosedRange<UInt16> = Hello.versions) { self.versions = versions }

    /// The bytes to send first.
    package func greeting(_ info: CoordinatorInfo) throws -> [UInt8] {
        Hello(.greeting, versions: versions, body: try WireEncoder().encode(info)).encoded
    }

    /// Handles `bytes`, all that were received so far.
    package func received(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        do {
            guard let (hello, size) = try Hello.decode(bytes) else { return .wait }
            switch hello.kind {
            case .refusal: return .failed(refused(hello))
            case .greeting: return .failed(ConnectError(.notANode, "is a coordinator, not a node"))
            case .welcome: break
            }
            let version = min(versions.upperBound, hello.versions.upperBound)
            guard versions.contains(version), hello.versions.contains(version) else {
                return .failed(incompatible(hello.versions))
            }
            var info = try WireDecoder().decode(NodeInfo.self, from: hello.body)
            guard info.slots > 0, info.slots <= 1 << 16, info.queueLimit >= 0, !info.name.isEmpty,
                info.frameLimit >= FrameFormat.leastFrameLimit
            else { return .failed(ConnectError(.incompatible, "sends a hello with invalid values")) }
            // Bounded, so that sums of an untrusted peer's numbers do not overflow.
            info.name = info.name.printable
            info.software = info.software.printable
            info.taskTypes = info.taskTypes.map(\.printable)
            info.tags = info.tags.map { tags in
                tags.prefix(NodeInfo.tagLimit.count).filter { $0.utf8.count <= NodeInfo.tagLimit.bytes }.map(
                    \.printable)
            }
            if let kernel = info.processors?.kernel { info.processors?.kernel = kernel.printable }
            info.arithmetic = info.arithmetic?.printable
            if let pause = info.answer?.pause { info.answer?.pause = pause.printable }
            info.queueLimit = min(info.queueLimit, 1 << 20)
            info.memory = info.memory.map { max(0, $0) }
            info.frameLimit = min(info.frameLimit, FrameFormat.greatestFrameLimit)
            return .open(info, version: version, consumed: size)
        } catch let foreign as ForeignPeer {
            return .failed(ConnectError(.notANode, "is not a skyfarm node: it \(foreign)"))
        } catch {
            return .failed(ConnectError(.incompatible, "sends a hello that cannot be read: \(error)"))
        }
    }

    /// The node ended the connection after these bytes.
    package func ended(_ bytes: UnsafeRawBufferPointer) -> ConnectError {
        if case .failed(let error) = received(bytes) { return error }
        return ConnectError(.notANode, "closed the connection without a hello; is it a skyfarm node?")
    }

    /// The node sent no complete hello within `limit`.
    package func timedOut(after limit: Duration) -> ConnectError {
        ConnectError(.notANode, "did not answer the hello within \(limit.words); is it a skyfarm node?")
    }

    private func refused(_ hello: Hello) -> ConnectError {
        let message = String(decoding: hello.body, as: UTF8.self).printable
        switch hello.refusal {
        case .otherVersion: return incompatible(hello.versions)
        case .paused: return ConnectError(.refused, message)
        case .tooManyConnections, .draining, .malformed, nil:
            return ConnectError(.refused, "refused the connection: \(message)")
        }
    }

    private func incompatible(_ theirs: ClosedRange<UInt16>) -> ConnectError {
        ConnectError(
            .incompatible,
            "speaks protocol \(theirs.words), this program \(versions.words); use the same version of skyfarm on both")
    }
}

extension ClosedRange<UInt16> {
    /// "1" or "1 to 3".
    package var words: String { lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)" }
}

extension Duration {
    /// Seconds in a short decimal form, such as "3 s".
    var words: String {
        let milliseconds = Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
