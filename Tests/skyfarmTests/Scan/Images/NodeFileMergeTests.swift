import Foundation
import SkyFITS
import SkyScan
import Testing

import ImageScanning

@Suite("files that several nodes list") struct NodeFileMergeTests {
    private func found(_ path: String, _ header: UInt64? = nil) throws -> NodeFiles.Found {
        let identity = try header.map { header in
            let text = "{\"size\":1,\"modified\":2,\"header\":\(header)}"
            return try JSONDecoder().decode(FileIdentity.self, from: Data(text.utf8))
        }
        return NodeFiles.Found(path: path, identity: identity)
    }

    private func merged(_ arguments: [(String, [(node: String, files: [NodeFiles.Found])])]) -> [String: [String]] {
        var merge = NodeFileMerge()
        for (node, lists) in arguments { merge.add(lists, for: InputList.File(path: "/*.fits", node: node)) }
        return Dictionary(uniqueKeysWithValues: merge.files.map { ($0.name, $0.nodes) })
    }

    @Test("are one if path, size, time and header are equal, and otherwise have the name of their node")
    func same() throws {
        let files = try merged([
            (
                "*",
                [
                    ("b", [found("/x.fits", 1), found("/y.fits", 2)]),
                    ("a", [found("/x.fits", 1), found("/y.fits", 3)]),
                ]
            )
        ])
        #expect(files == ["*:/x.fits": ["a", "b"], "*:/y.fits": ["a"], "b:/y.fits": ["b"]])
    }

    @Test("are one also if the nodes are named one by one, or twice")
    func named() throws {
        let files = try merged([
            ("b", [("b", [found("/x.fits", 1)])]), ("a", [("a", [found("/x.fits", 1)])]),
            ("*", [("a", [found("/x.fits", 1), found("/z.fits", 4)])]),
        ])
        #expect(files == ["b:/x.fits": ["b", "a"], "*:/z.fits": ["a"]])
    }

    @Test("without a header are different files")
    func unknown() throws {
        let files = try merged([("*", [("a", [found("/x.fits")]), ("b", [found("/x.fits")])])])
        #expect(files == ["*:/x.fits": ["a"], "b:/x.fits": ["b"]])
        #expect(try merged([("a", [("a", [found("/x.fits")])]), ("a", [("a", [found("/x.fits")])])]).count == 1)
    }

    @Test("come in the order of their paths, those of this machine where they are named")
    func order() throws {
        var merge = NodeFileMerge()
        merge.add(InputList.File(path: "m.fits"))
        try merge.add(
            [("b", [found("/1.fits", 1)]), ("a", [found("/2.fits", 2), found("/0.fits", 3)])],
            for: InputList.File(path: "/*", node: "*"))
        merge.add(InputList.File(path: "m.fits"))
        #expect(merge.files.map(\.name) == ["m.fits", "*:/0.fits", "*:/1.fits", "*:/2.fits"])
    }
}
