package import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Delivers signals of this process as events. While the object exists, the signals do not end the process; afterwards
/// their previous handlers are restored.
package final class SignalEvents: @unchecked Sendable {
    // Sendable: nothing changes after `init`; the sources may be cancelled from any thread.
    private let sources: [any DispatchSourceSignal]
    private let previous: [(number: Int32, handler: (@convention(c) (Int32) -> Void)?)]

    /// Calls `handle` on `queue` with the number of each signal. Signals in `optional` that are ignored stay ignored,
    /// such as SIGHUP under nohup.
    package init(
        _ numbers: [Int32], unlessIgnored optional: Set<Int32> = [], queue: DispatchQueue,
        handle: @escaping @Sendable (Int32) -> Void
    ) {
        let registrations = DispatchGroup()
        var previous: [(Int32, (@convention(c) (Int32) -> Void)?)] = []
        sources = numbers.compactMap { number in
            let handler = signal(number, SIG_IGN)
            if optional.contains(number), Self.isIgnore(handler) { return nil }
            previous.append((number, handler))
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in handle(number) }
            registrations.enter()
            source.setRegistrationHandler { @Sendable in registrations.leave() }
            source.activate()
            return source
        }
        self.previous = previous
        // Signals are ignored, and lost, until Dispatch has registered its sources.
        registrations.wait()
    }

    deinit {
        for source in sources { source.cancel() }
        for (number, handler) in previous { signal(number, handler) }
    }

    /// Whether a handler is SIG_IGN. C compares handlers as addresses, which Swift's function types do not offer.
    private static func isIgnore(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
