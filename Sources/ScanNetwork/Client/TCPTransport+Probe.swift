import ScanCluster

// Measures a link before bulk bytes are read for it, since bytes for a link that is too slow would be read for nothing.
extension TCPTransport {
    /// Bytes that are sent to measure a link, 80 ms at 100 Mbit/s: more than the buffers of a network take at once.
    private static let probeSize = 1 << 20
    /// Stands for the number of the request.
    static let probe = BulkLink.probe
    /// All bytes of the task that a probe seems to be, and those that are sent: all but the last.
    private static let (whole, sent) = (zeros(probeSize + 1), zeros(probeSize))
    /// Time between two looks at what was acknowledged.
    private static let interval = Duration.milliseconds(2)
    /// Time after which no more of a probe is sent: a slow link would be busy with it for longer than it is worth.
    private static let longest = Duration.milliseconds(100)
    /// Round trips that a probe may take at least, since TCP doubles its rate once in each.
    private static let roundTrips = 8.0

    /// Bytes of a probe of the link to a node; 0 if it cannot be cancelled, or if there is no link.
    static func probeCount(of node: NodeInfo, over connection: Connection) -> Int {
        node.takesParts == true && !connection.isLocal ? probeSize : 0
    }

    /// Sends a task without its last byte and cancels it, so that the node has nothing to do. Until it has the bytes, its
    /// system gets no others (``BulkLink/isProbed``).
    func probeLink() {
        connection.loop.assertOnLoop()
        let now = connection.loop.now
        probeStart = (now, connection.deliveredCount)
        connection.send {
            $0.putTask(
                request: Self.probe, attempt: 1, typeName: "probe", task: UnsafeRawBufferPointer(start: nil, count: 0),
                key: nil, bulk: Self.whole, isParted: true)
        }
        connection.send(bulk: Self.sent, inPartsOf: Self.probe)
        watch(Self.probe, Self.probe, Self.probeSize)
        let trips = Duration.seconds(Self.roundTrips * (connection.socketRoundTrip ?? 0))
        _ = connection.loop.schedule(at: now.advanced(by: max(Self.longest, trips))) { [weak self] in
            if let self, sending.contains(where: { $0.request == Self.probe }) { endProbe() }
        }
    }

    private static func zeros(_ count: Int) -> BulkBytes {
        BulkBytes(byteCount: count) { bytes in _ = bytes.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    /// The socket has taken all bytes of the probe, or no more of them are to be sent.
    func endProbe() {
        stopSending(Self.probe)
        awaitDelivery(of: connection.sentCount)
    }

    private func awaitDelivery(of count: Int) {
        guard state.refusal == nil else { return }
        if connection.deliveredCount >= count {
            if let probeStart {
                let seconds = connection.loop.now.since(probeStart.instant) / .seconds(1)
                rate.learn(max(connection.deliveryRate, Double(count - probeStart.delivered) / max(1e-6, seconds)))
            }
            return onLink(
                .init(
                    transfer: (Self.probe, 0), rate: rate.bytesPerSecond, roundTrip: connection.socketRoundTrip))
        }
        _ = connection.loop.schedule(at: connection.loop.now.advanced(by: Self.interval)) { [weak self] in
            self?.awaitDelivery(of: count)
        }
    }
}
