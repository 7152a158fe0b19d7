internal import ScanBasics

extension ScanThreads {
    /// Decides whose work is next: of several owners that which has had the least time of the slots for its weight.
    /// Pure.
    ///
    /// Each owner that always has work gets a share of the time in proportion to its weight, but counts at least
    /// ``floor`` of the weights of all.
    ///
    /// The work of one owner is done in the order of arrival, but *large* work, which needs several slots or memory, goes
    /// before its other work, and waits until there is so much of the ``SlotRoom`` that all owners share. While the owner
    /// whose turn it is waits for slots, nothing is begun; while it waits for memory, nothing that needs memory. So large
    /// work is not held up by small work for ever, and small work that needs no memory is not held up by it. Nothing is
    /// kept free where work that was cancelled, and may never end, has so much that the rest is too little.
    ///
    /// An owner without work gains nothing from that: when it comes back, it begins with the time of the owner whose turn
    /// it was last (start-time fair queueing; Goyal, Vin and Cheng, SIGCOMM 1996). So it is next, but does not make up for
    /// its absence.
    package struct FairQueue<Element> {
        fileprivate struct Share {
            let owner: Int
            var weight: Double
            var waiting = Queue<Element>()
            /// Work that needs more than a slot, in the order in which that was known.
            var large: [(element: Element, needs: SlotNeeds)] = []
            /// Slots that its work has.
            var running = 0
            /// Seconds that its work has taken, divided by its weight; at least as many as the owners had that were
            /// there before it.
            var used: Double
            /// Seconds that its latest work took; nil if none has ended.
            var latest: Double?
            /// When it had its last turn, as a running number.
            var turn = 0

            var count: Int { waiting.count + large.count }
            var isIdle: Bool { count == 0 && running == 0 }

            mutating func append(_ element: Element, _ needs: SlotNeeds?, weight: Double, level: Double) {
                self.weight = weight
                if isIdle { used = max(used, level) }
                if let needs { large.append((element, needs)) } else { waiting.append(element) }
            }

            mutating func ended(_ needs: SlotNeeds, seconds: Double, weight: Double) {
                running -= needs.slots
                used += seconds * Double(needs.slots) / weight
                latest = seconds
            }
        }

        /// Work that has been taken out of the queue.
        package struct Taken {
            package let element: Element
            package let owner: Int
            /// The room that it has.
            package let needs: SlotNeeds
        }

        private var shares: [Share] = []
        /// The slots and the memory that all work takes.
        package private(set) var room: SlotRoom
        /// How much large work waits.
        private var largeCount = 0
        /// The time that the owner had used whose turn it was last.
        private var level = 0.0
        private var turns = 0
        /// Seconds that the latest work of any owner took.
        private var latest = 0.0

        /// An empty queue of work for `room`.
        package init(_ room: SlotRoom = SlotRoom()) { self.room = room }

        /// Number of elements that wait.
        package var count: Int { shares.reduce(0) { $0 + $1.count } }

        /// Whether large work waits.
        package var hasLarge: Bool { largeCount > 0 }

        /// Sets the number of slots, before anything is taken.
        package mutating func use(slots: Int) { room.slots = slots }

        /// The least part of the weights of all owners that one counts.
        package static var floor: Double { 0.02 }

        /// Adds the last element of `owner`, which has `weight` from now on. `needs`: what it needs if it is large; nil if it
        /// is not, or if that shows only when it begins, see ``postpone(_:until:)``.
        package mutating func append(_ element: Element, of owner: Int, weight: Double = 1, needs: SlotNeeds? = nil) {
            if needs != nil { largeCount += 1 }
            shares[index(of: owner)].append(element, needs, weight: weight, level: level)
        }

        /// Takes the next element that has room, until ``ended(_:seconds:)``.
        /// - Parameters:
        ///   - isDropped: whether an element was cancelled: large work then waits no longer, and counts as one slot.
        ///   - stuck: the room of work that was cancelled and has not ended; asked for where ``hasLarge``.
        /// - Returns: it; nil if none has room.
        package mutating func popFirst(
            isDropped: (Element) -> Bool = { _ in false }, stuck: (slots: Int, memory: Int) = (0, 0)
        ) -> Taken? {
            if largeCount > 0 { return popFirstOfAll(isDropped, stuck) }
            guard room.usedSlots < room.slots, let index = next, let element = shares[index].waiting.popFirst() else {
                return nil
            }
            return take(element, .one, of: index)
        }

        /// Takes the next element, as ``popFirst(isDropped:stuck:)`` does, where large work waits.
        private mutating func popFirstOfAll(
            _ isDropped: (Element) -> Bool, _ stuck: (slots: Int, memory: Int)
        ) -> Taken? {
            var keepsMemory = false
            for index in shares.indices.sorted(by: isBefore) {
                for (place, (element, needs)) in shares[index].large.enumerated() {
                    // Cancelled work is only skipped: it needs no more than a slot.
                    if isDropped(element) { return takeLarge(place, SlotNeeds(), of: index) }
                    if keepsMemory, needs.memory > 0 { continue }
                    guard let lack = room.lack(for: needs) else { return takeLarge(place, needs, of: index) }
                    switch lack {
                    case .slots: if needs.slots <= room.slots - stuck.slots { return nil }
                    case .memory: if needs.memory <= room.memory - stuck.memory { keepsMemory = true }
                    }
                }
                if room.usedSlots < room.slots, let element = shares[index].waiting.popFirst() {
                    return take(element, .one, of: index)
                }
            }
            return nil
        }

        private mutating func takeLarge(_ place: Int, _ needs: SlotNeeds, of index: Int) -> Taken {
            largeCount -= 1
            return take(shares[index].large.remove(at: place).element, needs, of: index)
        }

        private mutating func take(_ element: Element, _ needs: SlotNeeds, of index: Int) -> Taken {
            turns += 1
            shares[index].turn = turns
            shares[index].running += needs.slots
            level = max(level, shares[index].used)
            room.take(needs)
            return Taken(element: element, owner: shares[index].owner, needs: needs)
        }

        /// An element that was taken has ended after that time.
        package mutating func ended(_ work: Taken, seconds: Double) {
            room.giveBack(work.needs)
            let index = index(of: work.owner)
            shares[index].ended(work.needs, seconds: seconds, weight: weight(index))
            latest = seconds
        }

        /// An element that was taken turned out to be large before it had begun: it waits for so much room.
        package mutating func postpone(_ work: Taken, until needs: SlotNeeds) {
            room.giveBack(work.needs)
            let index = index(of: work.owner)
            shares[index].running -= work.needs.slots
            shares[index].large.append((work.element, needs))
            largeCount += 1
        }

        /// The share whose turn it is: work that runs counts as if it took as long as the latest.
        private var next: Int? {
            if shares.count == 1 { return 0 }
            return shares.indices.filter { shares[$0].waiting.count > 0 }.min(by: isBefore)
        }

        private func isBefore(_ first: Int, _ second: Int) -> Bool {
            (expected(first), shares[first].turn) < (expected(second), shares[second].turn)
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
extension ScanThreads.FairQueue.Taken: Sendable where Element: Sendable {}
extension ScanThreads.FairQueue: Sendable where Element: Sendable {}
