import Foundation
import NodeDaemon
import ScanCluster
import Testing

@Suite("The name of a node", .timeLimit(.minutes(10))) struct NodeNameTests {
    private let scene: Scene
    private var folder: String { scene.path("state/names") }

    init() throws { scene = try Scene() }

    private func find(_ hostName: String = "beta.example.org", announced: Set<String> = []) async -> NodeName {
        await NodeName.find(hostName: hostName, folder: folder) { announced }
    }

    @Test("is that of the host, with usual characters only; a name that many hosts have gets a suffix")
    func host() {
        for (hostName, name) in [
            ("beta", "beta"), ("beta.example.org", "beta"), ("a b/c*é", "abc"), ("--x", "x"),
            (String(repeating: "y", count: 64), String(repeating: "y", count: 48)),
        ] {
            let host = HostNodeName(hostName: hostName)
            #expect(host.host == name && !host.isCommon && host.isName(name) && host.isName(name + "-7c1e"))
        }
        var generator = SystemRandomNumberGenerator()
        for hostName in ["", "localhost", "localhost.localdomain", "..", "(&)"] {
            let host = HostNodeName(hostName: hostName)
            let first = host.first(taken: [], using: &generator)
            #expect(host.host == "node" && first != "node" && host.isName(first) && !host.isName("node"))
        }
        let beta = HostNodeName(hostName: "beta")
        #expect(!beta.isName("beta-7c1") && !beta.isName("beta-7c1g") && !beta.isName("betax") && !beta.isName(""))
    }

    @Test("is the same after a restart, of several nodes of a host as well")
    func restart() async {
        var first: NodeName? = await find()
        #expect(first?.text == "beta" && first?.note == nil)
        var second: NodeName? = await find()
        let name = second?.text ?? ""
        #expect(name.wholeMatch(of: /beta-[0-9a-f]{4}/) != nil && second?.note == nil)
        second = nil
        second = await find()
        #expect(second?.text == name)
        first = nil
        first = await find()
        #expect(first?.text == "beta")
        // Not asked for again: the name is kept.
        let third = await find(announced: ["beta", name])
        #expect(third.text != "beta" && third.text != name)
        withExtendedLifetime((first, second, third)) {}
    }

    @Test("has a suffix if a node on the network is called like the host, and keeps it")
    func sameHostName() async {
        let name = await find(announced: ["beta"]).text
        #expect(name.wholeMatch(of: /beta-[0-9a-f]{4}/) != nil)
        #expect(await find().text == name)
        #expect(await find("gamma").text == "gamma")
    }

    @Test("nodes that start at the same instant have different names, and the same ones again")
    func concurrent() async {
        let folder = folder
        func start() async -> [NodeName] {
            await withTaskGroup(of: NodeName.self) { group in
                for _ in 0..<8 {
                    group.addTask { await NodeName.find(hostName: "beta", folder: folder) { [] } }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        let first = Set(await start().map(\.text))
        let again = Set(await start().map(\.text))
        #expect(first.count == 8 && first.contains("beta") && first == again)
    }

    @Test("belongs to the address of --listen, in whichever order nodes are started")
    func addresses() async {
        func names(_ addresses: [String?]) async -> [String: String] {
            var nodes: [NodeName] = []
            for address in addresses {
                nodes.append(await NodeName.find(hostName: "beta", address: address, folder: folder) { [] })
            }
            #expect(Set(nodes.map(\.text)).count == addresses.count)
            return Dictionary(uniqueKeysWithValues: zip(addresses.map { $0 ?? "" }, nodes.map(\.text)))
        }
        let first = await names([":5001", nil, ":5002"])
        #expect(first[":5001"] == "beta")
        #expect(await names([":5002", nil, ":5001"]) == first)
        #expect(await names([nil, ":5002", ":5001"]) == first)
        // A node with another address leaves the names of those that do not run, since they may be services.
        let trial = await names([":6000"])[":6000"] ?? ""
        #expect(trial.wholeMatch(of: /beta-[0-9a-f]{4}/) != nil && !first.values.contains(trial))
        #expect(await names([":6000", ":5002", ":5001", nil]) == first.merging([":6000": trial]) { $1 })
    }

    @Test("is that of another address only if no further name can be kept")
    func allUsed() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 1...256 {
            try Data("beta-\(1000 + number)\n:\(number)\n".utf8).write(
                to: URL(fileURLWithPath: "\(folder)/beta.\(number)"))
        }
        for (address, number) in [(":256", 256), (":6000", 1), (":0", 1)] {
            let name = await NodeName.find(hostName: "beta", address: address, folder: folder) { [] }.text
            #expect(name == "beta-\(1000 + number)")
            // Nothing is left of a longer address.
            let text = try String(contentsOfFile: "\(folder)/beta.\(number)", encoding: .utf8)
            #expect(text == "\(name)\n\(address)\n")
        }
    }

    @Test("a file without a usable name is written anew")
    func damaged() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for content in ["", "gamma\n", "beta-7c1e", "\u{0}\u{ff}\n", String(repeating: "x", count: 9999)] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: folder + "/beta.1"))
            #expect(await find().text == (content == "beta-7c1e" ? content : "beta"))
            #expect(await find().text == (content == "beta-7c1e" ? content : "beta"))
        }
        // The same name twice, as after copying a file by hand.
        for number in 1...2 { try Data("beta-1234\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/beta.\(number)")) }
        let both = [await find(), await find()]
        #expect(both[0].text != both[1].text)
    }

    @Test("does not last without a folder for it, and says so")
    func unkept() async throws {
        let none = await NodeName.find(hostName: "beta", folder: nil) { [] }
        #expect(none.text.hasPrefix("beta-") && none.note?.contains("set HOME or XDG_STATE_HOME") == true)
        _ = try scene.write(Array("a file".utf8), "state")
        let blocked = await find()
        #expect(blocked.text.hasPrefix("beta-") && blocked.note?.contains("`--name` gives one that lasts") == true)
    }

    @Test("gives way to another node of the name from the next start on; a given name does not")
    func giveWay() async {
        var name: NodeName? = await find()
        let next = name?.giveWay(to: ["beta"])
        #expect(name?.text == "beta" && next?.hasPrefix("beta-") == true)
        name = nil
        #expect(await find().text == next)
        #expect(NodeName(given: "beta").giveWay(to: ["beta"]) == nil)
    }

    @Test("of several nodes of a name the one of the least identity keeps it")
    func precedence() {
        let name = NodeName(given: "beta")
        func isPreceded(by other: String, _ number: UInt64?) -> Bool {
            name.isPreceded(SystemID(high: 5, low: 0), by: [(other, number.map { SystemID(high: $0, low: 0) })])
        }
        #expect(isPreceded(by: "beta", 4) && !isPreceded(by: "beta", 5) && !isPreceded(by: "beta", 0x50))
        #expect(!isPreceded(by: "beta-7c1e", 4) && !isPreceded(by: "beta", nil))
    }
}
