import skyfarm
import CommandLineKit
import Foundation
import ScanCluster
import ScanNetwork
import ScanTestSupport
import Testing

import NodeDaemon

@Suite("The word of a machine's owner", .timeLimit(.minutes(10)))
struct OwnerStateTests {
    private func reading(load: Double? = nil, idle: Duration? = nil, at minute: Int = 0) -> MachineReading {
        MachineReading(load: load, idle: idle, minute: minute)
    }

    private func second(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    @Test("only the owner ends a pause of the owner; a pause by order is ended by both")
    func orders() {
        var state = OwnerState(OwnerRules())
        #expect(state.pause == nil)
        state.handle(.order(.pause, by: "desk"))
        #expect(state.pause == "by order of desk")
        state.handle(.order(.resume, by: "other"))
        #expect(state.pause == nil)
        state.handle(.owner(isPaused: true))
        state.handle(.order(.pause, by: "desk"))
        state.handle(.order(.resume, by: "desk"))
        #expect(state.pause == "by its owner")
        state.handle(.order(.pause, by: "desk"))
        state.handle(.owner(isPaused: false))
        #expect(state.pause == nil)
    }

    @Test("hours may include midnight; equal ends mean the whole day")
    func hours() throws {
        let night = try #require(DailyHours("20:00-07:00"))
        let day = try #require(DailyHours("9:00-17:30"))
        #expect([0, 419, 420, 1199, 1200, 1439].map(night.contains) == [true, true, false, false, true, true])
        #expect([539, 540, 1049, 1050].map(day.contains) == [false, true, true, false])
        #expect(try #require(DailyHours("00:00-24:00")).contains(720))
        for text in ["", "20:00", "20-07", "24:01-07:00", "20:60-07:00", "20:00-07:00-", "-1:00-2:00"] {
            #expect(DailyHours(text) == nil, "\(text)")
        }
        var state = OwnerState(OwnerRules(hours: night))
        state.handle(.reading(reading(at: 420), at: second(0)))
        #expect(state.pause == "outside of --hours 20:00-07:00")
        state.handle(.order(.resume, by: "desk"))
        #expect(state.pause != nil)
        state.handle(.reading(reading(at: 1200), at: second(1)))
        #expect(state.pause == nil)
    }

    @Test("a machine that is used runs no tasks until it has been idle for long enough")
    func idle() {
        var state = OwnerState(OwnerRules(idle: .seconds(600)))
        state.handle(.reading(reading(idle: .seconds(599)), at: second(0)))
        #expect(state.pause == "the machine is in use (--when-idle 10 min)")
        state.handle(.reading(reading(idle: .seconds(600)), at: second(1)))
        #expect(state.pause == nil)
        state.handle(.reading(reading(idle: .seconds(0)), at: second(2)))
        #expect(state.pause != nil)
    }

    @Test("a short peak of load pauses nothing, and a pause lasts until the load has been low for 30 s")
    func load() {
        var state = OwnerState(OwnerRules(maxLoad: 2))
        func pause(_ load: Double, at seconds: Double) -> Bool {
            state.handle(.reading(reading(load: load), at: second(seconds)))
            return state.pause != nil
        }
        #expect(!pause(8, at: 0) && !pause(8, at: 1.5) && !pause(2, at: 2))
        #expect(!pause(2.1, at: 3) && !pause(2.1, at: 4.5) && pause(2.1, at: 5))
        #expect(state.pause == "other programs need the processors (--max-load 2)")
        #expect(pause(1, at: 6) && pause(1, at: 35.5) && pause(3, at: 35.6) && pause(1, at: 36))
        #expect(pause(1, at: 65.5) && !pause(1, at: 66))
    }

    @Test("under a manual clock, a node pauses within half a second of what its owner does, and tells each change once")
    func clock() async throws {
        let clock = ManualClock()
        let idle = Locked(Duration.seconds(10_000))
        let owner = NodeOwner(OwnerRules(idle: .seconds(600)), clock: clock) {
            MachineReading(load: nil, idle: idle.withLock { $0 }, minute: 0)
        }
        var pauses = owner.pauses.makeAsyncIterator()
        clock.advance(by: .seconds(5))
        idle.withLock { $0 = .zero }
        clock.advance(by: NodeOwner.interval)
        #expect(await pauses.next() == "the machine is in use (--when-idle 10 min)")
        clock.advance(by: .seconds(60))
        #expect(owner.handle(.order(.resume, by: "desk")) != nil)
        idle.withLock { $0 = .seconds(600) }
        clock.advance(by: NodeOwner.interval)
        let resumed = await pauses.next()
        #expect(resumed == .some(nil))
        #expect(owner.handle(.order(.pause, by: "desk")) == "by order of desk")
        #expect(await pauses.next() == "by order of desk")
        clock.cancelAll()
    }

    @Test("without rules the machine is not observed")
    func unobserved() {
        let clock = ManualClock()
        let owner = NodeOwner(OwnerRules(), clock: clock) { fatalError("observed") }
        #expect(clock.timerCount == 0)
        #expect(owner.handle(.owner(isPaused: true)) == "by its owner")
    }
}

@Suite struct MachineObserverTests {
    @Test("the busy time is user, nice, system, irq and softirq of all processors")
    func busy() {
        #expect(MachineObserver.busyTicks("cpu  10 2 300 4000 50000 6 7 8 0 0\ncpu0 1 1 1 1 1 1 1 1\n") == 325)
        for text in ["", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu a 2 3 4 5 6 7 8"] {
            #expect(MachineObserver.busyTicks(text) == nil)
        }
    }

