/// Requests whose bulk bytes wait for a link. Decides which is sent next, and which are compressed before that: those that
/// the node then has sooner, by the measured rates of the link and of the compression, while the node has nothing to do.
/// Pure.
package struct LinkQueue: Sendable {
    /// What the caller must do.
    package enum Action: Equatable, Sendable {
        /// Send the request, compressed if it was. It leaves the queue.
        case send(UInt64)
        /// Compress its bulk bytes, and report that with ``compressed(_:to:seconds:)``.
        case compress(UInt64)
    }

    /// When bulk bytes are compressed.
    package enum Use: Sendable {
        case never
        /// If the node has them sooner.
        case asMeasured
        /// For tests: also over the loopback interface.
        case always
    }

    /// The link, as it is when something is decided.
    package struct Link: Sendable {
        /// Bytes that were handed to the connection and that its socket has not taken.
        package var waiting: Int
        /// Bytes per second that it takes; nil if unknown.
        package var rate: Double?
        /// Whether the node has slots without a task.
        package var isStarved: Bool
        /// Bytes that are to be compressed first, also for other links.
        package var backlog: Int

        package init(waiting: Int, rate: Double?, isStarved: Bool, backlog: Int) {
            (self.waiting, self.rate, self.isStarved, self.backlog) = (waiting, rate, isStarved, backlog)
        }
    }

    private enum Phase {
        /// As the bytes were read. Goes to `compressing`.
        case plain
        /// Goes to `done`.
        case compressing
        /// Compressed, or found to be incompressible.
        case done
    }

    private struct Item {
        let request: UInt64
        /// Bytes that will be sent, as far as is known.
        var count: Int
        var phase = Phase.plain
    }

    private let use: Use
    private var items: [Item] = []
    private var speed: CompressionSpeed?
    /// Requests that were sent uncompressed since the compression was measured.
    private var unmeasured = 0
    /// Requests that were sent before the link's rate was known.
    private var sentUntried = 0

    /// Bytes that a connection holds so that its socket is never without any.
    private static let lowWater = 2 << 20
    /// Requests at the front that may be compressed: the memory of compressed bytes is not part of a budget.
    private static let ahead = 2
    /// A link that takes this share of the bytes per second that one thread compresses is not the bottleneck: the
    /// processors have better work. Bytes for it do not wait.
    private static let fastShare = 0.75
    /// Requests after which a link is fast if its rate was never measured, since its socket was never full.
    private static let untried = 4
    /// Share of the time of a transfer that compression must save.
    private static let leastGain = 0.1
    /// Requests after which an old measurement is forgotten: the processors may have other work by then.
    private static let trust = 32

    /// An empty queue.
    package init(_ use: Use = .asMeasured) { self.use = use }

    /// Whether nothing waits.
    package var isEmpty: Bool { items.isEmpty }

    /// Adds a request with `count` bulk bytes.
    package mutating func add(_ request: UInt64, count: Int) { items.append(Item(request: request, count: count)) }

    /// Removes a request.
    package mutating func remove(_ request: UInt64) { items.removeAll { $0.request == request } }

    /// The bulk bytes of a request were compressed in `seconds` of one thread, to `count` bytes; nil if they are no
    /// shorter. The request may have been removed.
    package mutating func compressed(_ request: UInt64, from plainCount: Int, to count: Int?, seconds: Double) {
        let measured = CompressionSpeed(
            bytesPerSecond: Double(plainCount) / max(seconds, 1e-6),
            ratio: Double(plainCount) / Double(max(1, count ?? plainCount)))
        speed = speed.map { $0.mean(with: measured) } ?? measured
        unmeasured = 0
        guard let index = items.firstIndex(where: { $0.request == request }) else { return }
        items[index].phase = .done
        items[index].count = count ?? plainCount
    }

    /// The next action; nil if there is nothing to do until something changes. Call until it is nil.
    package mutating func next(_ link: Link) -> Action? {
        var before = link.waiting
        for index in items.indices.prefix(Self.ahead) {
            if case .plain = items[index].phase, isWorthCompressing(items[index].count, after: before, link) {
                items[index].phase = .compressing
                return .compress(items[index].request)
            }
            before += items[index].count
        }
        guard let first = items.first, link.waiting < Self.lowWater || isFast(link) else { return nil }
        if case .compressing = first.phase { return nil }
        items.removeFirst()
        if link.rate == nil { sentUntried += 1 }
        if case .plain = first.phase {
            unmeasured += 1
            if unmeasured >= Self.trust { speed = nil }
        }
        return .send(first.request)
    }

    private func isFast(_ link: Link) -> Bool {
        guard let rate = link.rate else { return sentUntried > Self.untried }
        return rate > Self.fastShare * (speed ?? .assumed).bytesPerSecond
    }

    /// Whether `count` bytes that follow `before` others arrive sooner if they are compressed first.
    private func isWorthCompressing(_ count: Int, after before: Int, _ link: Link) -> Bool {
        switch use {
        case .never: return false
        case .always: return true
        case .asMeasured: break
        }
        guard link.isStarved, !isFast(link), let rate = link.rate, rate > 0 else { return false }
        let speed = speed ?? .assumed
        let (count, turn) = (Double(count), Double(before) / rate)
        let ready = (Double(link.backlog) + count) / speed.bytesPerSecond
        let plain = turn + count / rate
        let compressed = max(turn, ready) + count / (speed.ratio * rate)
        return plain - compressed > Self.leastGain * count / rate
    }
}

/// What compression was measured to give.
private struct CompressionSpeed {
    /// Uncompressed bytes per second of one thread.
    var bytesPerSecond: Double
    /// Uncompressed bytes over compressed ones.
    var ratio: Double

    /// Before anything was measured: less than a processor gives for calibrated images.
    static let assumed = CompressionSpeed(bytesPerSecond: 200e6, ratio: 1.25)

    /// Of this and a later measurement.
    func mean(with other: CompressionSpeed) -> CompressionSpeed {
        CompressionSpeed(
            bytesPerSecond: 2 / (1 / bytesPerSecond + 1 / other.bytesPerSecond),
            ratio: 2 / (1 / ratio + 1 / other.ratio))
    }
}
