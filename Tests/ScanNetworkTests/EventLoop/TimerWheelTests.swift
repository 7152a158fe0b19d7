import ScanBasics
import ScanCluster
import ScanNetwork
import ScanTestSupport
import Testing

@Suite("The timer wheel")
struct TimerWheelTests {
    static func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test("fires a timer at its deadline, not before")
    func deadline() {
        var wheel = TimerWheel<String>(now: Self.at(0))
        _ = wheel.schedule(at: Instant(nanoseconds: 5_000_001), "six")
        let early = wheel.fired(until: Instant(nanoseconds: 5_999_999))
        #expect(early.isEmpty)
        #expect(wheel.nextDeadline == Self.at(6))
        let due = wheel.fired(until: Self.at(6))
        #expect(due == ["six"])
        #expect(wheel.nextDeadline == nil)
        #expect(wheel.count == 0)
    }

    @Test("fires a timer of the past at once")
    func past() {
        var wheel = TimerWheel<Int>(now: Self.at(1000))
        _ = wheel.schedule(at: Self.at(3), 1)
        let due = wheel.fired(until: Self.at(1000))
        #expect(due == [1])
    }

    @Test("forgets a cancelled timer, and only once")
    func cancel() {
        var wheel = TimerWheel<Int>(now: Self.at(0))
        let first = wheel.schedule(at: Self.at(10), 1)
        let second = wheel.schedule(at: Self.at(10), 2)
        let third = wheel.schedule(at: Self.at(10), 3)
        #expect(wheel.cancel(second) == true)
        #expect(wheel.cancel(second) == false)
        let reused = wheel.schedule(at: Self.at(20), 4)
        #expect(reused != second)
        #expect(wheel.cancel(second) == false)
        let due = wheel.fired(until: Self.at(100))
        #expect(Set(due) == [1, 3, 4])
        #expect(wheel.cancel(first) == false)
        #expect(wheel.cancel(third) == false)
        #expect(wheel.cancel(TimerID(rawValue: 99)) == false)
    }

    @Test("forgets a timer that is due and cancelled before it is taken")
    func cancelDue() {
        var wheel = TimerWheel<Int>(now: Self.at(0))
        let first = wheel.schedule(at: Self.at(10), 1)
        let second = wheel.schedule(at: Self.at(10), 2)
        #expect(wheel.take(first) == nil)
        var due: [TimerID] = []
        wheel.expire(until: Self.at(10), into: &due)
        #expect(Set(due) == [first, second])
        #expect(wheel.cancel(second) == true)
        #expect(wheel.take(first) == 1)
        #expect(wheel.take(second) == nil)
        #expect(wheel.take(first) == nil)
        #expect(wheel.count == 0)
    }

    @Test("agrees with a list that is searched, over random timers", arguments: 0..<30)
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var now = Int64.random(in: 0...1 << 40, using: &generator)
        var wheel = TimerWheel<Int>(now: Self.at(now))
        var model: [Int: (tick: Int64, id: TimerID)] = [:]
        for step in 0..<3000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let reach = Int64(1) << Int64.random(in: 0...30, using: &generator)
                let tick = now + Int64.random(in: -2...reach, using: &generator)
                model[step] = (tick, wheel.schedule(at: Self.at(tick), step))
            case 5..<7:
                if let (number, timer) = model.randomElement(using: &generator) {
                    #expect(wheel.cancel(timer.id) == true)
                    model[number] = nil
                }
            default:
                now += Int64(1) << Int64.random(in: 0...22, using: &generator)
                let due = wheel.fired(until: Self.at(now))
                let expected = model.filter { $0.value.tick <= now }
                #expect(Set(due) == Set(expected.keys))
                for number in due { model[number] = nil }
            }
            #expect(wheel.count == model.count)
            let earliest = model.values.map(\.tick).min()
            if let earliest {
                #expect(wheel.nextDeadline.map { $0 <= Self.at(max(earliest, now)) } == true)
            } else {
                #expect(wheel.nextDeadline == nil)
            }
        }
    }
}

extension TimerWheel {
    /// The timers that are due, taken.
    fileprivate mutating func fired(until now: Instant) -> [Payload] {
        var due: [TimerID] = []
        expire(until: now, into: &due)
        var payloads: [Payload] = []
        for timer in due {
            if let payload = take(timer) { payloads.append(payload) }
        }
        return payloads
    }
}
