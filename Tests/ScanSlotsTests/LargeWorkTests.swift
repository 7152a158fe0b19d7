import ScanBasics
import ScanSlots
import Testing

/// Work that needs several slots, or memory, among that of other owners.
@Suite struct LargeWorkTests {
    private typealias Queue = ScanThreads.FairQueue<Int>

    @Test(
        "40 tasks of 3 GB of each of two owners never need more than 8 GB, and hold no small work up", arguments: 0..<20
    )
    func memory(seed: Int) throws {
        var generator = SplitMix64(seed: UInt64(seed))
        var queue = Queue(SlotRoom(slots: 8, memory: 8))
        for number in 0..<80 {
            queue.append(number, of: number % 2, needs: SlotNeeds(memory: 3))
            queue.append(1000 + number, of: number % 2)
        }
        var running: [Queue.Taken] = []
        var (large, small) = ([Int](), 0)
        while queue.count > 0 || !running.isEmpty {
            while let work = queue.popFirst() { running.append(work) }
            let memory = running.reduce(0) { $0 + $1.needs.memory }
            try #require(memory <= 8 && running.count <= 8 && queue.room.usedMemory == memory)
            // Work that needs no memory does not wait while a slot is free.
            #expect(running.count == 8 || small + running.count { $0.element >= 1000 } == 80)
            let ended = running.remove(at: Int.random(in: running.indices, using: &generator))
            queue.ended(ended, seconds: ended.element < 1000 ? 3 : 1)
            if ended.element < 1000 { large.append(ended.owner) } else { small += 1 }
        }
        #expect(large.count == 80 && small == 80)
        // Each owner has its turn.
        #expect(abs(large.prefix(40).count { $0 == 0 } - 20) <= 3)
        #expect(queue.room.usedMemory == 0 && queue.room.usedSlots == 0)
    }

    @Test("work of all slots begins although small work of another owner follows without end, which then goes on")
    func slots() throws {
        var queue = Queue(SlotRoom(slots: 4))
        var (running, begun) = ([Queue.Taken](), [0, 0])
        for number in 0..<4 { queue.append(number, of: 1) }
        for _ in 0..<400 {
            if queue.count < 8 { for number in 0..<8 { queue.append(number, of: 1) } }
            if begun[0] < 20, !queue.hasLarge { queue.append(0, of: 0, needs: SlotNeeds(slots: 4)) }
            while let work = queue.popFirst() {
                running.append(work)
                begun[work.owner] += 1
            }
            try #require(running.reduce(0) { $0 + $1.needs.slots } <= 4 && !running.isEmpty)
            queue.ended(running.removeFirst(), seconds: 1)
        }
        #expect(begun[0] == 20 && begun[1] > 60, "\(begun)")
    }

    @Test("what needs less memory does not overtake what waits for more for ever")
    func noStarvation() {
        var queue = Queue(SlotRoom(slots: 8, memory: 8))
        queue.append(-1, of: 0, needs: SlotNeeds(memory: 8))
        queue.append(0, of: 1, needs: SlotNeeds(memory: 1))
        var (running, steps) = ([Queue.Taken](), 0)
        // The small one was first: without a turn of its own the large one would wait for a moment without any.
        if let first = queue.popFirst() { running.append(first) }
        while !running.contains(where: { $0.element == -1 }), steps < 100 {
            queue.append(steps + 1, of: 1, needs: SlotNeeds(memory: 1))
            while let work = queue.popFirst() { running.append(work) }
            if running.contains(where: { $0.element == -1 }) { break }
            queue.ended(running.removeFirst(), seconds: 1)
            steps += 1
        }
        #expect(steps < 20)
    }

    @Test("nothing is kept free where cancelled work, which may never end, has the room")
    func stuck() {
        var queue = Queue(SlotRoom(slots: 2, memory: 4))
        queue.append(1, of: 0, needs: SlotNeeds(memory: 4))
        let hung = queue.popFirst()
        queue.append(2, of: 0, needs: SlotNeeds(slots: 2))
        queue.append(3, of: 0)
        #expect(hung?.element == 1)
        let (kept, next) = (queue.popFirst(), queue.popFirst(stuck: (1, 4)))
        #expect(kept == nil && next?.element == 3)
    }

    @Test("cancelled work that waits is skipped at once, and work that is larger than the process is refused")
    func dropped() {
        var queue = Queue(SlotRoom(slots: 2, memory: 4))
        queue.append(1, of: 0, needs: SlotNeeds(memory: 4))
        queue.append(2, of: 0, needs: SlotNeeds(memory: 4))
        let (first, none) = (queue.popFirst(), queue.popFirst())
        let dropped = queue.popFirst(isDropped: { $0 == 2 })
        #expect(first?.element == 1 && none == nil && dropped?.needs == .one)
        let room = SlotRoom(slots: 2, memory: 4)
        #expect(room.obstacle(to: SlotNeeds(slots: 2, memory: 4)) == nil)
        #expect(room.obstacle(to: SlotNeeds(slots: 3)) == "the task needs 3 slots, and this node has 2")
        #expect(room.obstacle(to: SlotNeeds(memory: .max))?.contains("bytes of memory") == true)
    }

    @Test("work that turns out to be large waits for its room, without the time of a turn")
    func postponed() throws {
        var queue = Queue(SlotRoom(slots: 2, memory: 4))
        queue.append(1, of: 0)
        queue.append(2, of: 1, needs: SlotNeeds(memory: 4))
        let works = [queue.popFirst(), queue.popFirst()].compactMap(\.self).sorted { $0.element < $1.element }
        try #require(works.count == 2)
        queue.postpone(works[0], until: SlotNeeds(memory: 4))
        let early = queue.popFirst()
        #expect(early == nil && queue.count == 1)
        queue.ended(works[1], seconds: 1)
        let last = queue.popFirst()
        #expect(last?.needs == SlotNeeds(memory: 4))
    }
}
