/// Carries attempts to the scan threads of this process. May be called from any thread; completions are called on a
/// scan thread.
///
/// A cancelled scan occupies its thread until it ends. Until then it is *abandoned*, and its slot counts as taken.
final class LocalTransport: ScanTransport {
    private struct State {
        var serial: UInt64 = 0
        /// Scans that were submitted and not cancelled.
        var awaited: [UInt64: LocalScan] = [:]
        /// Scans that were cancelled and have not ended.
        var abandoned = 0
        var observer: (@Sendable () -> Void)?
    }
    private let state = Locked(State())
    let threads: ScanThreads
    private let clock: any ScanClock
    /// Nil: the bytes are not packed.
    private let unpacker: (any BulkUnpacker)?

    init(_ threads: ScanThreads, clock: any ScanClock, unpacker: (any BulkUnpacker)? = nil) {
        self.threads = threads
        self.clock = clock
        self.unpacker = unpacker
    }

    func payloads(of source: BulkSource) -> [Payload] {
        Payload.order(of: source, holdsKey: false, packing: unpacker == nil ? .deferred : .local)
    }

    /// Slots that are held by abandoned scans.
    var abandoned: Int { state.withLock { $0.abandoned } }

    /// Calls `observer` after each change of ``abandoned``.
    func observe(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.observer = observer } }

    func start(_ request: consuming AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle {
        // Only the context refers to the bytes, so that the task can take them out of it.
        let scan = LocalScan(request.task, request.bulk.take(), unpacker, clock: clock) { serial, outcome, output in
            if self.ended(serial) { completion(outcome, output) }
        }
        state.withLock { state in
            state.serial += 1
            scan.serial = state.serial
            state.awaited[state.serial] = scan
        }
        let handle = AttemptHandle(rawValue: scan.serial)
        threads.submit(scan)
        return handle
    }

    func cancel(_ handle: AttemptHandle) {
        let (scan, observer) = state.withLock { state -> (LocalScan?, (@Sendable () -> Void)?) in
            let scan = state.awaited.removeValue(forKey: handle.rawValue)
            if scan != nil { state.abandoned += 1 }
            return (scan, scan == nil ? nil : state.observer)
        }
        scan?.cancellation.cancel()
        observer?()
    }

    func close() { threads.close() }

    /// - Returns: whether the scan was not cancelled.
    private func ended(_ serial: UInt64) -> Bool {
        let (isAwaited, observer) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            if state.awaited.removeValue(forKey: serial) != nil { return (true, nil) }
            state.abandoned -= 1
            return (false, state.observer)
        }
        observer?()
        return isAwaited
    }
}

/// One scan of a ``LocalTransport``.
private final class LocalScan: ScanWork, @unchecked Sendable {
    // Sendable: `serial` is written before a thread gets the scan.
    var serial: UInt64 = 0
    let cancellation = ScanCancellation()
    private let task: any ScanTask
    private let context: ScanContext
    private let unpacker: (any BulkUnpacker)?
    private let clock: any ScanClock
    private let completion: @Sendable (UInt64, AttemptOutcome, PlainOutput?) -> Void

    init(
        _ task: any ScanTask, _ bulk: consuming BulkBytes?, _ unpacker: (any BulkUnpacker)?, clock: any ScanClock,
        completion: @escaping @Sendable (UInt64, AttemptOutcome, PlainOutput?) -> Void
    ) {
        self.task = task
        context = ScanContext(bulk: bulk, cancellation: cancellation)
        self.unpacker = unpacker
        self.clock = clock
        self.completion = completion
    }

    var isCancelled: Bool { cancellation.isCancelled }

    func scan() {
        // Unpacking is work of the task; reading is not.
        var start = clock.now
        let result: Result<PlainOutput, any Error>
        let context: ScanContext
        do {
            let isDeferred = self.context.bulk?.read != nil
            context = try isDeferred ? read() : unpacked()
            if isDeferred { start = clock.now }
        } catch {
            // They are read again as they are, which gives the error its words.
            return completion(serial, .error(ScanError(.bulkMissing, "cannot provide the bytes: \(error)")), nil)
        }
        do {
            result = .success(try Self.run(task, context))
        } catch {
            result = .failure(error)
        }
        let seconds = clock.now.since(start) / .seconds(1)
        switch result {
        case .success(let output): completion(serial, .finished(seconds: seconds), output)
        case .failure(let error): completion(serial, .failed("\(error)", seconds: seconds), nil)
        }
    }

    /// The context with bytes that are read now.
    private func read() throws -> ScanContext {
        guard let read = context.takeBulk()?.read else { return context }
        return ScanContext(bulk: try read(), cancellation: cancellation)
    }

    /// The context with bytes that are not packed.
    private func unpacked() throws -> ScanContext {
        guard let unpacker, let count = context.bulk?.unpackedCount, let packed = context.takeBulk() else {
            return context
        }
        return ScanContext(bulk: try unpacker.unpack(packed, to: count), cancellation: cancellation)
    }

    private static func run(_ task: some ScanTask, _ context: ScanContext) throws -> PlainOutput {
        PlainOutput(try task.scan(context))
    }

    func skip() { completion(serial, .error(ScanError(.systemLost, "was stopped before the scan began")), nil) }
}
