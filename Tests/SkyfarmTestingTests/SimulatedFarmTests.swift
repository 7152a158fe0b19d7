import Foundation
import SkyfarmTesting
import Testing

/// Counts the primes of a range: the task of the documentation's first program.
private struct PrimeCount: ScanTask {
    static let typeName = "test.primes/1"
    var id: Int
    var range: Range<Int>

    func scan(_ context: ScanContext) throws -> Int {
        range.count { number in number > 1 && !(2..<number).contains { number.isMultiple(of: $0) } }
    }
}

/// A task with a property that is not coded.
private struct Forgetful: ScanTask {
    static let typeName = "test.forgetful/1"
    var id: Int
    var factor = 1

    private enum CodingKeys: String, CodingKey { case id }

    func scan(_ context: ScanContext) -> Int { id * factor }
}

/// Throws an error that says nothing but its words.
private struct Throwing: ScanTask {
    static let typeName = "test.throwing/1"
    struct Failure: Error, CustomStringConvertible { var description = "no luck" }
    var id: Int

    func scan(_ context: ScanContext) throws -> Int { throw Failure() }
}

/// Adds up its bulk bytes; only where there is a `gpu`.
private struct Sum: ScanTask {
    static let typeName = "test.sum/1"
    var id: Int
    var requiredTags: Set<String> { ["gpu"] }

    func scan(_ context: ScanContext) throws -> Int {
        try context.requireBulk().withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } }
    }
}

/// Suspends before it doubles its identity, or fails.
private struct Suspending: AsyncScanTask {
    static let typeName = "test.suspending/1"
    var id: Int

    func scan(_ context: ScanContext) async throws -> Int {
        for _ in 0..<3 { await Task.yield() }
        if id < 0 { throw Throwing.Failure() }
        return 2 * id
    }
}

@Suite("A simulated farm")
struct SimulatedFarmTests {
    private let tasks = (0..<40).map { PrimeCount(id: $0, range: $0 * 50..<($0 + 1) * 50) }

    @Test("answers each task once, whichever node is killed, hangs or slows down", arguments: 0..<10 as Range<UInt64>)
    func randomFaults(seed: UInt64) throws {
        var farm = SimulatedFarm(seed: seed, nodes: 3, localSlots: 1)
        farm.addRandomFaults(every: .seconds(5), until: .seconds(60))
        farm.limit = .seconds(2000)
        let report = try farm.run(tasks)
        #expect(report.error == nil)
        #expect(Set(report.responses.map(\.id)).count == tasks.count && report.responses.count == tasks.count)
        for response in report.responses {
            switch response.result {
            case .success(let count): #expect(count == (try? tasks[response.id].scan(ScanContext())))
            // Two nodes were killed while they ran it: it might be the cause.
            case .failure(let failure): #expect(failure.message.contains("ended the processes of"))
            }
        }
    }

    @Test("runs in the same way again, and in another with another seed")
    func repeatable() throws {
        var farm = SimulatedFarm(seed: 3, nodes: 4)
        let calm = (try farm.run(tasks).duration, try farm.run(tasks).duration)
        farm.addRandomFaults(every: .seconds(2), until: .seconds(30))
        let (first, second) = (try farm.run(tasks), try farm.run(tasks))
        #expect(first.events == second.events && first.duration == second.duration)
        #expect(first.duration > calm.0 && calm.0 == calm.1)
        #expect(try SimulatedFarm(seed: 4, nodes: 4).run(tasks).duration != calm.0)
    }

    @Test("needs no more attempts than tasks if nothing fails, and the time of their costs")
    func faultless() throws {
        let report = try SimulatedFarm(nodes: 2).run(tasks)
        #expect(try report.outputs().values.reduce(0, +) == 303)
        #expect(report.attempts == 40)
        // Forty tasks of one second on four slots, and the network.
        #expect(report.duration >= .seconds(10) && report.duration < .seconds(10.2))
    }

    @Test("tries the tasks of a killed node again")
    func kill() throws {
        var farm = SimulatedFarm(nodes: 2)
        farm.nodes[0].faults = [.kill(at: .seconds(1.5))]
        let report = try farm.run(tasks)
        #expect(try report.outputs().count == 40)
        #expect(report.events.contains { if case .taskRetried = $0 { true } else { false } })
        #expect(report.events.contains(.systemLeft(name: "node-1")))
        #expect(report.responses.filter { $0.system == "node-1" }.count == 2)
    }

