import ScanCluster
import ScanNetwork
import Testing

@Suite("Bulk bytes that wait for a link")
struct LinkQueueTests {
    private let band = 16 << 20

    private func link(
        waiting: Int = 0, rate: Double? = nil, isStarved: Bool = true, backlog: Int = 0
    ) -> LinkQueue.Link {
        LinkQueue.Link(waiting: waiting, rate: rate, isStarved: isStarved, backlog: backlog)
    }

    /// The actions for `bands` requests while the first is on its way.
    private func actions(_ link: LinkQueue.Link, bands: Int = 3) -> [LinkQueue.Action] {
        var queue = LinkQueue()
        for request in 0..<bands { queue.add(UInt64(request), count: band) }
        var actions: [LinkQueue.Action] = []
        while let action = queue.next(link) { actions.append(action) }
        return actions
    }

    @Test("are sent one after the other, each when the connection has little left of the one before")
    func order() {
        var queue = LinkQueue()
        for request in 1...3 { queue.add(UInt64(request), count: band) }
        #expect(queue.next(link()) == .send(1))
        #expect(queue.next(link(waiting: band)) == nil)
        #expect(queue.next(link(waiting: 3 << 20)) == nil)
        queue.remove(2)
        #expect(queue.next(link(waiting: 1 << 20)) == .send(3))
        #expect(queue.next(link()) == nil && queue.isEmpty)
    }

    @Test("are compressed while others are on their way, if the link is slow and the node has nothing to do")
    func slow() {
        // 100 Mbit/s and 1 Gbit/s. The third waits: the memory of what is compressed is limited.
        for rate in [12e6, 118e6] {
            #expect(actions(link(waiting: band, rate: rate)) == [.compress(0, .planes), .compress(1, .planes)])
        }
        #expect(actions(link(waiting: band, rate: 12e6, isStarved: false)) == [])
        #expect(actions(link(waiting: band)) == [])
    }

    @Test("are compressed even if the link waits for that, if it is slow enough")
    func idle() {
        #expect(actions(link(rate: 12e6), bands: 1) == [.compress(0, .planes)])
        #expect(actions(link(rate: 118e6), bands: 1) == [.send(0)])
    }

    @Test("are compressed always or never, if that is wanted")
    func wanted() {
        for (use, action) in [(LinkQueue.Use.always, LinkQueue.Action.compress(7, .planes)), (.never, .send(7))] {
            var queue = LinkQueue(use)
            queue.add(7, count: band)
            #expect(queue.next(link(rate: use == .never ? 1e6 : 1e10, isStarved: use == .never)) == action)
        }
    }

    @Test("are sent as they are if the compressor has too much to do")
    func busy() { #expect(actions(link(waiting: band, rate: 118e6, backlog: 6 * band)) == []) }

    @Test("are sent at once, as they are, over a link that is faster than compression or was never full")
    func fast() {
        #expect(actions(link(waiting: band, rate: 300e6)) == [.send(0), .send(1), .send(2)])
        var queue = LinkQueue()
        for request in 0..<20 {
            queue.add(UInt64(request), count: band)
            _ = queue.next(link())
        }
        #expect(queue.isEmpty)
        queue.add(20, count: band)
        queue.add(21, count: band)
        #expect(queue.next(link(waiting: band)) == .send(20))
        #expect(queue.next(link(waiting: 2 * band)) == .send(21))
        // Then it is found to be slow.
        queue.add(22, count: band)
        #expect(queue.next(link(waiting: band, rate: 12e6)) == .compress(22, .planes))
    }

    @Test("that are scaled integers are compressed to few bits over a fast link, and densely over a slow one")
    func scaled() {
        func action(rate: Double, waiting: Int = 0) -> LinkQueue.Action? {
            var queue = LinkQueue()
            queue.add(1, count: band, isScaled: true)
            return queue.next(link(waiting: waiting, rate: rate))
        }
        #expect(action(rate: 12e6) == .compress(1, .integers))
        #expect(action(rate: 118e6) == .compress(1, .bits))
        // 10 Gbit/s, while another band is on its way; 40 Gbit/s.
        #expect(action(rate: 1.18e9, waiting: band) == .compress(1, .bits))
        #expect(action(rate: 4.7e9, waiting: band) == .send(1))
    }

    @Test("that seemed to be scaled integers and are none are compressed as other numbers, the next ones at once")
    func misjudged() {
        var queue = LinkQueue()
        for request in 0..<UInt64(6) {
            queue.add(request, count: band, isScaled: true)
            if request < 4 {
                #expect(queue.next(link(rate: 118e6)) == .compress(request, .bits))
                #expect(queue.next(link(rate: 118e6)) == nil)
                queue.compressed(request, .bits, from: band, to: nil, seconds: 0.001)
            }
            #expect(queue.next(link(waiting: band, rate: 118e6)) == .compress(request, .planes))
            queue.compressed(request, from: band, to: band / 2, seconds: 0.02)
            #expect(queue.next(link(rate: 118e6)) == .send(request))
        }
    }

    @Test("that are being compressed are waited for, and sent then")
    func waited() {
        var queue = LinkQueue()
        queue.add(1, count: band)
        queue.add(2, count: band)
        #expect(queue.next(link(waiting: band, rate: 50e6)) == .compress(1, .planes))
        #expect(queue.next(link(rate: 50e6)) != .send(1))
        queue.compressed(1, from: band, to: band / 2, seconds: 0.05)
        #expect(queue.next(link(rate: 50e6)) == .send(1))
        // The answer for a request that was cancelled.
        queue.remove(2)
        queue.compressed(2, from: band, to: band / 2, seconds: 0.05)
        #expect(queue.next(link(rate: 50e6)) == nil && queue.isEmpty)
    }

    /// The number of bands of 200 that are compressed in `seconds` to `count` bytes each, while the link is full.
    private func compressed(to count: Int?, seconds: Double) -> Int {
        var queue = LinkQueue()
        var compressed = 0
        for request in 0..<200 {
            queue.add(UInt64(request), count: band)
            while let action = queue.next(link(waiting: band, rate: 118e6)) {
                guard case .compress(let request, _) = action else { continue }
                compressed += 1
                queue.compressed(request, from: band, to: count, seconds: seconds)
            }
            while queue.next(link(rate: 118e6)) != nil {}
        }
        return compressed
    }

    @Test("are not compressed once that was measured to be slower than the link, or to gain nothing")
    func measured() {
        #expect(compressed(to: band / 2, seconds: 0.04) == 200)
        // From time to time it is tried again.
        #expect((1...20).contains(compressed(to: band / 2, seconds: 1)))
        #expect((1...20).contains(compressed(to: nil, seconds: 0.01)))
        #expect((1...20).contains(compressed(to: band * 19 / 20, seconds: 0.01)))
    }
}
