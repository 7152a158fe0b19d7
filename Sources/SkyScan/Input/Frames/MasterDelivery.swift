internal import ScanBasics
package import ScanCluster
internal import ScanNetwork
internal import SkyCalibration

/// Brings masters to nodes: each of them once to each connection. A node that has those of a frame gets its raw samples as
/// they are stored, and calibrates them; until then, and if it has no room, it gets calibrated pixels.
package final class MasterDelivery: Sendable {
    private struct State {
        /// The masters of the frames so far, by key.
        var masters: [BulkKey: MasterImage] = [:]
        /// The keys of the masters that were sent, by connection.
        var sent: [ObjectIdentifier: (node: ScanSystem, keys: Set<BulkKey>)] = [:]
        var running: [Task<Void, Never>] = []
        var hasEnded = false
        /// Waits for the first deliveries.
        var settling: Task<Void, Never>?
        var follower: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let images: Int?
    private let coordinator: ScanCoordinator

    /// A delivery for a job of so many images; nil if their number is not known.
    package init(_ coordinator: ScanCoordinator, images: Int?) {
        (self.coordinator, self.images) = (coordinator, images)
    }

    /// Whether `nodes` nodes save more by raw samples than masters take: bytes that need not be sent, and the search for
    /// cosmic rays, which takes a slot about as long as a link of 1 Gbit/s takes for 8 bytes of each pixel.
    package static func isWorthwhile(
        images: Int?, nodes: Int, pixels: Int, sampleSize: Int, masterBytes: Int, searchesRays: Bool
    ) -> Bool {
        guard let images else { return true }
        let saved = pixels * (max(0, 4 - sampleSize) + (searchesRays ? 8 : 0))
        return images / (nodes + 1) * saved > masterBytes
    }

    /// A frame is about to be scanned: its masters are sent to all nodes that have not got them, and to those that join.
    package func need(_ reader: ImageReader) {
        guard let frame = reader.frame else { return }
        let nodes = coordinator.nodes
        let isNew = state.withLock { state in
            let (pixels, masters) = (reader.summary.area, frame.masters)
            let isWorthwhile = Self.isWorthwhile(
                images: images, nodes: nodes.count, pixels: pixels, sampleSize: frame.sampleSize,
                masterBytes: masters.reduce(0) { $0 + $1.image.byteCount }, searchesRays: frame.searchesRays)
            guard isWorthwhile, !state.hasEnded else { return false }
            for master in masters { state.masters[master.key] = master.image }
            return !masters.isEmpty
        }
        if isNew { Self.dispatch(state, to: nodes) }
    }

    /// Waits until the nodes that are known have what was sent to them, but not for long, and once: a scan that only nodes
    /// do begins with the masters, so that no node is thought slow for what the coordinator calibrates, and vice versa.
    package func settle(within patience: Duration = .seconds(2)) async {
        let settling = state.withLock { state in
            if let settling = state.settling { return settling }
            let running = state.running
            let settling = Task {
                let done = poll([running], within: patience) {
                    for task in $0 { await task.value }
                } late: { _ in
                }
                for await _ in done { break }
            }
            state.settling = settling
            return settling
        }
        await settling.value
    }

    /// Follows the nodes that join, until ``end()``.
    package func begin() {
        let follower = Task { [state, coordinator] in
            await coordinator.followNodes { Self.dispatch(state, to: coordinator.nodes) }
        }
        state.withLock { $0.follower = follower }
    }

    /// Ends all deliveries.
    package func end() {
        let tasks = state.withLock { state in
            state.hasEnded = true
            defer { (state.running, state.follower, state.masters, state.sent) = ([], nil, [:], [:]) }
            return state.running + [state.follower].compactMap(\.self)
        }
        for task in tasks { task.cancel() }
    }

    private static func dispatch(_ state: Locked<State>, to nodes: [ScanSystem]) {
        state.withLock { state in
            if state.hasEnded { return }
            let present = Set(nodes.map { ObjectIdentifier($0) })
            state.sent = state.sent.filter { present.contains($0.key) }
            for node in nodes {
                let known = state.sent[ObjectIdentifier(node)]?.keys ?? []
                let rest = state.masters.filter { !known.contains($0.key) }
                if rest.isEmpty { continue }
                state.sent[ObjectIdentifier(node), default: (node, [])].keys.formUnion(rest.keys)
                state.running.append(Task { await send(rest, to: node) })
            }
        }
    }

    private static func send(_ masters: [BulkKey: MasterImage], to node: ScanSystem) async {
        for (key, master) in masters {
            let task = MasterTask(pixelCount: master.pixels.count)
            let source = BulkSource(
                key: key, byteCount: master.byteCount, numberSize: MemoryLayout<Float>.size
            ) { BulkBytes(byteCount: master.byteCount) { $0.copyMemory(from: UnsafeRawBufferPointer(master.pixels)) } }
            // Without it the node gets calibrated pixels.
            _ = try? await node.run(task, attempt: 1, bulk: source)
        }
    }
}

extension ImageReader {
    /// The facts that a node needs to calibrate the frame; nil if the image is scanned as it is, or nodes cannot calibrate it.
    struct Frame: Sendable {
        var masters: [(key: BulkKey, image: MasterImage)]
        /// Bytes of a stored sample.
        var sampleSize: Int
        var searchesRays: Bool

        init?(_ files: ImageFiles) {
            guard let calibration = files.calibration, calibration.isPortable else { return nil }
            masters = calibration.masterImages.map { (Self.key(of: $0), $0) }
            sampleSize = abs(files.image.bitpix) / 8
            searchesRays = calibration.reduction.steps.rays != nil
        }

        /// The key of a master is its checksum, so that each job finds it.
        static func key(of master: MasterImage) -> BulkKey {
            BulkKey(job: checksum(of: master), index: UInt64(master.byteCount))
        }

        static func checksum(of master: MasterImage) -> UInt64 {
            master.knownChecksum.withLock { known in
                if let known { return known }
                let sum = ScanNetwork.checksum(UnsafeRawBufferPointer(master.pixels))
                known = sum
                return sum
            }
        }
    }
}
