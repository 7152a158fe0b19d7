import Foundation
import Testing

@testable import skyfarm

@Suite("pages of a live index") struct PageStoreTests {
    @Test("the newest are kept, as many as have room, and none after it")
    func bounded() throws {
        var store: PageStore? = try PageStore(limit: 100)
        let page = [UInt8](repeating: 1, count: 30)
        #expect(try store?.add("a b#.1", [(.page, page), (.thumbnail, [2])]) == [])
        #expect(try store?.add("b.1", [(.page, page), (.picture, page)]) == [])
        #expect(store?.bytes("a b#.1", .thumbnail) == [2] && store?.bytes("a b#.1", .picture) == nil)
        #expect(try store?.add("c.1", [(.page, page)]) == ["a b#.1"])
        #expect(store?.bytes("a b#.1", .page) == nil && store?.bytes("b.1", .picture) == page)
        #expect(store?.bytes("../\(NSTemporaryDirectory())", .page) == nil)
        // One page may be larger than the limit.
        #expect(try store?.add("d.1", [(.page, page + page + page + page)]) == ["b.1", "c.1"])
        #expect(store?.bytes("d.1", .page)?.count == 120)
        let folder = try #require(store).folder
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["d.1.page"])
        store = nil
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
