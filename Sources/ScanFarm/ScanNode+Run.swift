import Dispatch
internal import ScanBasics
public import ScanCluster

#if canImport(Glibc)
    public import Glibc
#else
    public import Darwin
#endif

extension ScanNode {
    /// Starts the node, and drains it when one of `signals` arrives or the task is cancelled. A draining node accepts
    /// no more tasks, finishes its tasks, and closes; then this function returns and the program may exit.
    ///
    /// Meanwhile the signals do not end the process; afterwards their previous actions are restored.
    /// - Parameters:
    ///   - signals: signals that drain the node; by default SIGTERM, with which service managers stop a program. Use
    ///     `[SIGTERM, SIGINT]` to include Ctrl-C.
    ///   - onReady: called with the address at which the node serves; what it prints is written at once.
    /// - Throws: The errors of ``start()``; `SetupError` if one of `signals` does not exist or cannot be handled.
    public func run(
        drainingOn signals: [Int32] = [SIGTERM], onReady: (SocketAddress) -> Void = { _ in }
    ) async throws {
        for signal in signals where !(1..<32 ~= signal) || [SIGKILL, SIGSTOP].contains(signal) {
            throw SetupError("\(signal) is no signal that a process can handle")
        }
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let events = SignalEvents(signals, queue: DispatchQueue(label: "skyfarm.drain")) { continuation.yield($0) }
        if let address = try start() {
            onReady(address)
            // Whoever started the program reads what it printed through a pipe, too.
            fflush(nil)
        }
        // Cancellation of the task ends the loop as well.
        for await _ in stream { break }
        await drain()
        withExtendedLifetime(events) {}
    }
}
