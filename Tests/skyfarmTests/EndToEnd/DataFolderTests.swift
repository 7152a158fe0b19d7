import CommandLineKit
import Foundation
import Testing

/// Nodes that read the image by themselves.
@Suite("nodes with data folders", .serialized) struct DataFolderTests {
    let scene: Scene
    let image: String
    private let expected: Data

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("data"), withIntermediateDirectories: true)
        image = try scene.sky("data/sky.fits", size: "2000x2000")
        let result = try Program.run([
            "scan", image, "--band", "64", "--no-journal", "-o", scene.path("expected.csv"),
        ])
        guard result.code == 0 else { throw Program.Failure(description: result.errors) }
        expected = try scene.bytes("expected.csv")
    }

    private var words: [String] {
        ["scan", image, "--band", "64", "--no-journal", "--progress", "json", "-o", scene.path("out/o.csv")]
    }

    @Test("get hardly a byte of the pixels, and the catalogue is the same", arguments: [true, false])
    func byReference(reads: Bool) throws {
        let node = try Node("far", reads ? ["--data", scene.path("data")] : [])
        let port = try #require(node.address.split(separator: ":").last.flatMap { UInt16($0) })
        // The connection ends after an eighth of the pixels' 16 MB.
        let counter = try Foreigner(.passes(port: port, bytes: 2_000_000))
        defer { counter.close() }
        let result = try Program.run(words + ["--local-slots", reads ? "0" : "1", "--node", counter.address])
        #expect(result.code == 0, "\(result.errors)")
        #expect(try scene.bytes("out/o.csv") == expected)
        #expect(result.errors.contains("node far left") == !reads, "\(result.errors)")
        #expect(!node.program.errors.contains("must send"))
    }

    @Test("the end of a scan tells how many tasks' pixels nodes read themselves, and how many were sent")
    func account() throws {
        struct Report: Decodable {
            struct Traffic: Decodable {
                var tasksRead: Int
                var bytesRead: Int
                var tasksSent: Int
                var bytesSent: Int
            }
            var pixelTraffic: Traffic?
        }
        func scan(_ folder: String?) throws -> (Report, String) {
            let node = try Node("far", folder.map { ["--data", scene.path($0)] } ?? [])
            let result = try Program.run(
                words + ["--overwrite", "--json", "--local-slots", "0", "--node", node.address])
            #expect(result.code == 0, "\(result.errors)")
            return (try JSONDecoder().decode(Report.self, from: Data(result.output.utf8)), result.errors)
        }
        let (own, ownErrors) = try scan("data")
        let read = try #require(own.pixelTraffic)
        // 32 bands of 2000 columns and their halos, of 4 bytes a pixel.
        #expect(read.tasksRead >= 32 && read.bytesRead > 16_000_000 && read.tasksSent == 0 && read.bytesSent == 0)
        #expect(
            ownErrors.contains(
                "pixels of \(read.tasksRead) tasks read by nodes from their own storage (--data), "
                    + "those of 0 tasks sent\n"), "\(ownErrors)")
        // It offers to read other files.
        let (other, otherErrors) = try scan("out")
        let sent = try #require(other.pixelTraffic)
        #expect(sent.tasksRead == 0 && sent.tasksSent >= 32 && sent.bytesSent > 16_000_000)
        #expect(otherErrors.contains("pixels of 0 tasks read by nodes"), "\(otherErrors)")
        // It does not offer to read: no line, but the numbers.
        let (plain, plainErrors) = try scan(nil)
        #expect(try #require(plain.pixelTraffic).tasksSent >= 32 && !plainErrors.contains("pixels of"))
        let alone = try Program.run(words + ["--overwrite", "--json", "--local-slots", "1"])
        #expect(try JSONDecoder().decode(Report.self, from: Data(alone.output.utf8)).pixelTraffic == nil)
    }

    /// What stands in the image's place when the node looks for it.
    enum Replacement: CaseIterable {
        case other, smaller, nothing, link, linkedFolder, pipe, folder, text
    }

    @Test("are sent the pixels if they find something else in the image's place", arguments: Replacement.allCases)
    func replaced(by replacement: Replacement) throws {
        let node = try Node("far", ["--data", scene.path("data")])
        let size = replacement == .smaller ? "200x200" : "2000x2000"
        let another = try scene.sky("another.fits", size: size, ["--seed", "77"])
        let scan = try Program(words + ["--local-slots", "0", "--node", node.address])
        // The coordinator has opened the image, and reads on from that.
        try scan.waitForErrors(#""event":"finished""#)
        scan.send(SIGSTOP)
        try FileManager.default.moveItem(atPath: image, toPath: scene.path("sky.fits"))
        switch replacement {
        case .other, .smaller: try FileManager.default.moveItem(atPath: another, toPath: image)
        case .nothing: break
        case .link:
            try FileManager.default.createSymbolicLink(atPath: image, withDestinationPath: scene.path("sky.fits"))
        case .linkedFolder:
            try FileManager.default.moveItem(atPath: scene.path("data"), toPath: scene.path("data-before"))
            try FileManager.default.createSymbolicLink(
                atPath: scene.path("data"), withDestinationPath: scene.folder)
        case .pipe: #expect(mkfifo(image, 0o600) == 0)
        case .folder: try FileManager.default.createDirectory(atPath: image, withIntermediateDirectories: false)
        case .text: _ = try scene.write(Array("a list of stars".utf8), "data/sky.fits")
        }
        scan.send(SIGCONT)
        let result = try scan.finish()
        #expect(result.code == 0, "\(result.errors)")
        #expect(try scene.bytes("out/o.csv") == expected)
        #expect(
            !result.errors.contains("failed:") && !result.errors.contains("its tasks are reassigned"),
            "\(result.errors)")
        try node.program.waitForErrors("must send bulk bytes in full: ")
        #expect(result.errors.contains("node far did not read \(image) itself: "), "\(result.errors)")
    }

    @Test("that read different pixels by one name are named, and there is no catalogue")
    func disagreement() throws {
        let nodes = try ["one", "two"].map { try Node($0, ["--data", scene.path("data")]) }
        let scan = try Program(words + ["--local-slots", "0"] + nodes.flatMap { ["--node", $0.address] })
        try scan.wait("a task that the first node has done") { errors in
            errors.split(separator: "\n").contains { line in
                line.contains(#""event":"finished""#) && line.contains(#""system":"one""#)
            }
        }
        scan.send(SIGSTOP)
        nodes[0].program.send(SIGKILL)
        // The second node finds a file of the same size, time and header, but with other pixels in all bands.
        try changePixels()
        scan.send(SIGCONT)
        let result = try scan.finish()
        #expect(result.code == ExitCode.input.rawValue, "\(result.errors)")
        #expect(
            result.errors.contains(
                /nodes one and two read different pixels of .*sky.fits, rows \d+ to \d+: their copies/),
            "\(result.errors)")
        #expect(scene.outputs.isEmpty)
    }

    /// Changes pixels in place, and gives the file the time of change that it had.
    private func changePixels() throws {
        let descriptor = open(image, O_RDWR)
        defer { close(descriptor) }
        var status = stat()
        try #require(descriptor >= 0 && fstat(descriptor, &status) == 0)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        try #require(pread(descriptor, &bytes, bytes.count, 0) == bytes.count)
        // Behind the header, which has fewer blocks; the third byte of each pixel.
        for index in stride(from: 10 * 2880 + 2, to: bytes.count - 2880, by: 4) { bytes[index] ^= 1 }
        try #require(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
        #if canImport(Darwin)
            var times = [status.st_atimespec, status.st_mtimespec]
        #else
            var times = [status.st_atim, status.st_mtim]
        #endif
        try #require(futimens(descriptor, &times) == 0)
    }

    @Test("with other folders are sent the pixels")
    func elsewhere() throws {
        let node = try Node("far", ["--data", scene.path("out")])
        let result = try Program.run(words + ["--local-slots", "0", "--node", node.address])
        #expect(result.code == 0, "\(result.errors)")
        #expect(try scene.bytes("out/o.csv") == expected)
        try node.program.waitForErrors("sky.fits: is not below a folder of images")
    }

    @Test("a folder that is none is named, and the node does not start")
    func noFolder() throws {
        let result = try Program.run(["node", "--data", scene.path("none"), "--listen", "127.0.0.1:0"])
        #expect(result.code == ExitCode.input.rawValue && result.output.isEmpty)
        #expect(
            result.errors == "skyfarm: node: --data \(scene.path("none")): no folder to read images from: "
                + "no such file or directory\n")
    }
}
