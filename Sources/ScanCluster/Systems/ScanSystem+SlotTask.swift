package import ScanSlots

extension ScanSystem {
    /// A task on a slot of this process, whether a run of this process started it or a coordinator sent it.
    /// ``ScanSystem`` gives it a slot, ``scan()`` executes it there, and ``ended(on:)`` takes it back.
    package protocol SlotTask: ScanWork, TaskReporter {
        /// Tells its scan to stop.
        var cancellation: ScanCancellation { get }
        /// Measures the scan.
        var clock: any ScanClock { get }
        /// Seconds that the scan took, and unpacking its bulk bytes, but not reading them.
        var seconds: Double { get set }

        /// Its scan begins.
        func begin()

        /// Takes the bulk bytes out of the task, or reads them if they did not come with it; nil if it has none.
        /// - Throws: why they cannot be read.
        func takeBulk() throws -> BulkBytes?

        /// The `count` bytes from which those were packed or compressed.
        /// - Throws: why they cannot be unpacked.
        func unpack(_ bytes: BulkBytes, to count: Int) throws -> BulkBytes

        /// Runs the code of the task, keeps what comes of it, and adds the time to ``seconds``.
        /// - Returns: false if the task turns out to be large, so that it has to wait for room; it then keeps the
        ///   context.
        func run(_ context: ScanContext) -> Bool

        /// The context of a task that was found to be large.
        var postponed: ScanContext? { get }

        /// The bulk bytes cannot be provided, for this reason.
        func lacksBulk(because reason: any Error)

        /// It has ended, or was skipped: hands it to ``ScanSystem/left(_:)``.
        func leave()

        /// Handles its end, on the executor of its system.
        func ended(on system: isolated ScanSystem)
    }
}

extension ScanSystem.SlotTask {
    package var isCancelled: Bool { cancellation.isCancelled }

    package func begin() {}

    package var postponed: ScanContext? { nil }

    package func scan() -> Bool {
        begin()
        do {
            // Only the context refers to the bytes, so that the task can take them out of it.
            let isDone =
                if let postponed { run(postponed) } else {
                    run(ScanContext(bulk: try bulkBytes(), cancellation: cancellation, reporter: self))
                }
            if !isDone { return false }
        } catch {
            lacksBulk(because: error)
        }
        leave()
        return true
    }

    package func skip() { leave() }

    private func bulkBytes() throws -> BulkBytes? {
        guard let bytes = try takeBulk() else { return nil }
        guard let count = bytes.unpackedCount else { return bytes }
        let start = clock.now
        defer { seconds += clock.now.since(start) / .seconds(1) }
        return try unpack(bytes, to: count)
    }
}
