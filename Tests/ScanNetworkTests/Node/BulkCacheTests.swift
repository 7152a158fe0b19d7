import ScanCluster
import ScanNetwork
import Testing

@Suite("The bulk cache")
struct BulkCacheTests {
    let key = BulkKey(job: 1, index: 2)
    func bytes(_ count: Int) -> BulkBytes { BulkBytes(byteCount: count) { _ in } }

    @Test("keeps bytes for the connection that sent them")
    func keep() {
        var cache = NodeResources.Cache(limit: 100)
        let sent = bytes(60)
        #expect(cache.keep(sent, as: key, of: 1) == true)
        #expect(cache.find(key, of: 1) === sent)
        #expect(cache.find(key, of: 2) == nil)
        #expect(cache.used == 60)
    }

    @Test("does not keep what has no room, and drops nothing for it")
    func full() {
        var cache = NodeResources.Cache(limit: 100)
        #expect(cache.keep(bytes(60), as: key, of: 1) == true)
        #expect(cache.keep(bytes(41), as: BulkKey(job: 1, index: 3), of: 1) == false)
        #expect(cache.keep(bytes(40), as: BulkKey(job: 1, index: 4), of: 2) == true)
        #expect(cache.find(key, of: 1) != nil)
        #expect(cache.used == 100)
    }

    @Test("keeps the first bytes that came under a key")
    func twice() {
        var cache = NodeResources.Cache(limit: 100)
        let first = bytes(60)
        #expect(cache.keep(first, as: key, of: 1) == true)
        #expect(cache.keep(bytes(60), as: key, of: 1) == true)
        #expect(cache.find(key, of: 1) === first)
        #expect(cache.used == 60)
    }

    @Test("removes bytes that a task takes, and has their room again when the task returns it")
    func lend() {
        var cache = NodeResources.Cache(limit: 100)
        _ = cache.keep(bytes(60), as: key, of: 1)
        #expect(cache.lend(key, of: 2) == 0)
        #expect(cache.lend(key, of: 1) == 60)
        #expect(cache.lend(key, of: 1) == 0)
        #expect(cache.find(key, of: 1) == nil && cache.used == 60)
        #expect(cache.keep(bytes(41), as: key, of: 1) == false)
        // Whether the connection lasts or not.
        cache.drop(1)
        #expect(cache.used == 60 && cache.isConsistent)
        cache.giveBack(60)
        #expect(cache.keep(bytes(100), as: key, of: 1) == true)
        #expect(cache.isConsistent)
    }

    @Test("forgets all that a connection sent")
    func drop() {
        var cache = NodeResources.Cache(limit: 100)
        _ = cache.keep(bytes(30), as: key, of: 1)
        _ = cache.keep(bytes(30), as: key, of: 2)
        cache.drop(1)
        cache.drop(7)
        #expect(cache.find(key, of: 1) == nil)
        #expect(cache.find(key, of: 2) != nil)
        #expect(cache.used == 30)
    }
}
