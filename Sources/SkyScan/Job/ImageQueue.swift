public import ScanCluster

/// The images of a job that are open: `ImageQueueState` decides when the next one is opened.
public final class ImageQueue: Sendable {
    /// Identifies an open image.
    public struct Ticket: Hashable, Sendable {
        package let number: ImageQueueState.Ticket
    }

    private struct State {
        var images = ImageQueueState()
        /// Images that are still to be opened, as far as is known.
        var following = 0
        /// Images whose cost is known, and the sum of their costs.
        var known = (count: 0, cost: 0.0)

        /// Expected cost of the images that are still to be opened.
        var expectedWork: Double { known.count == 0 ? 0 : Double(following) * known.cost / Double(known.count) }
        /// The caller of ``enter()``.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let systems: Systems
    private let state = Locked(State())

    /// A queue for the slots of `systems`.
    public init(systems: Systems) { self.systems = systems }

    /// So many images are to be opened besides those that were expected before; of a file that has not been opened, one.
    public func expect(images count: Int) {
        state.withLock { $0.following = max(0, $0.following + count) }
        noteWork()
    }

    /// The scan of an image that was opened costs so much.
    public func know(cost: Double) {
        state.withLock { $0.known = ($0.known.count + 1, $0.known.cost + cost) }
        noteWork()
    }

    /// Tells the registry what is to come: a task may then go to a distant node while other slots have enough to do.
    private func noteWork() { systems.expect(work: state.withLock { $0.expectedWork }) }

    /// Waits until the next image is to be opened. For one caller at a time; call ``leave(_:)`` when the image is done.
    /// - Throws: `CancellationError`.
    public func enter() async throws -> Ticket {
        while true {
            try Task.checkCancellation()
            if let ticket = open() {
                expect(images: -1)
                return ticket
            }
            let slots = slots
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    // A slot may have become free, or the task may have been cancelled, meanwhile.
                    let mayWait = state.withLock { state in
                        guard !Task.isCancelled, !state.images.hasRoom(slots: slots) else { return false }
                        state.waiter = waiter
                        return true
                    }
                    if !mayWait { waiter.resume() }
                }
            } onCancel: {
                wake()
            }
        }
    }

    /// Most pixels of an image that is one task beside others, by the memory that a slot needs for it: 64 MiB of samples.
    private static let wholePixelCount = 16 << 20

    /// Rows of the bands of an image of this size that is open; nil for bands as of an image that is scanned alone. While
    /// other images have work for the other slots, it is cut into no bands: seams and a second pass cost time.
    public func bandRows(width: Int, height: Int) -> Int? {
        let slots = slots
        guard width <= Self.wholePixelCount / max(1, height), state.withLock({ $0.images.suffices(slots: slots) })
        else { return nil }
        return height
    }

    /// Takes in an event of the scan of an image; from any thread.
    public func handle(_ event: SkyScanEvent, of ticket: Ticket) {
        switch event {
        case .sectors(let step, let waiting, _):
            change { $0.setWaiting(waiting.count, of: ticket.number, isFirstPass: step == .background) }
        case .job(_, .taskStarted): change { $0.begin(ticket.number) }
        case .began, .resumed, .found, .job: break
        }
    }

    /// The image is done, or has failed.
    public func leave(_ ticket: Ticket) { change { $0.close(ticket.number) } }

    private var slots: Int { max(1, systems.snapshot.reduce(0) { $0 + $1.slots }) }

    private func open() -> Ticket? {
        let slots = slots
        return state.withLock { state in
            state.images.hasRoom(slots: slots) ? Ticket(number: state.images.open()) : nil
        }
    }

    private func change(_ body: (inout ImageQueueState) -> Void) {
        let slots = slots
        let waiter = state.withLock { state in
            body(&state.images)
            guard state.images.hasRoom(slots: slots) else { return nil as CheckedContinuation<Void, Never>? }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    private func wake() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
