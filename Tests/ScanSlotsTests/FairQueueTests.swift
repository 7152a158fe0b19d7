import ScanSlots
import Testing

@Suite struct FairQueueTests {
    /// Slots that do the work of owners, each of which keeps some elements waiting, in simulated time.
    private struct Slots {
        struct Owner {
            var seconds: Double
            /// Elements that wait or run at a time.
            var depth: Int
            var left: Int
            var arrival = 0.0
            var weight = 1.0
            var used = 0.0
            var firstBegin: Double?
            var end = 0.0
        }

        var owners: [Owner]
        var count: Int

        /// Runs everything to its end.
        mutating func run() {
            var queue = ScanThreads.FairQueue<Int>()
            typealias Work = ScanThreads.FairQueue<Int>.Taken
            var (now, busy) = (0.0, [(work: Work, end: Double)]())
            var flying = owners.map { _ in 0 }
            while true {
                for index in owners.indices where owners[index].arrival <= now {
                    while flying[index] < owners[index].depth, owners[index].left > 0 {
                        queue.append(index, of: index, weight: owners[index].weight)
                        (flying[index], owners[index].left) = (flying[index] + 1, owners[index].left - 1)
                    }
                }
                while busy.count < count, let work = queue.popFirst() {
                    let index = work.element
                    #expect(index == work.owner)
                    if owners[index].firstBegin == nil { owners[index].firstBegin = now }
                    busy.append((work, now + owners[index].seconds))
                }
                guard let next = busy.indices.min(by: { busy[$0].end < busy[$1].end }) else { break }
                let (work, end) = busy.remove(at: next)
                let index = work.element
                now = end
                queue.ended(work, seconds: owners[index].seconds)
                flying[index] -= 1
                owners[index].used += owners[index].seconds
                owners[index].end = now
            }
        }
    }

    @Test("owners with equal work end together, however many elements each has waiting", arguments: [1, 2, 5])
    func equal(slots: Int) {
        var slots = Slots(
            owners: [.init(seconds: 1, depth: 30, left: 100), .init(seconds: 1, depth: 8, left: 100)], count: slots)
        slots.run()
        #expect(abs(slots.owners[0].end - slots.owners[1].end) <= 2)
    }

    @Test("owners get time in proportion to their weights while all have work", arguments: [1, 2, 5])
    func weights(slots: Int) {
        var slots = Slots(
            owners: [(0.7, 1.0), (0.7, 1), (1, 2)].map { seconds, weight in
                Slots.Owner(seconds: seconds, depth: 12, left: Int(1000 * weight / seconds), weight: weight)
            }, count: slots)
        slots.run()
        let ends = slots.owners.map(\.end)
        for end in ends { #expect(abs(end - ends[2]) <= 0.01 * ends[2] + 3, "\(ends)") }
    }

    @Test("an owner of a tiny weight gets its floor beside one of a great weight")
    func floor() {
        var slots = Slots(
            owners: [
                .init(seconds: 1, depth: 4, left: 20, weight: 0.01),
                .init(seconds: 1, depth: 4, left: 10_000, weight: 100),
            ], count: 1)
        slots.run()
        #expect(slots.owners[0].end < 1200 && slots.owners[0].end > 800, "\(slots.owners[0].end)")
    }

    @Test("short work gets as much time as long work", arguments: [1, 2, 3])
    func differing(slots: Int) {
        var slots = Slots(
            owners: [.init(seconds: 4, depth: 12, left: 100), .init(seconds: 0.1, depth: 40, left: 4000)],
            count: slots)
        slots.run()
        #expect(abs(slots.owners[0].end - slots.owners[1].end) < 0.03 * slots.owners[0].end)
    }

    @Test("who comes late gets the next slot, and no more than its share for its absence")
    func late() {
        var slots = Slots(
            owners: [
                .init(seconds: 1, depth: 20, left: 200), .init(seconds: 1, depth: 20, left: 200),
                .init(seconds: 0.1, depth: 1, left: 1, arrival: 50.5),
                .init(seconds: 1, depth: 20, left: 20, arrival: 100.5),
            ], count: 2)
        slots.run()
        #expect((slots.owners[2].firstBegin ?? .infinity) <= 51.5)
        // A third of two slots: 20 s of work take 30 s, not 10.
        let fourth = slots.owners[3]
        #expect((fourth.firstBegin ?? .infinity) <= 101.5 && (29...33).contains(fourth.end - 101))
    }

    @Test("the work of one owner is in order")
    func order() {
        var queue = ScanThreads.FairQueue<Int>()
        for number in 0..<100 { queue.append(number, of: number % 3) }
        #expect(queue.count == 100)
        var last = [-1, -1, -1]
        while let work = queue.popFirst() {
            let (number, owner) = (work.element, work.owner)
            #expect(owner == number % 3 && last[owner] < number)
            last[owner] = number
            queue.ended(work, seconds: Double(owner))
        }
        #expect(last == [99, 97, 98] && queue.count == 0)
    }
}