    @Test("the interrupts of keyboard and pointer are those of i8042, on all processors")
    func interrupts() {
        let text = """
                       CPU0       CPU1
              1:         12          3   IO-APIC   1-edge      i8042
              8:          1          0   IO-APIC   8-edge      rtc0
             12:        100          5   IO-APIC  12-edge      i8042
            """
        #expect(MachineObserver.inputInterrupts(text) == 120)
        #expect(MachineObserver.inputInterrupts("") == 0)
    }

    #if os(Linux)
        @Test("a program that computes is load, and what this process computes is not")
        func load() throws {
            let observer = try MachineObserver(OwnerRules(maxLoad: 1, idle: .seconds(1)))
            #expect(observer.read().idle != nil)
            let burn = try Program(path: "/bin/sh", ["-c", "while :; do :; done"])
            // Load is measured in ticks of 10 ms.
            let end = ContinuousClock.now + .milliseconds(300)
            while ContinuousClock.now < end { usleep(10_000) }
            let load = try #require(observer.read().load)
            burn.send(SIGKILL)
            #expect(load > 0.25, "\(load)")
        }
    #endif
}

@Suite struct OwnerOptionTests {
    private func options(_ words: [String]) throws -> NodeCommand.Options {
        guard case .run(_, let arguments) = try CommandLineParser(Skyfarm.program).parse(["node"] + words) else {
            throw UsageError("help")
        }
        return try NodeCommand.Options(arguments)
    }

    @Test("times, sizes and shares are read")
    func values() throws {
        let words = ["--when-idle", "10m", "--max-load", "1.5", "--hours", "20:00-07:00", "--memory", "1.5G"]
        let options = try options(words + ["--slots", "3"])
        #expect(
            options.rules == OwnerRules(maxLoad: 1.5, idle: .seconds(600), hours: DailyHours("20:00-07:00")))
        #expect(options.memory == 3 << 29 && options.slots == 3)
        #expect(try self.options(["--slots", "0.01%"]).slots == 1)
        #expect(try self.options(["--slots", "100%"]).slots == ProcessInfo.processInfo.activeProcessorCount)
        #expect(try self.options([]).rules.isEmpty)
    }

    @Test(
        "others are refused",
        arguments: [
            ["--slots", "0%"], ["--slots", "101%"], ["--slots", "0"], ["--memory", "63M"], ["--memory", "8"],
            ["--when-idle", "10"], ["--when-idle", "-1m"], ["--hours", "night"], ["--max-load", "-1"],
        ])
    func refused(words: [String]) {
        #expect(throws: UsageError.self) { try options(words) }
    }
}
