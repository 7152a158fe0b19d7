extension ScanThreads {
    /// Decides whose work is next: of several owners that which has had the least time of the slots for its weight.
    /// Pure.
    ///
    /// Of owners that always have work, each gets a share of the time in proportion to its weight, but counts at least
    /// ``floor`` of the weights of all.
    ///
    /// The work of one owner is done in the order of arrival. An owner without work gains nothing from that: when it
    /// comes back, it begins with the time of the owner whose turn it was last (start-time fair queueing; Goyal, Vin
    /// and Cheng, SIGCOMM 1996). So it is next, but does not make up for its absence.
    package struct FairQueue<Element> {
        fileprivate struct Share {
            let owner: Int
            var weight: Double
            var waiting = Queue<Element>()
            var running = 0
            /// Seconds that its work has taken, divided by its weight; at least as many as the owners had that were
            /// there before it.
            var used: Double
            /// Seconds that its latest work took; nil if none has ended.
            var latest: Double?
            /// When it had its last turn, as a running number.
            var turn = 0

            var isIdle: Bool { waiting.count == 0 && running == 0 }

            mutating func append(_ element: Element, weight: Double, level: Double) {
                self.weight = weight
                if isIdle { used = max(used, level) }
                waiting.append(element)
            }

            mutating func popFirst(turn: Int) -> Element? {
                guard let element = waiting.popFirst() else { return nil }
                self.turn = turn
                running += 1
                return element
            }

            mutating func ended(seconds: Double, weight: Double) {
                running -= 1
                used += seconds / weight
                latest = seconds
            }
        }

        private var shares: [Share] = []
        /// What the owner had used whose turn it was last.
        private var level = 0.0
        private var turns = 0
        /// Seconds that the latest work of any owner took.
        private var latest = 0.0

        package init() {}

        /// Number of elements that wait.
        package var count: Int { shares.reduce(0) { $0 + $1.waiting.count } }

        /// The least part of the weights of all owners that one counts.
        package static var floor: Double { 0.02 }

        /// Adds the last element of `owner`, which has `weight` from now on.
        package mutating func append(_ element: Element, of owner: Int, weight: Double = 1) {
            shares[index(of: owner)].append(element, weight: weight, level: level)
        }

        /// Takes the next element, which is running until ``ended(_:seconds:)``; nil if none waits.
        package mutating func popFirst() -> (element: Element, owner: Int)? {
            guard let index = next, let element = shares[index].popFirst(turn: turns + 1) else { return nil }
            turns += 1
            level = max(level, shares[index].used)
            return (element, shares[index].owner)
        }

        /// An element of `owner` that was running has ended after that time.
        package mutating func ended(_ owner: Int, seconds: Double) {
            let index = index(of: owner)
            shares[index].ended(seconds: seconds, weight: weight(index))
            latest = seconds
        }

        /// The share whose turn it is: work that runs counts as if it took as long as the latest.
        private var next: Int? {
            if shares.count == 1 { return 0 }
            return shares.indices.filter { shares[$0].waiting.count > 0 }.min { first, second in
                (expected(first), shares[first].turn) < (expected(second), shares[second].turn)
            }
        }

        private func expected(_ index: Int) -> Double {
            shares[index].used + Double(shares[index].running) * (shares[index].latest ?? latest) / weight(index)
        }

        private func weight(_ index: Int) -> Double {
            if shares.count == 1 { return shares[index].weight }
            return max(shares[index].weight, Self.floor * shares.reduce(0) { $0 + ($1.isIdle ? 0 : $1.weight) })
        }

        private mutating func index(of owner: Int) -> Int {
            if let index = shares.firstIndex(where: { $0.owner == owner }) { return index }
            // Owners do not say when they leave.
            shares.removeAll(where: \.isIdle)
            shares.append(Share(owner: owner, weight: 1, used: level))
            return shares.count - 1
        }
    }
}

extension ScanThreads.FairQueue.Share: Sendable where Element: Sendable {}
extension ScanThreads.FairQueue: Sendable where Element: Sendable {}
