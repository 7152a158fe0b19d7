import Testing

import SAMP

@Suite("HTTP replies") struct HTTPReplyTests {
    private let reply = "HTTP/1.1 200 OK\r\nServer: x\r\nCONTENT-length: 5\r\n\r\nhello"

    @Test("a reply with a length is complete with its last byte, however it arrives")
    func length() throws {
        var whole = HTTPReply()
        for (index, byte) in reply.utf8.enumerated() {
            #expect(try whole.receive([byte]) == (index == reply.utf8.count - 1))
        }
        #expect(try whole.body() == Array("hello".utf8))
        #expect(try whole.receive("more".utf8) && whole.body() == Array("hello".utf8))
    }

    @Test("a reply without a length ends with the connection")
    func noLength() throws {
        var whole = HTTPReply()
        #expect(try !whole.receive("HTTP/1.0 200 OK\r\n\r\nhello".utf8))
        #expect(try whole.body() == Array("hello".utf8))
    }

    @Test(
        "errors, cut replies and other protocols are refused",
        arguments: [
            ("", "the connection was closed without an answer"), ("SSH-2.0-x\r\n", "no answer of HTTP"),
            ("HTTP/1.0 404 Not Found\r\n\r\n", "the answer is \"404 Not Found\""),
            ("HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nhello", "the answer is cut"),
            ("HTTP/1.0 200 OK\r\nContent-Length: 9", "no answer of HTTP"),
        ])
    func refused(text: String, words: String) throws {
        var reply = HTTPReply()
        #expect(try !reply.receive(text.utf8))
        #expect(throws: SAMPError(.malformed, words)) { try reply.body() }
    }

    @Test("a reply without end is refused")
    func endless() throws {
        var reply = HTTPReply()
        let head = Array("HTTP/1.0 200 OK\r\n\r\n".utf8)
        #expect(try !reply.receive(head + [UInt8](repeating: 0, count: HTTPReply.limit - head.count)))
        #expect(throws: SAMPError(.malformed, "the answer is too long")) { try reply.receive([0]) }
        var headless = HTTPReply()
        #expect(throws: SAMPError(.malformed, "the head of the answer is too long")) {
            try headless.receive([UInt8](repeating: 65, count: 1 << 20))
        }
    }

    @Test("a long reply in small pieces takes time in proportion to its length")
    func small() throws {
        func seconds(_ length: Int) throws -> Double {
            var reply = HTTPReply()
            _ = try reply.receive("HTTP/1.0 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8)
            let piece = [UInt8](repeating: 65, count: 64)
            return try ContinuousClock().measure {
                for _ in 0..<length / 64 { _ = try reply.receive(piece) }
            } / .seconds(1)
        }
        _ = try seconds(1 << 14)
        let (short, long) = (try seconds(1 << 15), try seconds(1 << 19))
        // Sixteen times the length, not its square.
        #expect(long < 100 * max(short, 1e-4), "\(short) s, \(long) s")
    }
}
