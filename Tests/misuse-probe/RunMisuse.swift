import Foundation
import SkyfarmKit

extension MisuseProbe {
    /// Farms and runs that are used at a wrong time.
    static let runs: [String: Misuse] = [
        "farm without systems": { try await locally([Doubling(id: 1)], slots: 0) },
        "farm with negative slots": { try await locally([Doubling(id: 1)], slots: -1) },
        "farm with too many slots": { try await locally([Doubling(id: 1)], slots: .max) },
        "farm used after its end": {
            let farm = try await withFarm(discovering: [], keys: keys(), localSlots: 1) { $0 }
            return try await outcome(of: farm.responses(to: [Doubling(id: 1)]))
        },
        "chunks on a farm after its end": {
            let farm = try await withFarm(discovering: [], keys: keys(), localSlots: 1) { $0 }
            return try await outcome(of: farm.coordinator.responses(to: [Doubling(id: 1)], inChunksOf: 8))
        },
        "farm closed while it runs": {
            try await withFarm(discovering: [], keys: keys(), localSlots: 1) { farm in
                var count = 0
                for try await _ in farm.responses(to: (0..<10_000).map { Doubling(id: $0) }) {
                    if count == 0 { await farm.close() }
                    count += 1
                }
                return "\(count) tasks"
            }
        },
        "farm closed twice": {
            try await withFarm(discovering: [], keys: keys(), localSlots: 1) { farm in
                await farm.close()
                await farm.close()
                return "closed"
            }
        },
        "run cancelled before its start": {
            try await withFarm(discovering: [], keys: keys(), localSlots: 1) { farm in
                let run = Task { () async throws -> String in
                    while !Task.isCancelled { await Task.yield() }
                    return try await outcome(of: farm.responses(to: [Doubling(id: 1)]))
                }
                run.cancel()
                return try await run.value
            }
        },
        "farm cancelled before its start": {
            let run = Task { () async throws -> String in
                while !Task.isCancelled { await Task.yield() }
                return try await remotely([Doubling(id: 1)])
            }
            run.cancel()
            return try await run.value
        },
        "two loops over one run": { try await twoLoops() },
        "loop that goes on after the end": {
            try await withFarm(discovering: [], keys: keys(), localSlots: 1) { farm in
                var iterator = farm.responses(to: [Doubling(id: 1)]).makeAsyncIterator()
                var count = 0
                for _ in 0..<5 where try await iterator.next() != nil { count += 1 }
                return "\(count) response"
            }
        },
        "task that waits for a farm of its own": {
            let options = ScanCoordinator.Options(timeout: .milliseconds(200), waitForSystems: .milliseconds(200))
            return try await withFarm(discovering: [], keys: keys(), localSlots: 1, options: options) { farm in
                Work.body = { _ in
                    let (ended, words) = (DispatchSemaphore(value: 0), Words())
                    Task {
                        words.text = (try? await outcome(of: farm.responses(to: [Doubling(id: 2)]))) ?? "nothing"
                        ended.signal()
                    }
                    ended.wait()
                    return Array(words.text.utf8)
                }
                return try await outcome(of: farm.responses(to: [Work(id: 1)]))
            }
        },
        "observer that asks the farm": {
            try await withFarm(discovering: [], keys: keys(), localSlots: 1) { farm in
                try await outcome(
                    of: farm.responses(to: [Doubling(id: 1)], observer: { _ in _ = farm.systems.snapshot }))
            }
        },
        "system run after its end": {
            let system = ScanSystem(
                local: 1, id: SystemID(high: 1, low: 1), name: "here", clock: EventLoop.shared)
            await system.close()
            return "\(try await system.run(Doubling(id: 1), attempt: 1).get())"
        },
        "system joined twice": {
            let systems = Systems(clock: EventLoop.shared)
            let system = ScanSystem(local: 1, id: SystemID(high: 1, low: 1), name: "here", clock: EventLoop.shared)
            return "\(systems.join(system)) \(systems.join(system))"
        },
        "system that never joined leaves": {
            let systems = Systems(clock: EventLoop.shared)
            systems.leave(SystemID(high: 1, low: 1), isLost: true)
            return "\(systems.snapshot.count) systems"
        },
    ]

    private final class Words: @unchecked Sendable {
        // Sendable: read after the semaphore that follows the writing.
        var text = ""
    }

    /// Two tasks of one actor wait for responses of the same run.
    @MainActor private static func twoLoops() async throws -> String {
        let farm = try await Farm(discovering: [], keys: keys(), localSlots: 1)
        Work.body = { _ in
            usleep(100_000)
            return [1]
        }
        let iterator = farm.responses(to: (0..<4).map { Work(id: $0) }).makeAsyncIterator()
        let loops = (0..<2).map { _ in
            var copy = iterator
            return Task { @MainActor () async throws -> Int in
                var count = 0
                while try await copy.next() != nil { count += 1 }
                return count
            }
        }
        var counts: [String] = []
        for loop in loops {
            do {
                counts.append("\(try await loop.value)")
            } catch {
                counts.append("\(error)")
            }
        }
        await farm.close()
        return counts.joined(separator: " and ")
    }
}
