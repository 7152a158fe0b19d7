import Testing

@testable import ScanDashboard

@Suite struct StreamStateTests {
    /// A stream with one watcher that has read its snapshot and waits.
    private func waiting(backlog: Int = 10) throws -> (StreamState, StreamState.ID) {
        var state = StreamState(watcherLimit: 2, backlogLimit: backlog)
        let idJoined = state.join()
        let id = try #require(idJoined)
        #expect(state.next(for: id, limit: 9) == .makeSnapshot)
        state.provide([1, 2, 3], to: id)
        #expect(state.next(for: id, limit: 2) == .send([1, 2]))
        #expect(state.next(for: id, limit: 2) == .send([3]))
        #expect(state.next(for: id, limit: 2) == .wait)
        return (state, id)
    }

    @Test("a watcher gets a snapshot, then what is published, in order")
    func order() throws {
        var (state, id) = try waiting()
        #expect(state.publish([4]) == [id])
        // It is awake now.
        #expect(state.publish([5, 6]) == [])
        #expect(state.next(for: id, limit: 9) == .send([4]))
        #expect(state.next(for: id, limit: 9) == .send([5, 6]))
        #expect(state.next(for: id, limit: 9) == .wait)
    }

    @Test("what is published while a snapshot is made comes after it")
    func meanwhile() throws {
        var state = StreamState(watcherLimit: 1, backlogLimit: 10)
        let idJoined = state.join()
        let id = try #require(idJoined)
        // The snapshot will tell of this.
        #expect(state.publish([9]) == [])
        #expect(state.next(for: id, limit: 9) == .makeSnapshot)
        #expect(state.publish([4]) == [])
        state.provide([1], to: id)
        #expect(state.next(for: id, limit: 9) == .send([1]))
        #expect(state.next(for: id, limit: 9) == .send([4]))
        #expect(state.next(for: id, limit: 9) == .wait)
    }

    @Test("one that falls behind finishes its message, loses the others and gets a fresh snapshot")
    func behind() throws {
        var (state, id) = try waiting()
        #expect(state.publish([4, 5]) == [id])
        #expect(state.next(for: id, limit: 1) == .send([4]))
        for round in 0..<1000 {
            _ = state.publish([UInt8](repeating: UInt8(round % 200), count: 3))
            #expect(state.backlogBytes <= 10 + 1)
        }
        #expect(state.next(for: id, limit: 9) == .send([5]))
        #expect(state.next(for: id, limit: 9) == .makeSnapshot)
        state.provide([7], to: id)
        #expect(state.next(for: id, limit: 9) == .send([7]))
        #expect(state.next(for: id, limit: 9) == .wait)
    }

    @Test("one that falls behind while its snapshot is made gets another")
    func behindMeanwhile() throws {
        var state = StreamState(watcherLimit: 1, backlogLimit: 10)
        let idJoined = state.join()
        let id = try #require(idJoined)
        #expect(state.next(for: id, limit: 9) == .makeSnapshot)
        for _ in 0..<2 { _ = state.publish([UInt8](repeating: 0, count: 6)) }
        state.provide([1], to: id)
        #expect(state.next(for: id, limit: 9) == .makeSnapshot)
    }

    @Test("a message alone is sent, however long it is")
    func long() throws {
        var (state, id) = try waiting(backlog: 10)
        let message = [UInt8](repeating: 7, count: 50)
        #expect(state.publish(message) == [id])
        #expect(state.next(for: id, limit: 99) == .send(message[...]))
        #expect(state.publish(message) == [])
        #expect(state.publish([1]) == [])
        #expect(state.next(for: id, limit: 99) == .makeSnapshot)
    }

    @Test("a slow one delays no other")
    func others() throws {
        var (state, slow) = try waiting()
        let otherJoined = state.join()
        let other = try #require(otherJoined)
        #expect(state.next(for: other, limit: 9) == .makeSnapshot)
        state.provide([1], to: other)
        #expect(state.next(for: other, limit: 9) == .send([1]))
        for message in 0..<100 as Range<UInt8> {
            _ = state.publish([message])
            #expect(state.next(for: other, limit: 9) == .send([message]))
        }
        #expect(state.next(for: slow, limit: 9) == .makeSnapshot)
    }

    @Test("the end comes after what is kept, also for who comes late")
    func end() throws {
        var (state, id) = try waiting()
        #expect(state.publish([4]) == [id])
        #expect(state.end() == [])
        #expect(state.next(for: id, limit: 9) == .send([4]))
        #expect(state.next(for: id, limit: 9) == .end)
        let lateJoined = state.join()
        let late = try #require(lateJoined)
        #expect(state.next(for: late, limit: 9) == .makeSnapshot)
        state.provide([1], to: late)
        #expect(state.next(for: late, limit: 9) == .send([1]))
        #expect(state.next(for: late, limit: 9) == .end)
    }

    @Test("the end and signs of life wake those that wait, and no others")
    func wakes() throws {
        var (state, id) = try waiting()
        #expect(state.beat([0]) == [id])
        #expect(state.beat([0]) == [])
        #expect(state.next(for: id, limit: 9) == .send([0]))
        #expect(state.next(for: id, limit: 9) == .wait)
        #expect(state.end() == [id])
        #expect(state.next(for: id, limit: 9) == .end)
    }

    @Test("there is room for so many, and for another when one leaves")
    func room() throws {
        var (state, id) = try waiting()
        #expect(state.join() != nil)
        #expect(state.join() == nil)
        state.leave(id)
        #expect(state.count == 1)
        #expect(state.join() != nil)
        #expect(state.next(for: id, limit: 9) == .end)
    }
}
