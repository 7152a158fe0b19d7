import CommandLineKit
import Dispatch
import Foundation
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as values. The first requests an orderly end; a second SIGINT ends the process at once.
///
/// While the object exists, these signals do not end the process by themselves. A SIGHUP that was ignored when the
/// process started, as under nohup, stays ignored.
final class Interrupts: @unchecked Sendable {
    // Sendable: nothing but the atomic changes after `init`; the sources may be cancelled from any thread.

    /// The signals received, in order; for one reader.
    let signals: AsyncStream<Signal>
    private let first = FirstSignal()
    private let sources: [any DispatchSourceSignal]

    enum Signal: Int32, CaseIterable, Sendable {
        case hangUp = 1
        case interrupt = 2
        case terminate = 15

        var exitCode: ExitCode { self == .interrupt ? .interrupted : .terminated }
    }

    /// Handles the signals. `beforeExit` is called when a second SIGINT ends the process.
    init(beforeExit: @escaping @Sendable () -> Void) {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        signals = stream
        let queue = DispatchQueue(label: "skyfarm.signals")
        let registrations = DispatchGroup()
        sources = Signal.allCases.compactMap { [first] signal in
            let wasIgnored = Foundation.signal(signal.rawValue, SIG_IGN).isIgnore
            if wasIgnored, signal == .hangUp { return nil }
            let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: queue)
            source.setEventHandler { @Sendable in
                if !first.set(signal), signal == .interrupt {
                    beforeExit()
                    _exit(ExitCode.interrupted.rawValue)
                }
                continuation.yield(signal)
            }
            registrations.enter()
            source.setRegistrationHandler { @Sendable in registrations.leave() }
            source.activate()
            return source
        }
        // Signals are ignored, and lost, until Dispatch has registered its sources.
        registrations.wait()
    }

    /// The first signal received, for code that polls.
    var received: Signal? { first.value }

    deinit {
        for source in sources { source.cancel() }
    }
}

/// The first signal received.
private final class FirstSignal: Sendable {
    private let number = Atomic<Int32>(0)

    var value: Interrupts.Signal? { Interrupts.Signal(rawValue: number.load(ordering: .relaxed)) }

    /// False if one was received before.
    func set(_ signal: Interrupts.Signal) -> Bool {
        number.compareExchange(expected: 0, desired: signal.rawValue, ordering: .relaxed).exchanged
    }
}

extension Optional where Wrapped == @convention(c) (Int32) -> Void {
    /// True for SIG_IGN. C compares handlers as addresses, which Swift's function types do not offer.
    fileprivate var isIgnore: Bool { unsafeBitCast(self, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) }
}
