import CommandLineKit
package import Console
import Foundation
import SAMP
package import SkyCatalogue
import SkyFITS
package import SkyScan

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
    }

    /// Checks before a long scan that there is a hub, if one is wanted.
    func requireHub() throws(CommandError) {
        guard let file = options.sampHub else { return }
        _ = try failing(.failure, about: "--samp") { try SAMPHub(lockFile: file) }
    }

    /// Sends the catalogue of an image, and its file, to every program that loads such files, one after the other.
    /// - Returns: nil if that is not wanted.
    package func deliver(_ table: CatalogueTable, of image: ImageSummary, _ outputs: [CatalogueOutput]) async
        -> Delivery?
    {
        guard let file = options.sampHub else { return nil }
        do {
            let client = try await SAMPClient(
                SAMPHub(lockFile: file), name: "Skyfarm", description: "Finds the sources in sky images")
            let folder = TemporaryFolder(named: "skyfarm-samp")
            defer { folder.remove() }
            let delivery: Delivery
            do {
                delivery = try await deliver(table, of: image, outputs, in: folder.make(), client)
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
        _ table: CatalogueTable, of image: ImageSummary, _ outputs: [CatalogueOutput], in folder: String,
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
                try output.write(table)
                path = output.path
            }
            try await send(type, path, facts, to: programs, client, &delivery)
            served.formUnion(programs)
        }
        let file = try ImageLocation(options.image).path
        try await send(
            "image.load.fits", file, ["image-id": image.name, "name": name],
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

    /// Reports what became of the catalogue that was sent.
    package func report(_ delivery: Delivery?, _ log: Log) {
        guard let delivery else { return }
        for failure in delivery.failures ?? [] { log.write(.error, "--samp: \(failure)") }
        if !delivery.loaded.isEmpty {
            log.conclude("loaded by \(delivery.loaded.joined(separator: ", "))")
        } else if delivery.failures == nil {
            log.write(.warning, "--samp: no program that is connected to the SAMP hub loads tables or images")
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
