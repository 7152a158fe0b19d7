import CommandLineKit
import ScanCluster
import Testing

import ImageScanning
import ScanFleet

/// The decisions about nodes by Slurm, without Slurm.
@Suite struct SlurmPoolTests {
    private let address = SocketAddress(host: "10.0.0.7", port: 4870)

    /// The actions that are not messages.
    private func orders(_ actions: [SlurmPool.Action]) -> [SlurmPool.Action] {
        actions.filter { if case .tell = $0 { false } else { true } }
    }

    private func node(_ id: String) -> FleetNode {
        FleetNode(host: "slurm/" + id, address: address, name: SlurmPool.name(id))
    }

    @Test("a fixed number is submitted once; its end is that of the last node")
    func fixed() {
        var pool = SlurmPool(.fixed(2))
        #expect(pool.begin() == [.submit(2, stay: false)])
        #expect(pool.handle(.submitted(["7_1", "7_2"], stay: false)).isEmpty)
        #expect(orders(pool.handle(.queue(["7_1": .queued, "7_2": .queued], waiting: 9))).isEmpty)
        #expect(orders(pool.handle(.joined(id: "7_1", address: address, slots: 2))) == [.list([node("7_1")], gone: [])])
        #expect(orders(pool.handle(.queue(["7_1": .running], waiting: 9))).isEmpty)
        let end = orders(pool.handle(.queue([:], waiting: 9)))
        #expect(end == [.list([], gone: ["slurm/7_1"]), .finish(.partialCatalogue)])
    }

    @Test("none of a fixed number has joined")
    func none() {
        var pool = SlurmPool(.fixed(1))
        _ = pool.begin()
        _ = pool.handle(.submitted(["7_1"], stay: false))
        #expect(orders(pool.handle(.queue([:], waiting: 0))) == [.finish(.noUsableNode)])
    }

    @Test("an elastic pool follows the tasks that wait, from nothing and back")
    func elastic() {
        var pool = SlurmPool(.elastic(0...3))
        #expect(pool.begin().isEmpty)
        #expect(pool.handle(.queue([:], waiting: 0)).isEmpty)
        #expect(pool.handle(.queue([:], waiting: 3)) == [.submit(2, stay: false)])
        // Not again while Slurm answers.
        #expect(pool.handle(.queue([:], waiting: 100)).isEmpty)
        _ = pool.handle(.submitted(["7_1", "7_2"], stay: false))
        #expect(
            pool.handle(.queue(["7_1": .running, "7_2": .queued], waiting: 100)) == [.submit(1, stay: false)])
        _ = pool.handle(.submitted(["8_1"], stay: false))
        // A node of eight slots takes more of them: those that Slurm has not started are cancelled.
        _ = pool.handle(.joined(id: "7_1", address: address, slots: 8))
        let tasks: [String: SlurmTask] = ["7_1": .running, "7_2": .queued, "8_1": .queued]
        #expect(pool.handle(.queue(tasks, waiting: 20)) == [.cancel(["8_1"])])
        // A node that runs is not cancelled: it leaves by itself.
        _ = pool.handle(.queue(["7_1": .running], waiting: 0))
        #expect(pool.handle(.queue(["7_1": .running], waiting: 0)).isEmpty)
        #expect(orders(pool.handle(.queue([:], waiting: 0))) == [.list([], gone: ["slurm/7_1"])])
        #expect(orders(pool.handle(.end)) == [.finish(.complete)])
    }

    @Test("the least number stays, and a node that drains is replaced")
    func least() {
        var pool = SlurmPool(.elastic(1...2))
        #expect(pool.handle(.queue([:], waiting: 50)) == [.submit(1, stay: true)])
        _ = pool.handle(.submitted(["7_1"], stay: true))
        #expect(pool.handle(.queue(["7_1": .running], waiting: 50)) == [.submit(1, stay: false)])
        _ = pool.handle(.submitted(["8_1"], stay: false))
        _ = pool.handle(.joined(id: "7_1", address: address, slots: 1))
        _ = pool.handle(.joined(id: "8_1", address: address, slots: 1))
        #expect(
            pool.handle(.queue(["7_1": .ending, "8_1": .running], waiting: 0)).isEmpty,
            "the other one is enough for the least number")
        #expect(pool.handle(.queue(["7_1": .ending, "8_1": .ending], waiting: 0)) == [.submit(1, stay: true)])
    }

    @Test("nodes that never join are not submitted for ever")
    func failures() {
        var pool = SlurmPool(.elastic(0...1))
        for number in 1...3 {
            #expect(pool.handle(.queue([:], waiting: 1)) == [.submit(1, stay: false)])
            _ = pool.handle(.submitted(["\(number)_1"], stay: false))
            if number < 3 { _ = pool.handle(.queue(["\(number)_1": .running], waiting: 0)) }
            if number < 3 { #expect(orders(pool.handle(.queue([:], waiting: 0))).isEmpty) }
        }
        #expect(orders(pool.handle(.queue([:], waiting: 1))) == [.finish(.noUsableNode)])
    }

    @Test("the end cancels all, and waits for it")
    func end() {
        var pool = SlurmPool(.elastic(0...2))
        _ = pool.handle(.queue([:], waiting: 9))
        #expect(pool.handle(.end).isEmpty)
        #expect(pool.handle(.submitted(["7_1", "7_2"], stay: false)) == [.cancel(["7_1", "7_2"])])
        #expect(pool.handle(.queue(["7_1": .ending], waiting: 9)).isEmpty)
        #expect(orders(pool.handle(.queue([:], waiting: 9))) == [.finish(.complete)])
    }

    @Test("what Slurm refuses ends the pool with its reason")
    func refused() {
        var pool = SlurmPool(.fixed(1))
        _ = pool.begin()
        #expect(pool.handle(.refused("invalid partition")) == [.tell("invalid partition"), .finish(.failure)])
    }

    @Test("states of squeue")
    func states() {
        let text = "7_1 RUNNING\n7_2 PENDING\n7_3 COMPLETING\n\n"
        #expect(SlurmTask.parse(text) == ["7_1": .running, "7_2": .queued, "7_3": .ending])
    }

    @Test(
        "options that do not go together",
        arguments: [
            (["h1", "--slurm"], "either --slurm or hosts"), (["--nodes", "2", "h1"], "belongs to --slurm"),
            ([], "name hosts"),
            (["--slurm", "--min", "2"], "--min needs --max"), (["--slurm", "--min", "3", "--max", "2"], "above"),
            (["--slurm", "--max", "2", "--nodes", "1"], "either --nodes"),
            (["--slurm", "--", "--name", "x"], "--name"),
        ])
    func options(words: [String], reason: String) throws {
        let result = try Program.run(["up"] + words)
        #expect(result.code == ExitCode.usage.rawValue && result.errors.contains(reason), "\(result.errors)")
    }
}