    @Test("gives up a node that hangs after three seconds, and uses it again when it answers")
    func hang() throws {
        var farm = SimulatedFarm(nodes: [.init("sole", slots: 1)])
        farm.nodes[0].faults = [.hang(at: .seconds(0.5), for: .seconds(7))]
        let report = try farm.run([PrimeCount(id: 0, range: 0..<10)])
        #expect(try report.outputs() == [0: 4])
        #expect(report.attempts == 2)
        #expect(report.duration > .seconds(8.5) && report.duration < .seconds(9))
        farm.nodes[0].faults = [.hang(at: .seconds(0.5), for: .seconds(2))]
        #expect(try farm.run([PrimeCount(id: 0, range: 0..<10)]).attempts == 1)
    }

    @Test("ends with the error of a run without systems")
    func noSystem() throws {
        var farm = SimulatedFarm(nodes: 1)
        farm.nodes[0].faults = [.kill(at: .seconds(1.5))]
        let report = try farm.run(tasks)
        #expect(report.error?.code == .noSystem)
        #expect(throws: ScanError.self) { try report.outputs() }
    }

    @Test("loses messages, after which only a time limit ends an attempt")
    func loss() throws {
        var farm = SimulatedFarm(seed: 5, nodes: 2, options: .init(timeout: .seconds(5), maxAttempts: 20))
        farm.network.loss = 0.2
        #expect(try farm.run(tasks).outputs().count == 40)
        farm.options = .init(adaptiveTimeout: nil)
        farm.nodes.removeLast()
        farm.network.loss = 1
        farm.limit = .seconds(60)
        #expect(throws: SimulationError.self) { try farm.run([PrimeCount(id: 0, range: 0..<10)]) }
    }

    @Test("codes tasks on their way, so that what is not coded shows")
    func coding() throws {
        let remote = try SimulatedFarm(nodes: 1).run([Forgetful(id: 2, factor: 3)])
        #expect(try remote.outputs() == [2: 2])
        let local = try SimulatedFarm(nodes: 0, localSlots: 1).run([Forgetful(id: 2, factor: 3)])
        #expect(try local.outputs() == [2: 6])
        #expect(local.responses.map(\.system) == ["local"])
    }

    @Test("reports the error of a task after three attempts")
    func throwing() throws {
        let report = try SimulatedFarm(nodes: 2).run([Throwing(id: 1)])
        #expect(report.attempts == 3)
        guard case .failure(let failure) = report.responses.first?.result else {
            Issue.record("the task has not failed")
            return
        }
        #expect(failure.message == "no luck" && failure.attempt == 3)
    }

    @Test("runs asynchronous tasks while other simulations have all threads of the pool", .timeLimit(.minutes(10)))
    func asynchronous() async throws {
        let sums = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    let farm = SimulatedFarm(nodes: 2, localSlots: 1)
                    let report = try farm.run((0..<20).map { Suspending(id: $0) })
                    return try report.outputs().values.reduce(0, +)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(sums) == [380])
        let failed = try SimulatedFarm(nodes: 2).run([Suspending(id: -1)])
        #expect(failed.attempts == 3)
        #expect(throws: TaskFailure.self) { try failed.outputs() }
    }

    @Test("sends bulk bytes, and knows the tags of its nodes")
    func bulkAndTags() throws {
        var farm = SimulatedFarm(nodes: [.init("plain", slots: 8), .init("card", slots: 1, tags: ["gpu"])])
        let sums = (0..<5).map { Sum(id: $0) }
        let report = try farm.run(sums) { BulkSource(copying: [UInt8(7), UInt8($0.id)]) }
        #expect(try report.outputs() == [0: 7, 1: 8, 2: 9, 3: 10, 4: 11])
        #expect(Set(report.responses.map(\.system)) == ["card"])
        farm.nodes.removeLast()
        #expect(try farm.run(sums).error?.code == .noSystem)
    }

    @Test("takes costs and speeds that are no numbers")
    func odd() throws {
        struct Odd: ScanTask {
            static let typeName = "test.odd/1"
            var id: Int
            var cost: Double
            func scan(_ context: ScanContext) -> Double { cost }
        }
        let farm = SimulatedFarm(nodes: [.init("odd", slots: 0, speed: .nan)])
        let costs = [Double.nan, .infinity, -1, 0]
        let report = try farm.run(costs.enumerated().map { Odd(id: $0.offset, cost: $0.element) })
        #expect(report.responses.count == 4)
    }
}
