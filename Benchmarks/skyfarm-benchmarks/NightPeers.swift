import Foundation

/// source-extractor on many images, on two cores: one process per image, started by GNU parallel or HyperQueue.
struct NightPeers {
    let images: NightImages
    let files: [URL]
    let folder: URL

    static let parallel = "GNU parallel"
    static let hyperQueue = "HyperQueue"

    private var unpacked: URL { folder.appending(path: "unpacked") }
    private var list: URL { folder.appending(path: "commands") }

    /// One command of the shell per image. source-extractor does not read tile-compressed files, so that each of these
    /// is unpacked before. The images of a mosaic file are separate tasks, too.
    private func commands(_ catalogues: URL) -> [String] {
        (0..<images.count).map { index in
            let file = images.isMosaic ? files[0] : files[index]
            let name = "task-\(index)"
            let catalogue = catalogues.appending(path: name + ".fits")
            let settings = Peers.settings(catalogue: catalogue).map { "'\($0)'" }.joined(separator: " ")
            guard images.isCompressed else {
                let image = file.path + (images.isMosaic ? "[\(index + 1)]" : "")
                return "\(Peers.sourceExtractor) '\(image)' \(settings)"
            }
            let plain = unpacked.appending(path: name + ".fits").path
            let selection = images.isMosaic ? "-E \(index + 1) " : ""
            return "\(Self.funpack) -C \(selection)-O '\(plain)' '\(file.path)'"
                + " && \(Peers.sourceExtractor) '\(plain)' \(settings) && rm '\(plain)'"
        }
    }

    private static let funpack = "/usr/bin/funpack"

    /// Runs a peer on all images.
    /// - Returns: its time, and the number of sources.
    /// - Throws: ``PeerProgram/NotInstalled``, ``BenchmarkError`` if it fails.
    func run(_ peer: String) throws -> (seconds: Double, sources: Int) {
        for program in [Peers.sourceExtractor] + (images.isCompressed ? [Self.funpack] : []) {
            guard FileManager.default.isExecutableFile(atPath: program) else {
                throw PeerProgram.NotInstalled(program: program)
            }
        }
        let catalogues = try NightImages.newCatalogueFolder(in: folder)
        try unpacked.makeEmptyFolder()
        try Data(commands(catalogues).map { $0 + "\n" }.joined().utf8).write(to: list)
        let seconds = peer == Self.parallel ? try runParallel() : try runHyperQueue()
        let sources = try (0..<images.count).map { index in
            try Peers.rows(of: catalogues.appending(path: "task-\(index).fits"))
        }
        return (seconds, sources.reduce(0, +))
    }

    /// From the start to the end of the process.
    private func runParallel() throws -> Double {
        try MeasuredProgram.run(
            "/usr/bin/parallel", ["--jobs", "2", "--ungroup", "--arg-file", list.path], in: folder,
            environment: ["PARALLEL_HOME": folder.path, "PARALLEL_SHELL": "/bin/sh"]
        ).usage.seconds
    }

    /// From the submission of the job to its end; the start of server and worker is not measured.
    private func runHyperQueue() throws -> Double {
        struct Result: Decodable { var seconds: Double }
        let driver = PeerProgram.drivers.appending(path: "hyperqueue_commands.py")
        let output = try PeerProgram.run(PeerScheduler.python, [driver.path, list.path], in: folder)
        return try JSONDecoder().decode(Result.self, from: output).seconds
    }
}
