import Foundation
import SkyfarmKit

extension MisuseProbe {
    /// Limits and times that make no sense.
    static let settings: [String: Misuse] = [
        "no time": {
            try await locally([Doubling(id: 1)], options: .init(timeout: .zero, maxAttempts: 1, waitForSystems: .zero))
        },
        "negative time": {
            try await remotely(
                [
                    Work(id: 1) { _ in
                        usleep(50_000); return []
                    }
                ], options: .init(timeout: .seconds(-5), maxAttempts: 1))
        },
        "too much time": {
            let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
            return try await remotely(
                [Doubling(id: 1)], options: .init(timeout: longest, waitForSystems: longest))
        },
        "adaptive time that is no number": {
            let timeout = AdaptiveTimeout(
                multiple: .nan, least: .seconds(-1), leastUnmeasured: .seconds(3), secondsPerCostUnmeasured: .nan)
            return try await remotely((1...5).map { Doubling(id: $0) }, options: .init(adaptiveTimeout: timeout))
        },
        "options without attempts or room": {
            var options = ScanCoordinator.Options()
            options.maxAttempts = -1
            options.maxSystemFaults = 0
            options.responseBuffer = 0
            options.waitForSystems = .seconds(-1)
            return try await locally([Doubling(id: 1), Doubling(id: 2)], options: options)
        },
        "options without attempts, and a task that throws": {
            var options = ScanCoordinator.Options()
            options.maxAttempts = 0
            return try await locally([Work(id: 1) { _ in throw OddError() }], options: options)
        },
        "options without attempts, in chunks": {
            var options = ScanCoordinator.Options()
            (options.maxAttempts, options.maxSystemFaults, options.responseBuffer) = (.min, .min, .min)
            return try await withFarm(discovering: [], keys: keys(), localSlots: 1, options: options) { farm in
                try await outcome(of: farm.coordinator.responses(to: [Doubling(id: 1)], inChunksOf: 8))
            }
        },
        "options with too much of all": {
            let options = ScanCoordinator.Options(
                maxAttempts: .max, maxSystemFaults: .max, responseBuffer: .max)
            return try await withFarm(discovering: [], keys: keys(), localSlots: 1, options: options) { farm in
                try await outcome(of: farm.coordinator.responses(to: [Doubling(id: 1)], inChunksOf: 8))
            }
        },
        "wait without end for a farm": {
            try await withFarm(
                running: Doubling.self, discovering: [StaticDiscovery([])], keys: keys(), localSlots: 1,
                wait: Duration(secondsComponent: .max, attosecondsComponent: 0)
            ) { _ in "ready" }
        },
        "negative wait for a farm": {
            try await withFarm(
                running: Doubling.self, discovering: [StaticDiscovery([])], keys: keys(), localSlots: 0,
                wait: .seconds(-5)
            ) { _ in "ready" }
        },
        "weight that is no number": {
            var remote = RemoteNodes.Options()
            remote.weight = .nan
            return try await remotely([Doubling(id: 1)], remote: remote)
        },
        "depth of no tasks": {
            var remote = RemoteNodes.Options()
            remote.depth = -3
            return try await remotely([Doubling(id: 1)], remote: remote)
        },
        "frames without bytes": {
            var remote = RemoteNodes.Options()
            remote.frameLimit = -1
            return try await remotely(
                [Doubling(id: 1)], options: .init(waitForSystems: .milliseconds(100)), remote: remote)
        },
        "node of frames without bytes": {
            var limits = NodeServer.Options()
            limits.frameLimit = 0
            return try await remotely(
                [Doubling(id: 1)], options: .init(waitForSystems: .milliseconds(100)), limits: limits)
        },
        "node without connections": {
            var limits = NodeServer.Options()
            limits.connectionLimit = 0
            return try await remotely([Doubling(id: 1)], limits: limits)
        },
        "node with negative limits": {
            var limits = NodeServer.Options()
            (limits.queueLimit, limits.bulkLimit, limits.bulkCacheLimit, limits.niceness) = (-1, -1, -1, -1000)
            limits.pauseGrace = .seconds(-1)
            return try await remotely([Doubling(id: 1)], limits: limits) { _ in
                BulkSource(copying: [1, 2, 3] as [UInt8])
            }
        },
        "node with too large limits": {
            var limits = NodeServer.Options()
            (limits.queueLimit, limits.bulkLimit, limits.bulkCacheLimit, limits.niceness) = (.max, .max, .max, .max)
            (limits.frameLimit, limits.connectionLimit) = (.max, .max)
            return try await remotely([Doubling(id: 1)], limits: limits) { _ in
                BulkSource(copying: [1, 2, 3] as [UInt8])
            }
        },
        "connections without time": {
            var remote = RemoteNodes.Options()
            remote.timing.connect = .zero
            remote.timing.handshake = .zero
            remote.timing.heartbeat = .zero
            remote.timing.silence = .seconds(-1)
            return try await remotely(
                [Doubling(id: 1)], options: .init(waitForSystems: .milliseconds(100)), remote: remote)
        },
        "instants at the ends of time": {
            let (first, last) = (Instant(nanoseconds: .min), Instant(nanoseconds: .max))
            return "\(last.since(first) > .zero && first.since(last) < .zero)"
        },
        "work that is no number": {
            try await withFarm(discovering: [], keys: keys(), localSlots: 1) { farm in
                farm.systems.expect(work: .nan)
                farm.systems.expect(work: -1)
                return try await outcome(of: farm.responses(to: [Doubling(id: 1)]))
            }
        },
        "keys in a folder that does not exist": { "\(try KeyStore(path: "/no/such/folder/key").existingRing())" },
        "keys without a path": { "\(try KeyStore(path: "").ring())" },
        "key of other words": { "\(try ClusterKey(text: Array("no key".utf8)))" },
    ]
}
