/// Links that carry one transfer at a time each, and share a capacity fairly. Time is in seconds.
struct FluidLinks {
    struct Transfer {
        let task: Int
        var left: Double
        /// When its bytes begin to leave.
        let begins: Double
    }

    let own: [Double]
    let shared: Double
    private(set) var queues: [[Transfer]]
    private var time = 0.0

    init(own: [Double], shared: Double) {
        (self.own, self.shared) = (own, shared)
        queues = own.map { _ in [] }
    }

    mutating func add(_ task: Int, bytes: Int, to link: Int, at now: Double) {
        advance(to: now)
        queues[link].append(Transfer(task: task, left: Double(bytes), begins: now))
    }

    /// - Returns: whether the task's bytes were still being sent.
    mutating func remove(_ task: Int, from link: Int, at now: Double) -> Bool {
        advance(to: now)
        let count = queues[link].count
        queues[link].removeAll { $0.task == task }
        return queues[link].count < count
    }

    mutating func clear(_ link: Int, at now: Double) {
        advance(to: now)
        queues[link] = []
    }

    /// Bytes per second of each link now: fair shares of the capacity, none above the link's own rate.
    var rates: [Double] {
        var rates = own.map { _ in 0.0 }
        var rest = shared
        let busy = queues.indices.filter { !queues[$0].isEmpty }.sorted { own[$0] < own[$1] }
        for (position, link) in busy.enumerated() {
            rates[link] = min(own[link], rest / Double(busy.count - position))
            rest -= rates[link]
        }
        return rates
    }

    /// When the next transfer is complete, and on which link; nil if there is none.
    var next: (at: Double, link: Int)? {
        let rates = rates
        return queues.indices.compactMap { link in
            queues[link].first.map { (at: time + $0.left / rates[link], link: link) }
        }.min { $0.at < $1.at }
    }

    /// The transfer at the front of a link is complete.
    mutating func complete(_ link: Int, at now: Double) -> Int {
        advance(to: now)
        return queues[link].removeFirst().task
    }

    mutating func advance(to now: Double) {
        let rates = rates
        for link in queues.indices where !queues[link].isEmpty {
            queues[link][0].left = max(0, queues[link][0].left - rates[link] * (now - time))
        }
        time = now
    }
}
