import ScanBasics
import ScanCluster
import ScanNetwork
import ScanSecurity

/// A call about a result that a process keeps. A node that is paused runs no tasks, but answers calls.
struct KeptCall: Codable {
    /// The wanted action.
    enum Action: Codable {
        /// Send the coded result from this byte on.
        case fetch(from: Int)
        /// Forget the result.
        case release
    }

    /// The answer of the process.
    struct Reply: Codable {
        /// Why the call was not understood.
        var error: String?
        /// Bytes of the whole result; nil if it is not kept.
        var count: Int?
        /// A part of them.
        var bytes: [UInt8] = []
    }

    /// A way to call the node at an address; it returns nil if that does not answer.
    typealias Caller = @Sendable (_ address: String, _ body: [UInt8]) async -> [UInt8]?

    var handle: KeptHandle
    var action: Action

    /// Most bytes of a part: less than a reply may have.
    static let partLimit = 8 << 20
    /// It distinguishes such a call from those that the node's program answers.
    private static let prefix = Array("kept/1 ".utf8)

    // MARK: The process that keeps results

    /// Answers calls about kept results, and has `next` answer all others.
    static func answering(
        before next: (@Sendable ([UInt8], NodeServer.Peer) async -> [UInt8])?
    ) -> @Sendable ([UInt8], NodeServer.Peer) async -> [UInt8] {
        { body, peer in
            guard body.starts(with: prefix) else { return await next?(body, peer) ?? coded(unknown) }
            guard let call = try? WireDecoder().decode(KeptCall.self, from: Array(body.dropFirst(prefix.count))) else {
                return coded(unknown)
            }
            return coded(call.answer(from: .ofThisProcess))
        }
    }

    private static let unknown = Reply(error: "this node answers calls about results that it keeps, and no others")

    private static func coded(_ reply: Reply) -> [UInt8] { (try? WireEncoder().encode(reply)) ?? [] }

    private func answer(from store: KeptStore) -> Reply {
        switch action {
        case .release:
            store.remove(handle)
            return Reply()
        case .fetch(let start):
            guard start >= 0, let result = store.find(handle) else { return Reply() }
            let part = result.withUnsafeBytes { [UInt8]($0.dropFirst(start).prefix(Self.partLimit)) }
            return Reply(count: result.count, bytes: part)
        }
    }

    // MARK: The coordinator

    /// Fetches a result of `count` bytes, part by part.
    /// - Returns: its bytes; nil if the node does not answer, or does not keep it.
    static func fetch(
        _ handle: KeptHandle, count: Int, at address: String, by call: Caller
    ) async -> [UInt8]? {
        var bytes: [UInt8] = []
        repeat {
            let reply = await KeptCall(handle: handle, action: .fetch(from: bytes.count)).send(to: address, by: call)
            guard let reply, reply.count == count, reply.bytes.count <= count - bytes.count,
                !reply.bytes.isEmpty || count == 0
            else { return nil }
            bytes += reply.bytes
        } while bytes.count < count
        return bytes
    }

    /// Sends the call.
    /// - Returns: the reply; nil if there is none.
    @discardableResult
    func send(to address: String, by call: Caller) async -> Reply? {
        guard let body = try? WireEncoder().encode(self), let reply = await call(address, Self.prefix + body) else {
            return nil
        }
        return try? WireDecoder().decode(Reply.self, from: reply)
    }
}

/// Calls nodes by their addresses, each time over a connection of its own.
struct NodeCaller: Sendable {
    /// An address that took longer to fail is left alone for a while, so that hundreds of calls do not wait for it.
    private static let patience = Duration.seconds(1)
    private static let wait = Duration.seconds(15)

    let keys: Locked<KeyRing>
    let options: RemoteNodes.Options
    let loop: EventLoop
    private let silent = Locked<[String: Instant]>([:])

    init(_ keys: Locked<KeyRing>, _ options: RemoteNodes.Options, on loop: EventLoop) {
        (self.keys, self.options, self.loop) = (keys, options, loop)
    }

    /// Calls the node at `address`.
    /// - Returns: its reply; nil if there is none.
    func call(_ address: String, _ body: [UInt8]) async -> [UInt8]? {
        let start = loop.now
        if silent.withLock({ $0[address].map { start < $0 } ?? false }) { return nil }
        guard let target = try? SocketAddress(parsing: address) else { return nil }
        do {
            let calls = try await NodeCalls.connect(
                to: [target], keys: keys.withLock { $0 }, options: options, loop: loop)
            defer { calls.close() }
            return try await calls.call(body)
        } catch {
            let now = loop.now
            if now.since(start) >= Self.patience {
                silent.withLock { $0[address] = now.advanced(by: Self.wait) }
            }
            return nil
        }
    }
}
