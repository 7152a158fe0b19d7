package import ScanCompression

/// Requests whose bulk bytes wait for a link. Decides which is sent next, and which are compressed before that, and how:
/// those that the node then has sooner, by the measured rates of the link and of each method, while the node has nothing
/// to do. Pure.
package struct LinkQueue: Sendable {
    /// What the caller must do.
    package enum Action: Equatable, Sendable {
        /// Send the request, compressed if it was. It leaves the queue.
        case send(UInt64)
        /// Compress its bulk bytes, and report that with ``compressed(_:_:from:to:seconds:)``.
        case compress(UInt64, BulkCompression.Method)
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
        /// Bytes that each thread of the compressor is to compress first, also for other links.
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
        /// How they can be compressed.
        var methods: [BulkCompression.Method]
        var phase = Phase.plain
    }

    private let use: Use
    private var items: [Item] = []
    private var speeds: [BulkCompression.Method: CompressionSpeed] = [:]
    /// Requests that were sent uncompressed since the compression was measured.
    private var unmeasured = 0
    /// Requests that seemed to be scaled integers and were none.
    private var misjudged = 0
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
    /// Requests that may be misjudged before none is compressed as scaled integers any more.
    private static let misjudgedLimit = 4

    package init(_ use: Use = .asMeasured) { self.use = use }

    package var isEmpty: Bool { items.isEmpty }

    /// Adds a request with `count` bulk bytes. `isScaled`: they seem to be floats that are scaled integers, and the node
    /// expands such.
    package mutating func add(_ request: UInt64, count: Int, isScaled: Bool = false) {
        let isScaled = isScaled && misjudged < Self.misjudgedLimit
        items.append(Item(request: request, count: count, methods: isScaled ? [.bits, .integers] : [.planes]))
    }

    package mutating func remove(_ request: UInt64) { items.removeAll { $0.request == request } }

    /// The bulk bytes of a request were compressed in `seconds` of one thread, to `count` bytes; nil if they are no
    /// shorter. The request may have been removed.
    package mutating func compressed(
        _ request: UInt64, _ method: BulkCompression.Method = .planes, from plainCount: Int, to count: Int?,
        seconds: Double
    ) {
        unmeasured = 0
        let index = items.firstIndex { $0.request == request }
        guard count != nil || method == .planes else {
            misjudged += 1
            guard let index else { return }
            (items[index].methods, items[index].phase) = ([.planes], .plain)
            return
        }
        let measured = CompressionSpeed(
            bytesPerSecond: Double(plainCount) / max(seconds, 1e-6),
            ratio: Double(plainCount) / Double(max(1, count ?? plainCount)))
        speeds[method] = speeds[method].map { $0.mean(with: measured) } ?? measured
        guard let index else { return }
        items[index].phase = .done
        items[index].count = count ?? plainCount
    }

    /// The next action; nil if there is nothing to do until something changes. Call until it is nil.
    package mutating func next(_ link: Link) -> Action? {
        var before = link.waiting
        for index in items.indices.prefix(Self.ahead) {
            if case .plain = items[index].phase, let method = method(for: items[index], after: before, link) {
                items[index].phase = .compressing
                return .compress(items[index].request, method)
            }
            before += items[index].count
        }
        guard let first = items.first, link.waiting < Self.lowWater || isFast(link, for: first) else { return nil }
        if case .compressing = first.phase { return nil }
        items.removeFirst()
        if link.rate == nil { sentUntried += 1 }
        if case .plain = first.phase {
            unmeasured += 1
            if unmeasured >= Self.trust { speeds = [:] }
        }
        return .send(first.request)
    }

    private func isFast(_ link: Link, for item: Item) -> Bool {
        guard let rate = link.rate else { return sentUntried > Self.untried }
        return item.methods.allSatisfy { rate > Self.fastShare * speed($0).bytesPerSecond }
    }

    private func speed(_ method: BulkCompression.Method) -> CompressionSpeed { speeds[method] ?? .assumed(method) }

    /// How the bytes of an item that follow `before` others are compressed so that they arrive soonest; nil if they arrive
    /// about as soon as they are.
    private func method(for item: Item, after before: Int, _ link: Link) -> BulkCompression.Method? {
        switch use {
        case .never: return nil
        case .always: return item.methods.first
        case .asMeasured: break
        }
        guard link.isStarved, !isFast(link, for: item), let rate = link.rate, rate > 0 else { return nil }
        let (count, turn) = (Double(item.count), Double(before) / rate)
        func arrival(_ method: BulkCompression.Method) -> Double {
            let speed = speed(method)
            return max(turn, (Double(link.backlog) + count) / speed.bytesPerSecond) + count / (speed.ratio * rate)
        }
        let plain = turn + count / rate
        guard let best = item.methods.min(by: { arrival($0) < arrival($1) }) else { return nil }
        return plain - arrival(best) > Self.leastGain * count / rate ? best : nil
    }
}

/// What compression was measured to give.
private struct CompressionSpeed {
    /// Uncompressed bytes per second of one thread.
    var bytesPerSecond: Double
    /// Uncompressed bytes over compressed ones.
    var ratio: Double

    /// Before anything was measured: less than a processor gives for calibrated images.
    static func assumed(_ method: BulkCompression.Method) -> CompressionSpeed {
        switch method {
        case .planes: CompressionSpeed(bytesPerSecond: 200e6, ratio: 1.25)
        case .bits: CompressionSpeed(bytesPerSecond: 2e9, ratio: 2)
        case .integers: CompressionSpeed(bytesPerSecond: 200e6, ratio: 2.5)
        }
    }

    /// Of this and a later measurement.
    func mean(with other: CompressionSpeed) -> CompressionSpeed {
        CompressionSpeed(
            bytesPerSecond: 2 / (1 / bytesPerSecond + 1 / other.bytesPerSecond),
            ratio: 2 / (1 / ratio + 1 / other.ratio))
    }
}
