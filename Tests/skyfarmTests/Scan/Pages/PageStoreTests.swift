import Foundation
import Testing

import ImageScanning

@Suite("pages of a live index") struct PageStoreTests {
    @Test("the newest are kept, as many as have room, and none after it")
    func bounded() throws {
        let store = try PageStore(limit: 100)
        let page = [UInt8](repeating: 1, count: 30)
        #expect(try store.add("a b#.1", [(.page, page), (.thumbnail, [2])]) == [])
        #expect(try store.add("b.1", [(.page, page), (.picture, page)]) == [])
        #expect(store.bytes("a b#.1", .thumbnail) == [2] && store.bytes("a b#.1", .picture) == nil)
        #expect(try store.add("c.1", [(.page, page)]) == ["a b#.1"])
        #expect(store.bytes("a b#.1", .page) == nil && store.bytes("b.1", .picture) == page)
        #expect(store.bytes("../\(NSTemporaryDirectory())", .page) == nil)
        // One page may be larger than the limit.
        #expect(try store.add("d.1", [(.page, page + page + page + page)]) == ["b.1", "c.1"])
        #expect(store.bytes("d.1", .page)?.count == 120)
        // A page that is made again is the new one, also when the place of the old one is used.
        #expect(try store.add("d.1", [(.page, page)]) == [] && store.bytes("d.1", .page) == page)
        #expect(try store.add("e.1", [(.page, page)]) == [] && store.bytes("d.1", .page) == page)
    }

    #if os(Linux)
        @Test(
            "Security.md: what a live index shows lies in no folder, so that no other user reads it and no kill leaves it"
        )
        func unnamed() throws {
            let store = try PageStore()
            _ = try store.add("secret.1", [(.page, Array("text".utf8))])
            let files = (0..<1024).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            .filter { $0.contains("skyfarm-pages-") }
            #expect(!files.isEmpty && files.allSatisfy { $0.hasSuffix(" (deleted)") }, "\(files)")
            #expect(store.bytes("secret.1", .page) == Array("text".utf8))
        }
    #endif
}
