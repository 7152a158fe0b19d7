/// The owner of a connection.
protocol ConnectionDelegate: AnyObject {
    /// Bytes of the peer's hello: all that have come in so far.
    func greet(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> GreetingStep

    /// The peer closed the connection before its hello was complete.
    func greetingEnded(_ bytes: UnsafeRawBufferPointer) -> ConnectError

    /// The hello took too long; a last message may be sent.
    func greetingTimedOut(after limit: Duration, on connection: Connection) -> ConnectError

    /// A frame came in; its views are valid only during the call.
    func received(_ frame: Frame, on connection: Connection) throws(ProtocolError)

    /// The bytes that were received in this turn have been passed on.
    func readBatchEnded()

    /// The connection has ended. The last call.
    func ended(_ error: ConnectError)
}

/// The result of a hello.
enum GreetingStep {
    case wait
    case open(consumed: Int)
    case end(ConnectError)
}
