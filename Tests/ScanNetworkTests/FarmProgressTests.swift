import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import Testing

@Suite("The progress of a farm", .timeLimit(.minutes(10)))
struct FarmProgressTests {
    @Test("is read beside the responses, and ends with the run")
    func snippet() async throws {
        let node = try TestNode()
        let farm = try await Farm(nodes: [node.address], keys: testKeys, localSlots: 1)
        let tasks = (0..<500).map { SumTask(id: $0, number: $0) }
        var sum = 0
        let states = Locked<[RunProgress]>([])
        func print(_ state: RunProgress) { states.withLock { $0.append(state) } }
        // From here on as in Docs/Library.md.
        let progress = farm.progress
        async let shown: Void = { for await state in progress { print(state) } }()
        for try await response in farm.responses(to: tasks) { sum += try response.get() }
        await shown
        #expect(sum == 499 * 500 / 2)
        let last = try #require(states.withLock { $0.last })
        #expect(last.isOver && last.total.completed == 500 && last.systems.count == 2)
        await farm.close()
        node.server.stop()
    }

    @Test("is written in the page about the library as it is compiled here")
    func document() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Docs/Library.md"), encoding: .utf8)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let mark = "<!-- Tests/ScanNetworkTests/FarmProgressTests.swift -->\n```swift\n"
        let rest = try #require(page.components(separatedBy: mark).dropFirst().first)
        let lines = try #require(rest.components(separatedBy: "```").first).split(separator: "\n")
        #expect(lines.count == 4)
        for line in lines { #expect(source.contains("        \(line)\n"), "\(line)") }
    }
}
