package import CommandLineKit
import Dispatch
import Foundation
import ScanBasics
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as values. The first signal requests an orderly end; a second SIGINT ends the process at
/// once.
///
/// While the object exists, these signals do not end the process by themselves. A SIGHUP that was ignored when the
/// process started, as under nohup, stays ignored.
package final class Interrupts: Sendable {
    /// The received signals in order; for one reader.
    package let signals: AsyncStream<Signal>
    private let first = FirstSignal()
    private let events: SignalEvents

    package enum Signal: Int32, CaseIterable, Sendable {
        case hangUp = 1
        case interrupt = 2
        case terminate = 15

        package var exitCode: ExitCode { self == .interrupt ? .interrupted : .terminated }
    }

    /// Starts to handle the signals. `beforeExit` is called when a second SIGINT ends the process.
    package init(beforeExit: @escaping @Sendable () -> Void) {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        signals = stream
        events = SignalEvents(
            Signal.allCases.map(\.rawValue), unlessIgnored: [Signal.hangUp.rawValue],
            queue: DispatchQueue(label: "skyfarm.signals")
        ) { [first] number in
            guard let signal = Signal(rawValue: number) else { return }
            if !first.set(signal), signal == .interrupt {
                beforeExit()
                _exit(ExitCode.interrupted.rawValue)
            }
            continuation.yield(signal)
        }
    }

    /// The first received signal, for code that polls.
    package var received: Signal? { first.value }

    /// Ends work that polls once a signal was received.
    /// - Throws: `CancellationError`.
    package func check() throws {
        if received != nil { throw CancellationError() }
    }

    /// Waits for `work`, which each signal cancels.
    /// - Throws: what `work` throws.
    package func value<Value: Sendable>(of work: Task<Value, any Error>) async throws -> Value {
        let watcher = Task {
            for await _ in signals { work.cancel() }
        }
        defer { watcher.cancel() }
        return try await work.value
    }

    /// Waits for `work`, which each signal cancels.
    /// - Throws: what `work` throws; after a signal `CommandError` with `words` and the signal's exit code.
    package func value<Value: Sendable>(
        of work: Task<Value, any Error>, orStopped words: @autoclosure () -> String
    ) async throws -> Value {
        do {
            return try await value(of: work)
        } catch {
            guard let signal = received else { throw error }
            throw CommandError(signal.exitCode, words())
        }
    }
}

private final class FirstSignal: Sendable {
    private let number = Atomic<Int32>(0)

    var value: Interrupts.Signal? { Interrupts.Signal(rawValue: number.load(ordering: .relaxed)) }

    /// Stores the first signal. Returns false if one was received before.
    func set(_ signal: Interrupts.Signal) -> Bool {
        number.compareExchange(expected: 0, desired: signal.rawValue, ordering: .relaxed).exchanged
    }
}
