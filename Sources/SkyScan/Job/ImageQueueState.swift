/// Decides when a job of many images opens the next one: early enough that no slot waits for a task, and so late that
/// few images are open. Pure.
package struct ImageQueueState: Sendable {
    /// Identifies an open image.
    package typealias Ticket = Int

    private struct Image {
        /// Tasks that wait for a slot. An image that is being opened counts as one task.
        var waiting = 1
        /// Whether the image is in its first pass, for which its pixels are being read.
        var isBeingRead = true

        /// Tasks that a slot can begin at once: of an image that is being read, those whose pixels are read ahead.
        var ready: Int { isBeingRead ? min(waiting, ReadingOrder.mostAhead) : waiting }
    }

    private var images: [Ticket: Image] = [:]
    private var next: Ticket = 0

    /// No image is open.
    package init() {}

    /// Number of open images.
    package var openCount: Int { images.count }

    /// Whether the next image is to be opened while the systems have `slots` slots in total.
    ///
    /// A slot that becomes free finds a task whose pixels are there if as many wait as there are slots: each image has one
    /// thread that reads, which may take longer than the first pass of all slots. Images that are cleaned or written have
    /// no task that waits; the second condition bounds their number.
    package func hasRoom(slots: Int) -> Bool {
        images.values.reduce(0) { $0 + $1.ready } <= slots && images.count < 3 * slots + 4
    }

    /// Whether the open images, of which each is at least one task, are enough for `slots` slots, so that none of them has
    /// to be cut into bands.
    package func suffices(slots: Int) -> Bool { images.count > slots }

    /// An image is being opened.
    package mutating func open() -> Ticket {
        defer { next += 1 }
        images[next] = Image()
        return next
    }

    /// The image has `count` tasks to be done now, and no others; those of the first pass if `isFirstPass`.
    package mutating func setWaiting(_ count: Int, of ticket: Ticket, isFirstPass: Bool) {
        if images[ticket] != nil { images[ticket] = Image(waiting: count, isBeingRead: isFirstPass) }
    }

    /// A system has begun a task of the image.
    package mutating func begin(_ ticket: Ticket) {
        guard let count = images[ticket]?.waiting, count > 0 else { return }
        images[ticket]?.waiting = count - 1
    }

    /// The image is done.
    package mutating func close(_ ticket: Ticket) { images[ticket] = nil }
}
