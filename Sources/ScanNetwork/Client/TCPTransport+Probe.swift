import ScanCluster

// A link is measured before bulk bytes are read for it: for a slow link they would be read in vain.
extension TCPTransport {
    /// Bytes that are sent to measure a link, 80 ms at 100 Mbit/s: more than the buffers of a network take at once.
    private static let probeSize = 1 << 20
    /// Stands for the number of the request.
    static let probe = BulkLink.probe
    /// All bytes of the task that a probe seems to be, and those that are sent: all but the last.
    private static let (whole, sent) = (zeros(probeSize + 1), zeros(probeSize))
    /// Time between two looks at what was acknowledged.
    private static let interval = Duration.milliseconds(2)

    /// Bytes of a probe of the link to a node; 0 if it cannot be cancelled, or if there is no link.
    static func probeCount(of node: NodeInfo, over connection: Connection) -> Int {
        node.takesParts == true && !connection.isLocal ? probeSize : 0
    }

    /// Sends a task without its last byte and cancels it, so that the node has nothing to do. Until it has the bytes, its
    /// system gets no others (``BulkLink/isProbed``).
    func probeLink() {
        connection.loop.assertOnLoop()
        probeStart = connection.loop.now
        connection.send {
            $0.putTask(
                request: Self.probe, attempt: 1, scanner: "probe", task: UnsafeRawBufferPointer(start: nil, count: 0),
                key: nil, bulk: Self.whole, isParted: true)
        }
        connection.send(bulk: Self.sent, inPartsOf: Self.probe)
        watch(Self.probe, Self.probe, Self.probeSize)
    }

    private static func zeros(_ count: Int) -> BulkBytes {
        BulkBytes(byteCount: count) { bytes in _ = bytes.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    /// The socket has taken all bytes of the probe.
    func probeWritten() {
        connection.send { $0.putCancel(request: Self.probe) }
        awaitDelivery(of: connection.sentCount)
    }

    private func awaitDelivery(of count: Int) {
        guard state.refusal == nil else { return }
        if connection.deliveredCount >= count {
            if let probeStart {
                let seconds = connection.loop.now.since(probeStart) / .seconds(1)
                rate.learn(Double(Self.probeSize) / max(1e-6, seconds))
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
