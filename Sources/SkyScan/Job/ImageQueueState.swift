/// Decides when a job of many images opens the next one: early enough that no slot waits for a task, and so late that
/// few images are open. Pure.
package struct ImageQueueState: Sendable {
    /// Identifies an open image.
    package typealias Ticket = Int

    /// Tasks of the open images that wait for a slot. An image that is being opened counts as one task.
    private var waiting: [Ticket: Int] = [:]
    private var next: Ticket = 0

    /// No image is open.
    package init() {}

    /// Number of open images.
    package var openCount: Int { waiting.count }

    /// Whether the next image is to be opened while the systems have `slots` slots in total.
    ///
    /// A slot that becomes free finds a task if as many wait as there are slots. Images that are read, cleaned or written
    /// have no task that waits; the second condition bounds their number.
    package func hasRoom(slots: Int) -> Bool {
        waiting.values.reduce(0, +) <= slots && waiting.count < 3 * slots + 4
    }

    /// An image is being opened.
    package mutating func open() -> Ticket {
        defer { next += 1 }
        waiting[next] = 1
        return next
    }

    /// The image has `count` tasks to be done now, and no others.
    package mutating func setWaiting(_ count: Int, of ticket: Ticket) {
        if waiting[ticket] != nil { waiting[ticket] = count }
    }

    /// A system has begun a task of the image.
    package mutating func begin(_ ticket: Ticket) {
        guard let count = waiting[ticket], count > 0 else { return }
        waiting[ticket] = count - 1
    }

    /// The image is done.
    package mutating func close(_ ticket: Ticket) { waiting[ticket] = nil }
}
