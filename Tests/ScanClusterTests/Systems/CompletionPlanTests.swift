import ScanCluster
import Testing

/// Where tasks with bulk bytes go: transfers count.
@Suite("The plan of tasks with bulk bytes")
struct CompletionPlanTests {
    private let run = RunID(rawValue: 1)

    private func moment(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// A local slot that does a cost of 1 in a second, and a node of two slots whose link carries `rate` bytes a second.
    private func cluster(rate: Double) -> Systems.State {
        var state = Systems.State()
        _ = state.join(id: .test(0), name: "local", slots: 1, depth: 1, isLocal: true, speed: 1)
        _ = state.join(
            id: .test(1), name: "node", slots: 2, depth: 8, isLocal: false, link: BulkLink(nominal: rate), speed: 1)
        state.assumedRate = 1
        return state
    }

    private func tasks(_ count: Int, bytes: Int = 100) -> [PendingTask] {
        (0..<count).map {
            PendingTask(
                entry: $0, request: TaskRequest(cost: 1, key: BulkKey(job: 1, index: UInt64($0)), bytes: bytes))
        }
    }

    /// What starts now, as numbers of tasks: on the local system and on the node.
    private func starts(_ state: inout Systems.State, _ pending: [PendingTask]) -> (local: [Int], node: [Int]) {
        var (pending, local, node) = (pending, [Int](), [Int]())
        while let pick = state.pick(from: pending, excluding: [], run: run, at: moment(0)) {
            let entry = pending.remove(at: pick.offset).entry
            if pick.reservation.system == .test(0) { local.append(entry) } else { node.append(entry) }
        }
        #expect(state.contradiction == nil)
        return (local, node)
    }

    @Test("the end of a link's probe matters, since tasks wait for it")
    func probeEnds() {
        func moment(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }
        for rate in [nil, 1e6] as [Double?] {
            var state = Systems.State()
            let link = BulkLink(nominal: 1e6, probe: 1_000_000, at: moment(0))
            _ = state.join(id: .test(1), name: "node", slots: 2, depth: 8, isLocal: false, link: link, speed: 1)
            let request = TaskRequest(cost: 1, key: BulkKey(job: 1, index: 0), bytes: 1000)
            let pending = [PendingTask(entry: 0, request: request)]
            let early = state.pick(from: pending, excluding: [], run: RunID(rawValue: 1), at: moment(0.5))
            #expect(early == nil)
            // The rate is the expected one: only the end of the probe changes anything.
            let isChanged = state.note(.init(transfer: (BulkLink.probe, 0), rate: rate), of: .test(1), at: moment(1))
            let pick = state.pick(from: pending, excluding: [], run: RunID(rawValue: 1), at: moment(1))
            #expect(isChanged && pick != nil)
        }
    }

    @Test(
        "the first task stays here, and the node gets the first one that it has done before the slot here is free for it"
    )
    func farTasks() {
        // A transfer takes 2.5 s: the node has a task done after 3.5 s, when the slot here has done three.
        var state = cluster(rate: 40)
        let (local, node) = starts(&state, tasks(8))
        #expect(local == [0] && node == [3])
    }

    @Test("no task goes to a node whose transfer takes longer than all tasks take here")
    func tooSlow() {
        var state = cluster(rate: 10)
        let (local, node) = starts(&state, tasks(8))
        #expect(local == [0] && node.isEmpty)
    }

    @Test("it goes there all the same if more work is expected, which keeps the slots here busy for longer")
    func expectedWork() {
        var state = cluster(rate: 10)
        state.expectedWork = 100
        let (local, node) = starts(&state, tasks(2))
        #expect(local == [0] && node == [1])
    }

    @Test("a link of which nothing is known gets one task, until that has shown how fast it is")
    func probe() throws {
        var state = cluster(rate: 1e6)
        let first = state.pick(from: tasks(1), excluding: [.test(0)], run: run, at: moment(0))
        #expect(starts(&state, Array(tasks(8).dropFirst())).node.isEmpty)
        let ticket = try #require(first).reservation.ticket
        _ = state.note(.init(transfer: (ticket, 50), rate: 1e6), of: .test(1), at: moment(0))
        #expect(starts(&state, Array(tasks(9).dropFirst(2))).node.count > 1)
    }

    @Test("of two nodes that share one processor one gets a task; with two processors, or two machines, both do")
    func oneProcessor() {
        for (kernel, mask, expected) in [("same", 2, [1]), ("same", 3, [1, 2]), ("other", 2, [1, 2])]
            as [(String, UInt64, [Int])]
        {
            var state = Systems.State()
            _ = state.join(id: .test(0), name: "local", slots: 1, depth: 1, isLocal: true, speed: 1)
            for number in [1, 2] as [UInt64] {
                _ = state.join(
                    id: .test(number), name: "node", slots: 1, depth: 1, isLocal: false,
                    link: BulkLink(nominal: 1e6), speed: 1,
                    processors: ProcessorShare(kernel: number == 1 ? "same" : kernel, processors: [mask]))
            }
            state.assumedRate = 1
            let (local, node) = starts(&state, tasks(3))
            #expect(local == [0] && node == expected, "\(kernel) \(mask)")
        }
    }

    @Test("sending takes time of local slots that use all processors: a task goes to a node if that saves more")
    func sendingCost() {
        for (processors, expected) in [([1], []), ([3], [1])] as [([UInt64], [Int])] {
            var state = Systems.State()
            _ = state.join(
                id: .test(0), name: "local", slots: 1, depth: 1, isLocal: true, speed: 1,
                processors: ProcessorShare(kernel: "here", processors: processors))
            _ = state.join(
                id: .test(1), name: "node", slots: 1, depth: 1, isLocal: false, link: BulkLink(nominal: 1e15),
                speed: 1)
            state.assumedRate = 1
            // A task takes a second, and its bytes 0.9 s of a processor.
            let (local, node) = starts(&state, tasks(2, bytes: 300_000_000))
            #expect(local == [0] && node == expected)
        }
    }

    @Test("bytes that a node reads itself take no time to send")
    func reading() {
        var state = Systems.State()
        _ = state.join(id: .test(0), name: "local", slots: 1, depth: 1, isLocal: true, speed: 1)
        _ = state.join(
            id: .test(1), name: "node", slots: 2, depth: 2, isLocal: false, link: BulkLink(nominal: 1), reads: true,
            speed: 1)
        state.assumedRate = 1
        var pending = tasks(4)
        for index in pending.indices { pending[index].request.isReferable = true }
        let (local, node) = starts(&state, pending)
        #expect(local == [0] && node == [1, 2])
    }

    /// As ``cluster(rate:)``, with a node that reads; and four tasks whose bytes are those of `origin`.
    private func reader(of origin: Int) -> (Systems.State, [PendingTask]) {
        var state = Systems.State()
        _ = state.join(id: .test(0), name: "local", slots: 1, depth: 1, isLocal: true, speed: 1)
        _ = state.join(
            id: .test(1), name: "node", slots: 2, depth: 2, isLocal: false, link: BulkLink(nominal: 1), reads: true,
            speed: 1)
        state.assumedRate = 1
        var pending = tasks(4)
        for index in pending.indices {
            (pending[index].request.isReferable, pending[index].request.origin) = (true, origin)
        }
        return (state, pending)
    }

    @Test("bytes of a file that a node has not are sent, and those of its other files are not")
    func lacking() {
        let (lost, kept): ([UInt8], [UInt8]) = ([1], [2])
        var (state, pending) = reader(of: BulkReference.number(of: lost))
        state.note(lost, lackedBy: "node")
        #expect(starts(&state, pending).node.isEmpty)
        (state, pending) = reader(of: BulkReference.number(of: kept))
        state.note(lost, lackedBy: "node")
        #expect(starts(&state, pending).node == [1, 2])
    }

    @Test("a node first gets the tasks of files that it has", arguments: [0, 100.0])
    func ownFiles(expectedWork: Double) throws {
        let (first, second): ([UInt8], [UInt8]) = ([1], [2])
        var state = Systems.State()
        for (number, lacked) in [(UInt64(1), second), (2, first)] {
            _ = state.join(
                id: .test(number), name: "node\(number)", slots: 1, depth: 1, isLocal: false,
                link: BulkLink(nominal: 1000),
                reads: true,
                speed: 1)
            state.note(lacked, lackedBy: "node\(number)")
        }
        (state.assumedRate, state.expectedWork) = (1, expectedWork)
        var pending = tasks(4)
        for (index, file) in [first, first, first, second].enumerated() {
            (pending[index].request.isReferable, pending[index].request.origin) = (true, BulkReference.number(of: file))
        }
        var starts: [Int: SystemID] = [:]
        while let pick = state.pick(from: pending, excluding: [], run: run, at: moment(0)) {
            starts[pending.remove(at: pick.offset).entry] = pick.reservation.system
        }
        #expect(starts == [0: .test(1), 3: .test(2)])
    }

    @Test("a node that was to read a file and cannot is still expected to read others")
    func unread() throws {
        var (state, pending) = reader(of: 7)
        let pick = state.pick(from: pending, excluding: [.test(0)], run: run, at: moment(0))
        let first = try #require(pick)
        _ = state.note(.init(transfer: (first.reservation.ticket, 100)), of: .test(1), at: moment(0))
        pending.remove(at: first.offset)
        var same = state
        #expect(starts(&same, pending).node.isEmpty)
        for index in pending.indices { pending[index].request.origin = 8 }
        #expect(starts(&state, pending).node.count == 1)
    }

    @Test("slots that a link leaves idle are not counted when bands are made")
    func usefulSlots() {
        let state = cluster(rate: 100)
        #expect(state.usefulSlots(bytesPerCost: 100) == 2)
        #expect(state.usefulSlots(bytesPerCost: 10) == 3)
        #expect(state.usefulSlots(bytesPerCost: 1000) == 1)
    }
}
