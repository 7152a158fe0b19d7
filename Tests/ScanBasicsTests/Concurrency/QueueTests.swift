import ScanBasics
import Testing

@Suite struct QueueTests {
    @Test("what came first goes first, in whatever pattern")
    func order() {
        var queue = Queue<Int>()
        var (next, taken) = (0, 0)
        // Sums of both move up and down, far beyond the size at which the memory in front is released.
        for round in 0..<200 {
            for _ in 0..<(round * 7919 % 100) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<(round * 104_729 % 90) {
                guard let element = queue.popFirst() else { break }
                #expect(element == taken)
                taken += 1
            }
            #expect(queue.count == next - taken)
        }
        queue.append(contentsOf: [next, next + 1])
        while let element = queue.popFirst() {
            #expect(element == taken)
            taken += 1
        }
        #expect(taken == next + 2)
    }

    @Test("an element is released as soon as it is taken")
    func ownership() {
        final class Thing {}
        var queue = Queue<Thing>()
        for _ in 0..<3 { queue.append(Thing()) }
        weak let first = queue.popFirst()
        #expect(first == nil)
        queue.removeAll()
        let none = queue.popFirst()
        #expect(none == nil)
    }
}
