import Foundation
import Testing

@testable import ScanSecurity

@Suite("the text of a key in memory") struct SecretTextTests {
    @Test("the memory of a text is wiped with it, and no copy of it is made meanwhile")
    func wiped() throws {
        let key = try ClusterKey.random()
        var text: SecretText? = key.fileText
        let bytes = try #require(text).all
        #expect(String(decoding: bytes, as: UTF8.self) == key.exportText() + "\n")
        // Parts of it are the same memory: an array would have copied it.
        let place = try #require(bytes.trimmed.base.baseAddress)
        #expect(place == bytes.base.baseAddress && bytes.trimmed.count == bytes.count - 1)
        let memory = UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(start: place, count: bytes.count))
        let read = try ClusterKey.read(try #require(text))
        #expect(read == key)
        // Freed memory must not be looked at: what its deinitialiser does is done here.
        wipe(memory)
        #expect(memory.allSatisfy { $0 == 0 })
        text = nil
    }

    @Test("a text takes no more bytes than it has room for, and starts empty")
    func bounds() {
        let text = SecretText(capacity: 4)
        text.append("abcdef".utf8)
        #expect(text.count == 4 && Array(text.all) == Array("abcd".utf8))
        #expect(text.append { $0.count } == 0 && text.count == 4)
    }
}
