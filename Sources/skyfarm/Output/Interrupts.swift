import Dispatch
import Foundation

/// SIGINT, SIGTERM and SIGHUP as values: the first asks for an orderly end, a second SIGINT ends the process at once.
///
/// From its creation on the process no longer dies of these signals by itself. Keep it alive as long as the work.
final class Interrupts: @unchecked Sendable {
    // Sendable: nothing changes after `init`; the sources may be cancelled from any thread.
    /// The signals that came, in order.
    let signals: AsyncStream<Signal>
    private let sources: [any DispatchSourceSignal]

    enum Signal: Int32, CaseIterable, Sendable {
        case interrupt = 2
        case terminate = 15
        case hangUp = 1

        var exitCode: ExitCode { self == .interrupt ? .interrupted : .terminated }
    }

    /// - Parameter beforeExit: Restores the terminal when a second SIGINT ends the process.
    init(beforeExit: @escaping @Sendable () -> Void) {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        signals = stream
        // One serial queue for all, so that the count of interrupts needs no lock.
        let queue = DispatchQueue(label: "skyfarm.signals")
        sources = Signal.allCases.map { signal in
            Foundation.signal(signal.rawValue, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: queue)
            let repeats = InterruptCount()
            source.setEventHandler { @Sendable in
                if signal == .interrupt, repeats.isRepeated() {
                    beforeExit()
                    _exit(ExitCode.interrupted.rawValue)
                }
                continuation.yield(signal)
            }
            source.activate()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}

/// Tells the first interrupt from later ones.
private final class InterruptCount: @unchecked Sendable {
    // Sendable: used only on the signals' serial queue.
    private var hasCome = false

    func isRepeated() -> Bool {
        defer { hasCome = true }
        return hasCome
    }
}
