import ScanCluster
import ScanCompression

// Bulk bytes that wait for the link, where they may be compressed; ``LinkQueue`` decides.
extension TCPTransport {
    /// Keeps a request until the link has room for its bulk bytes.
    func hold(_ request: UInt64, _ attempt: AttemptRequest) {
        held[request] = attempt
        let isScaled =
            state.expandsScaled && attempt.numberSize == MemoryLayout<Float>.size
            && attempt.bulk.map(BulkCompression.isScaled) == true
        queue.add(request, count: attempt.bulk?.count ?? 0, isScaled: isScaled)
        connection.progressed = { [weak self] in self?.advance() }
        advance()
    }

    /// Reports how the bulk bytes of a request are sent in parts.
    func watch(_ request: UInt64, _ ticket: UInt64, _ count: Int) {
        sending.append((request, ticket))
        if ticket > 0 { onLink(.init(transfer: (ticket, count))) }
        connection.progressed = { [weak self] in self?.advance() }
    }

    /// Reports which parts were written since the last time.
    private func reportParts() {
        let front = connection.frontParts
        while let first = sending.first, first.request != front?.request {
            sending.removeFirst()
            if first.request == Self.probe {
                endProbe()
            } else {
                onLink(.init(transfer: (first.ticket, 0), rate: rate.bytesPerSecond))
            }
        }
        guard let first = sending.first, let front, first.ticket > 0 else { return }
        onLink(
            .init(
                transfer: (first.ticket, front.left), rate: rate.bytesPerSecond, roundTrip: connection.socketRoundTrip))
    }

    func linkBecame(isFull: Bool) {
        rate.note(isFull: isFull, delivered: connection.deliveredCount, at: connection.loop.now)
    }

    /// Sends and compresses what the queue decides.
    func advance() {
        rate.measure(delivered: connection.deliveredCount, at: connection.loop.now)
        if !sending.isEmpty { reportParts() }
        while let action = queue.next(link) {
            switch action {
            case .send(let request): release(request)
            case .compress(let request, let method): compress(request, method)
            }
        }
        if held.isEmpty, sending.isEmpty { connection.progressed = nil }
    }

    private var link: LinkQueue.Link {
        // Tasks whose bytes have left are at the node.
        let arrived = state.waiting - held.count - connection.waitingBulkCount
        return LinkQueue.Link(
            waiting: connection.waitingCount, rate: rate.bytesPerSecond, isStarved: arrived < node.slots,
            backlog: compressor?.backlog ?? 0)
    }

    private func release(_ request: UInt64) {
        guard let attempt = held.removeValue(forKey: request), let bulk = attempt.bulk else { return }
        do {
            try encoder.encode(attempt.task) { bytes in
                state.sends(request, bulk, task: checksum(bytes))
                put(attempt, type(of: attempt.task).typeName, bytes, as: request, nil)
            }
        } catch {
            // It was encoded before, to see whether it fits.
            let words = "the task cannot be sent: \(String(words: error))"
            withdraw(request, as: .failed(words))
        }
    }

    private func compress(_ request: UInt64, _ method: BulkCompression.Method) {
        guard let compressor, let attempt = held[request], let bulk = attempt.bulk, let width = attempt.numberSize
        else { return }
        let (loop, count) = (connection.loop, bulk.count)
        compressor.compress(bulk, width: width, method: method) { [weak self] compressed, seconds in
            loop.execute { [weak self] in self?.compressed(request, method, from: count, compressed, seconds: seconds) }
        }
    }

    private func compressed(
        _ request: UInt64, _ method: BulkCompression.Method, from count: Int, _ bytes: BulkBytes?, seconds: Double
    ) {
        if let bytes { held[request]?.bulk = bytes }
        queue.compressed(request, method, from: count, to: bytes?.count, seconds: seconds)
        advance()
    }

    /// The node takes no more tasks: those that wait are not sent.
    func withdrawHeld() {
        guard let refusal = state.refusal else { return }
        for request in held.keys.sorted() {
            held[request] = nil
            queue.remove(request)
            withdraw(request, as: .error(refusal))
        }
    }

    /// Completes a request that was not sent, but not from inside the call that leads here.
    private func withdraw(_ request: UInt64, as outcome: AttemptOutcome) {
        guard let completion = state.withdraw(request) else { return }
        connection.loop.execute { completion.call(outcome, nil) }
    }
}
