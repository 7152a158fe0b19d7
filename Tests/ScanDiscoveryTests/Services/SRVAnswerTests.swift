import ScanBasics
@testable import ScanDiscovery
import Testing

@Suite("Answers with SRV records")
struct SRVAnswerTests {
    typealias Target = SRVAnswer.Target

    @Test("targets are read with their ports, best first, and the shortest time to live counts")
    func targets() throws {
        let message = DNSMessage.answer(
            question: "_skyfarm._tcp.example",
            [
                .init(priority: 10, weight: 1, port: 4001, host: "b.example", seconds: 60),
                .init(priority: 10, weight: 5, port: 4002, host: "c.example", seconds: 30),
                .init(priority: 1, weight: 0, port: 4000, host: "a.example", seconds: 90),
            ])
        let answer = try #require(SRVAnswer(parsing: message))
        #expect(answer.targets.map(\.host) == ["a.example", "c.example", "b.example"])
        #expect(answer.targets.map(\.port) == [4000, 4002, 4001])
        #expect(answer.secondsToLive == 30)
    }

    @Test("other records, as those of an alias, are passed over")
    func otherRecords() throws {
        var message = DNSMessage.answer(
            question: "x.example", [.init(priority: 0, weight: 0, port: 1, host: "a.example", seconds: 1)])
        message[7] = 2
        message += [0xc0, 12] + [0, 5, 0, 1, 0, 0, 0, 9, 0, 2, 0xc0, 12]
        #expect(try #require(SRVAnswer(parsing: message)).targets.map(\.host) == ["a.example"])
    }

    @Test("a lone dot and port 0 are no targets")
    func noTargets() throws {
        let message = DNSMessage.answer(
            question: "x.example",
            [
                .init(priority: 0, weight: 0, port: 1, host: "", seconds: 1),
                .init(priority: 0, weight: 0, port: 0, host: "a.example", seconds: 1),
            ])
        #expect(try #require(SRVAnswer(parsing: message)).targets == [])
    }

    @Test("a message that ends early is malformed", arguments: 0..<68)
    func truncated(length: Int) {
        let message = DNSMessage.answer(
            question: "_skyfarm._tcp.example",
            [.init(priority: 1, weight: 2, port: 4000, host: "a.example", seconds: 60)])
        #expect(message.count == 68)
        #expect(SRVAnswer(parsing: message.prefix(length)) == nil)
    }

    @Test("a name that leads to itself is malformed")
    func loop() {
        var message = DNSMessage.answer(question: "x", [])
        message[12...] = [0xc0, 12, 0, 33, 0, 1]
        #expect(SRVAnswer(parsing: message) == nil)
    }

    @Test("any change of the bytes is read without harm", arguments: 0..<300)
    func anyBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var message = DNSMessage.answer(
            question: "_skyfarm._tcp.example",
            [.init(priority: 1, weight: 2, port: 4000, host: "a.example", seconds: 60)])
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            message[Int.random(in: message.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        let count = SRVAnswer(parsing: message)?.targets.count ?? 0
        #expect(count <= message.count / 11, "seed \(seed)")
    }
}
