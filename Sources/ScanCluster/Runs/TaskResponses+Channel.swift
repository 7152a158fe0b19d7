extension TaskResponses {
    /// Decides whether the sender or the receiver of a bounded channel waits. There is one of each.
    package struct State<Element, Sender, Receiver> {
        /// What the receiver gets.
        package enum Delivery {
            /// The oldest element; a sender that waited for room continues.
            case element(Element, resume: Sender?)
            /// The sender has finished, and the buffer is empty.
            case end
        }
        private let capacity: Int
        private var buffer = Queue<Element>()
        private var sender: Sender?
        private var receiver: Receiver?
        private var hasEnded = false
        private var isAbandoned = false

        /// Holds up to `capacity` elements.
        package init(capacity: Int) { self.capacity = capacity }

        /// Whether a sender must wait.
        package var isFull: Bool { count >= capacity && !isAbandoned }

        /// Elements that wait for the receiver.
        package var count: Int { buffer.count }

        /// Whether a receiver waits for an element.
        package var isAwaited: Bool { receiver != nil }

        /// Sends an element. It is kept even beyond the capacity: call ``wait(sender:)`` before the next.
        /// - Returns: a receiver that waited, which gets the element instead.
        package mutating func send(_ element: Element) -> Receiver? {
            if isAbandoned { return nil }
            if let receiver {
                self.receiver = nil
                return receiver
            }
            buffer.append(element)
            return nil
        }

        /// Keeps the sender until there is room.
        /// - Returns: false if there is room: the sender need not wait.
        package mutating func wait(sender: Sender) -> Bool {
            guard isFull else { return false }
            precondition(self.sender == nil, "a channel has one sender")
            self.sender = sender
            return true
        }

        /// Takes the oldest element, if there is one.
        /// - Returns: the element, and a sender that waited for room.
        package mutating func poll() -> (Element?, resume: Sender?) {
            guard let element = buffer.popFirst() else { return (nil, nil) }
            // Resumed at half, not at the first free place: switching between threads costs more than many elements.
            guard sender != nil, count <= capacity / 2 else { return (element, nil) }
            defer { sender = nil }
            return (element, sender)
        }

        /// Takes the oldest element for the receiver, or keeps the receiver until there is one.
        /// - Returns: the element or the end; nil if the receiver must wait. The end as well if another one waits already.
        package mutating func receive(_ receiver: Receiver) -> Delivery? {
            if case (let element?, let sender) = poll() { return .element(element, resume: sender) }
            if hasEnded || isAwaited { return .end }
            self.receiver = receiver
            return nil
        }

        /// The sender has finished.
        /// - Returns: a receiver that waited.
        package mutating func finish() -> Receiver? {
            hasEnded = true
            defer { receiver = nil }
            return receiver
        }

        /// The receiver takes no more elements; those that are kept or sent are dropped.
        /// - Returns: a sender that waited for room.
        package mutating func abandon() -> Sender? {
            isAbandoned = true
            buffer.removeAll()
            defer { sender = nil }
            return sender
        }
    }

    /// Carries responses from a run to its consumer; the run waits when the consumer is slow.
    final class Channel: Sendable {
        private typealias Receiver = UnsafeContinuation<SharedResponse<Element>?, Never>
        // Unsafe continuations: the state hands each out exactly once.
        private struct Guarded {
            var channel: TaskResponses.State<SharedResponse<Element>, UnsafeContinuation<Void, Never>, Receiver>
            var error: ScanError?
        }
        private let state: Locked<Guarded>

        init(capacity: Int) { state = Locked(Guarded(channel: TaskResponses.State(capacity: capacity))) }

        private static var shared: ScanError {
            ScanError(.cancelled, "two loops wait for the responses of one run: give each a run of its own")
        }

        /// Why the run ended early, once it has, or why its responses are not returned.
        var error: ScanError? { state.withLock { $0.error } }

        /// Sends a response.
        /// - Returns: whether there is room for another; if not, wait for it with ``room()``.
        func send(_ response: SharedResponse<Element>) -> Bool {
            let (receiver, isFull) = state.withLock { state in
                (state.channel.send(response), state.channel.isFull)
            }
            receiver?.resume(returning: response)
            return !isFull
        }

        /// Sends several responses at once, in their order.
        /// - Returns: as ``send(_:)``.
        func send(contentsOf responses: [SharedResponse<Element>]) -> Bool {
            let (receiver, isFull) = state.withLock { state in
                // A receiver that waits gets the first; the others are kept.
                var receiver: Receiver?
                for response in responses { receiver = state.channel.send(response) ?? receiver }
                return (receiver, state.channel.isFull)
            }
            receiver?.resume(returning: responses.first)
            return !isFull
        }

        /// Waits until there is room for a response.
        func room() async {
            await withUnsafeContinuation { sender in
                if !state.withLock({ $0.channel.wait(sender: sender) }) { sender.resume() }
            }
        }

        /// The next response, if there is one already.
        func poll() -> SharedResponse<Element>? {
            let (response, sender) = state.withLock { $0.channel.poll() }
            sender?.resume()
            return response
        }

        /// The next response, nil at the end; then see ``error``.
        func receive() async -> SharedResponse<Element>? {
            await withUnsafeContinuation { receiver in
                let delivery = state.withLock { state in
                    if state.channel.isAwaited { state.error = state.error ?? Self.shared }
                    return state.channel.receive(receiver)
                }
                switch delivery {
                case .element(let response, let sender):
                    sender?.resume()
                    receiver.resume(returning: response)
                case .end:
                    receiver.resume(returning: nil)
                case nil:
                    break
                }
            }
        }

        func finish(_ error: ScanError?) {
            let receiver = state.withLock { state in
                state.error = state.error ?? error
                return state.channel.finish()
            }
            receiver?.resume(returning: nil)
        }

        /// The consumer takes no more responses; the run does not wait for it any more.
        func abandon() { state.withLock { $0.channel.abandon() }?.resume() }
    }
}
