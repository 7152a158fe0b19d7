import CommandLineKit
import Console
import Foundation
import ScanBasics
import SAMP
import SkyCatalogue
import SkyFITS
import SkyScan

extension ScanCommand {
    static let samp = Option.toggle(
        "samp",
        help:
            "Send the catalogue, and the image, to TOPCAT, Aladin and other programs that are connected to the SAMP hub"
    )

    /// What became of a catalogue that was sent.
    package struct Delivery: Encodable {
        /// Names of the programs that have loaded the catalogue or the image.
        var loaded: [String] = []
        /// Why others have not, a line each.
        var failures: [String]?

        /// Most failures that are kept.
        private static let failureLimit = 20

        /// Both; a failure that is known is not repeated.
        func adding(_ other: Delivery) -> Delivery {
            let known = failures ?? []
            let all = (known + (other.failures ?? []).filter { !known.contains($0) }).prefix(Self.failureLimit)
            return Delivery(
                loaded: loaded + other.loaded.filter { !loaded.contains($0) }, failures: all.isEmpty ? nil : Array(all))
        }

        /// Says who has loaded catalogues, and why others have not.
        func write(to log: Log) {
            for failure in failures ?? [] { log.write(.error, "--samp: \(failure)") }
            if !loaded.isEmpty {
                log.conclude("loaded by \(loaded.joined(separator: ", "))")
            } else if failures == nil {
                log.write(.warning, "--samp: no program that is connected to the SAMP hub loads tables or images")
            }
        }
    }

    /// Checks before a long scan that there is a hub, if one is wanted.
    func requireHub() throws(CommandError) {
        guard let file = options.sampHub else { return }
        _ = try failing(.failure, about: "--samp") { try SAMPHub(lockFile: file) }
    }

    /// Sends the catalogue of an image, and its file, to every program that loads such files, one after the other.
    /// - Parameters:
    ///   - image: the image.
    ///   - file: the file of a hub.
    ///   - path: the image's file; nil if it is not to be sent.
    ///   - outputs: files that hold the catalogue alone.
    /// - Returns: who has loaded them, and who has not.
    fileprivate func deliver(
        _ image: FileScan.Image, to file: String, of path: String?, _ outputs: [CatalogueOutput]
    ) async -> Delivery {
        do {
            let client = try await SAMPClient(
                SAMPHub(lockFile: file), name: "Skyfarm", description: "Finds the sources in sky images")
            let folder = TemporaryFolder(named: "skyfarm-samp")
            defer { folder.remove() }
            let delivery: Delivery
            do {
                delivery = try await deliver(image, of: path, outputs, in: folder.make(), client)
            } catch {
                await client.unregister()
                throw error
            }
            await client.unregister()
            return delivery
        } catch is CancellationError {
            // The catalogue is written: this is no scan that can be resumed.
            return Delivery(failures: ["stopped before every program had answered; the catalogue is written"])
        } catch {
            return Delivery(failures: ["\(error)"])
        }
    }

    private func deliver(
        _ image: FileScan.Image, of imagePath: String?, _ outputs: [CatalogueOutput], in folder: String,
        _ client: SAMPClient
    ) async throws -> Delivery {
        let fits = outputs.first { $0.format == .fits && !$0.isStandardOutput && !$0.path.hasSuffix(".gz") }
        let name = InputList.lastName(of: image.name)
        let facts = ["table-id": image.name, "name": name]
        var delivery = Delivery()
        // Who loads FITS tables needs no VOTable.
        var served: Set<SAMPClient.Program> = []
        for (type, format) in [("table.load.fits", CatalogueFormat.fits), ("table.load.votable", .votable)] {
            let programs = try await client.programs(for: type).filter { !served.contains($0) }
            if programs.isEmpty { continue }
            var path = format == .fits ? fits?.path : nil
            if path == nil {
                let output = try CatalogueOutput(path: "\(folder)/sources.\(format.rawValue)")
                try output.write(image.catalogue)
                path = output.path
            }
            try await send(type, path, facts, to: programs, client, &delivery)
            served.formUnion(programs)
        }
        try await send(
            "image.load.fits", imagePath, ["image-id": image.name, "name": name],
            to: try await client.programs(for: "image.load.fits"), client, &delivery)
        return delivery
    }

    /// Has each program load a file, and records what comes of it.
    private func send(
        _ type: String, _ path: String?, _ facts: [String: String], to programs: [SAMPClient.Program],
        _ client: SAMPClient, _ delivery: inout Delivery
    ) async throws {
        guard let path else { return }
        let url = URL(fileURLWithPath: Self.absolute(path)).absoluteString
        for program in programs {
            do {
                try await client.send(type, facts.merging(["url": url]) { $1 }, to: program)
                if !delivery.loaded.contains(program.name) { delivery.loaded.append(program.name) }
            } catch let error as SAMPError {
                let file = InputList.lastName(of: path)
                delivery.failures = (delivery.failures ?? []) + ["\(program.name) has not loaded \(file): \(error)"]
            }
        }
    }
}

extension ScanCommand.Options {
    /// The file in which a hub describes itself.
    static func sampHub(_ environment: [String: String]) throws(UsageError) -> String {
        do throws(SAMPError) {
            return try SAMPHub.lockFile(environment)
        } catch {
            throw UsageError("--samp: \(error)")
        }
    }
}

extension ScanJob {
    /// Sends the catalogues of a file, and the file if it lies here, to other programs, with `--samp`.
    func deliver(_ scan: FileScan, _ catalogues: [CatalogueOutput]) async {
        guard let hub = options.sampHub else { return }
        await deliveries.run { [self] in
            for (index, image) in scan.images.enumerated() {
                let path = index == 0 && scan.file.node == nil ? scan.file.path : nil
                // A file of several images has several tables, of which programs would load the first.
                let files = scan.wanted.count == 1 ? catalogues : []
                report.add(await command.deliver(image, to: hub, of: path, files))
            }
        }
    }
}

/// Deliveries that follow one another: programs load one catalogue at a time.
final class DeliveryQueue: Sendable {
    private let last = Locked<Task<Void, Never>?>(nil)

    /// Runs `delivery` after those before it.
    func run(_ delivery: @escaping @Sendable () async -> Void) async {
        let task = last.withLock { last in
            let task = Task { [last] in
                await last?.value
                await delivery()
            }
            last = task
            return task
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
