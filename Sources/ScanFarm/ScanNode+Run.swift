import Dispatch
internal import ScanBasics
public import ScanCluster

#if canImport(Glibc)
    public import Glibc
#else
    public import Darwin
#endif

extension ScanNode {
    /// Starts the node, and drains it when one of `signals` arrives or the task is cancelled: it accepts no more tasks,
    /// finishes those that it has, and closes. Then it returns, and the program may end.
    ///
    /// Meanwhile the signals do not end the process by themselves; after that they do what they did before.
    /// - Parameters:
    ///   - signals: SIGTERM by default, with which service managers stop a program. `[SIGTERM, SIGINT]` for Ctrl-C, too.
    ///   - onReady: called with the address at which the node serves.
    /// - Throws: as ``start()``.
    public func run(
        drainingOn signals: [Int32] = [SIGTERM], onReady: (SocketAddress) -> Void = { _ in }
    ) async throws {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let events = SignalEvents(signals, queue: DispatchQueue(label: "skyfarm.drain")) { continuation.yield($0) }
        if let address = try start() { onReady(address) }
        // The cancellation of the task ends the loop, too.
        for await _ in stream { break }
        await drain()
        withExtendedLifetime(events) {}
    }
}
