import CommandLineKit
import Foundation
import Testing

import ScanFleet

@Suite struct TapeArchiveTests {
    @Test("tar extracts the files with their contents and permissions")
    func extraction() throws {
        let scene = try Scene()
        var archive = TapeArchive()
        let contents: [String: (mode: UInt16, data: Data)] = [
            "key": (0o600, Data("secret\n".utf8)), "lib/empty.so": (0o600, Data()),
            "lib/deep/a block.so": (0o640, Data(repeating: 7, count: 512)),
            "program": (0o700, Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })),
        ]
        for (name, file) in contents.sorted(by: { $0.key < $1.key }) {
            try archive.add(name, mode: file.mode, file.data)
        }
        let path = try scene.write(archive.ended.joined(), "files.tar")
        #expect(try scene.bytes("files.tar").count == archive.size + 1024)
        let result = try Program.run(path: "tar", ["-xopf", path, "-C", scene.path("out")])
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        for (name, file) in contents {
            let attributes = try FileManager.default.attributesOfItem(atPath: scene.path("out/" + name))
            #expect(attributes[.posixPermissions] as? Int == Int(file.mode), "\(name)")
            #expect(try scene.bytes("out/" + name) == file.data, "\(name)")
        }
    }

    @Test("a name that does not fit is refused")
    func longName() {
        var archive = TapeArchive()
        #expect(throws: CommandError.self) {
            try archive.add(String(repeating: "n", count: 101), mode: 0o600, Data())
        }
    }
}
