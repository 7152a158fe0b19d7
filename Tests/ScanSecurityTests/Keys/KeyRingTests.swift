import Foundation
import ScanSecurity
import Testing

@Suite("A key ring")
struct KeyRingTests {
    let first: ClusterKey
    let second: ClusterKey
    let third: ClusterKey
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        (first, second, third) = (try ClusterKey.random(), try ClusterKey.random(), try ClusterKey.random())
    }

    @Test("accepts a replaced key until it expires")
    func expires() {
        let ring = KeyRing(current: first).replacing(with: second, keepingOldUntil: now + 60, at: now)
        #expect(ring.current == second)
        #expect(ring.keys(at: now) == [second, first])
        #expect(ring.keys(at: now + 59) == [second, first])
        #expect(ring.keys(at: now + 60) == [second])
    }

    @Test("keeps several replaced keys, and drops the expired ones at the next replacement")
    func keepsSeveral() {
        let ring = KeyRing(current: first).replacing(with: second, keepingOldUntil: now + 60, at: now)
        let early = ring.replacing(with: third, keepingOldUntil: now + 90, at: now + 30)
        #expect(early.keys(at: now + 30) == [third, second, first])
        let late = ring.replacing(with: third, keepingOldUntil: now + 90, at: now + 60)
        #expect(late.retired.map(\.key) == [second])
    }

    @Test("drops all replaced keys at once if none is to be kept")
    func forgets() {
        let ring = KeyRing(current: first).replacing(with: second, keepingOldUntil: now + 60, at: now)
        #expect(ring.replacing(with: third, keepingOldUntil: nil, at: now) == KeyRing(current: third))
    }

    @Test("holds no key twice, and a key restored from the replaced ones is only current")
    func holdsOnce() {
        let ring = KeyRing(current: first).replacing(with: second, keepingOldUntil: now + 60, at: now)
        let back = ring.replacing(with: first, keepingOldUntil: now + 90, at: now)
        #expect(back.current == first)
        #expect(back.retired == [.init(key: second, expiry: now + 90)])
        let twice = KeyRing(
            current: first, retired: [.init(key: second, expiry: now), .init(key: second, expiry: now + 9)])
        #expect(twice.retired.count == 1)
    }

    @Test("offers a node the keys that it announces, otherwise all")
    func offers() {
        let ring = KeyRing(current: first).replacing(with: second, keepingOldUntil: now + 60, at: now)
        #expect(ring.keys(for: [], at: now) == [second, first])
        #expect(ring.keys(for: [second.fingerprint], at: now) == [second])
        #expect(ring.keys(for: [first.fingerprint], at: now) == [first])
        #expect(ring.keys(for: [first.fingerprint, second.fingerprint], at: now) == [second, first])
        #expect(ring.keys(for: [first.fingerprint], at: now + 60) == [second])
        #expect(ring.keys(for: [third.fingerprint], at: now) == [second, first])
    }
}
