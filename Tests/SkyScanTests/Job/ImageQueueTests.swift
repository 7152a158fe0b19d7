import ScanBasics
import ScanCluster
import ScanTestSupport
import SkyScan
import Testing

@Suite("Images of a job that are open", .timeLimit(.minutes(10))) struct ImageQueueTests {
    @Test("images of one task are opened until as many tasks wait as there are slots, and one more")
    func small() {
        var queue = ImageQueueState()
        var tickets: [Int] = []
        while queue.hasRoom(slots: 2) { tickets.append(queue.open()) }
        #expect(tickets.count == 3)
        queue.begin(tickets[0])
        #expect(queue.hasRoom(slots: 2))
        tickets.append(queue.open())
        #expect(!queue.hasRoom(slots: 2))
    }

    @Test("an image with many tasks keeps the others closed until its last ones have begun")
    func large() {
        var queue = ImageQueueState()
        let first = queue.open()
        queue.setWaiting(8, of: first, isFirstPass: false)
        #expect(!queue.hasRoom(slots: 2))
        for _ in 0..<5 { queue.begin(first) }
        #expect(!queue.hasRoom(slots: 2))
        queue.begin(first)
        #expect(queue.hasRoom(slots: 2))
        queue.close(first)
        #expect(queue.openCount == 0)
    }

    @Test("tasks of an image whose pixels are being read count as far as it is read ahead")
    func reading() {
        var queue = ImageQueueState()
        let first = queue.open()
        queue.setWaiting(8, of: first, isFirstPass: true)
        #expect(queue.hasRoom(slots: 2))
        let second = queue.open()
        #expect(!queue.hasRoom(slots: 2))
        queue.setWaiting(8, of: second, isFirstPass: true)
        #expect(queue.hasRoom(slots: 4))
        queue.setWaiting(8, of: first, isFirstPass: false)
        #expect(!queue.hasRoom(slots: 9))
    }

    @Test("images without a task that waits are bounded in number")
    func bounded() {
        var queue = ImageQueueState()
        while queue.hasRoom(slots: 2) { queue.begin(queue.open()) }
        #expect(queue.openCount == 24)
    }

    @Test("beside others that have work for the other slots an image is cut into no bands, unless it is too large")
    func whole() async throws {
        var state = ImageQueueState()
        for count in 0..<5 {
            #expect(state.suffices(slots: 3) == (count > 3))
            _ = state.open()
        }
        let queue = ImageQueue(systems: Systems(clock: ManualClock()))
        let first = try await queue.enter()
        #expect(queue.bandRows(width: 4096, height: 4096) == nil)
        let second = try await queue.enter()
        #expect(queue.bandRows(width: 4096, height: 4096) == 4096)
        #expect(queue.bandRows(width: 4096, height: 4097) == nil)
        queue.leave(first)
        #expect(queue.bandRows(width: 4096, height: 4096) == nil)
        queue.leave(second)
    }

    @Test("events in any order leave no task that is negative, and no image that was closed")
    func random() {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<200 {
            var queue = ImageQueueState()
            var tickets: [Int] = []
            for _ in 0..<100 {
                let ticket = tickets.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: tickets.append(queue.open())
                case 1: queue.begin(ticket)
                case 2:
                    queue.setWaiting(
                        Int.random(in: 0..<5, using: &generator), of: ticket, isFirstPass: .random(using: &generator))
                default: queue.close(ticket)
                }
            }
            for ticket in tickets { queue.close(ticket) }
            #expect(queue.openCount == 0 && queue.hasRoom(slots: 1))
        }
    }

    @Test("who waits for room is woken by the end of an image, and by cancellation")
    func waits() async throws {
        let queue = ImageQueue(systems: Systems(clock: ManualClock()))
        let first = try await queue.enter()
        _ = try await queue.enter()
        let third = Task { try await queue.enter() }
        queue.leave(first)
        _ = try await third.value
        let fourth = Task { try await queue.enter() }
        fourth.cancel()
        await #expect(throws: CancellationError.self) { try await fourth.value }
    }
}
