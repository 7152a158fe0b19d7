import Foundation
public import ScanBasics

/// The destination of a catalogue: a file whose extension selects the format, or `-` for CSV on standard output.
///
/// ``prepare()`` checks before a scan that the file can be written. After the scan, one of the `write` functions
/// formats a ``CatalogueTable`` with the writer of each ``CatalogueFormat`` and compresses it if the name ends in
/// `.gz`. All files of a call are completed as temporary files (`AtomicFile`) before the first one gets its name.
public struct CatalogueOutput: Hashable, Sendable {
    /// Path of the file, or `-`.
    public let path: String
    /// The format of the bytes that are written.
    public let format: CatalogueFormat
    /// Whether an existing file may be replaced.
    public let overwrite: Bool

    /// Creates an output to `path` with the format of its extension. Does not access the file system.
    /// - Throws: `OutputError` with `unknownFormat`.
    public init(path: String, overwrite: Bool = false) throws(OutputError) {
        guard let format = path == "-" ? .csv : CatalogueFormat(path: path) else {
            throw OutputError(
                .unknownFormat,
                "\(path): unknown ending; use \(CatalogueFormat.endings), or - for CSV on standard output")
        }
        (self.path, self.format, self.overwrite) = (path, format, overwrite)
    }

    /// Creates an output to `path` with a given format, whatever its extension.
    public init(path: String, format: CatalogueFormat, overwrite: Bool = false) {
        (self.path, self.format, self.overwrite) = (path, format, overwrite)
    }

    /// Whether the catalogue is written to standard output.
    public var isStandardOutput: Bool { path == "-" }

    /// Checks, before a long scan, that the file can be written afterwards. Leaves no file behind.
    /// - Throws: `OutputError`.
    public func prepare() throws(OutputError) {
        if !isStandardOutput { try AtomicFile.check(path: path, overwrite: overwrite) }
    }

    /// Writes the whole table, or nothing under the final name.
    /// - Throws: `OutputError`, or `CancellationError` if the task is cancelled before the file has its name.
    public func write(_ table: CatalogueTable) throws { try Self.write(table, to: [self]) }

    /// Writes the whole table to each output, or nothing under any final name.
    ///
    /// The files get their names at the end, one right after the other, once all of them are complete and standard
    /// output has received its bytes.
    /// - Parameters:
    ///   - table: the sources.
    ///   - outputs: the files, and standard output.
    ///   - syncsFolders: see `AtomicFile.commit(syncsFolder:)`.
    /// - Throws: `OutputError`, or `CancellationError` if the task is cancelled before the files have their names.
    public static func write(
        _ table: CatalogueTable, to outputs: [CatalogueOutput], syncsFolders: Bool = true
    ) throws {
        try write([table], to: outputs, syncsFolders: syncsFolders)
    }

    /// Writes the tables of several images of a file to each output, or nothing under any final name. FITS files get
    /// one table per extension, other formats a single table whose columns `hdu` and `extname` identify the image.
    /// - Throws: the same errors as for one table.
    public static func write(
        _ tables: [CatalogueTable], to outputs: [CatalogueOutput], syncsFolders: Bool = true
    ) throws {
        try write(outputs.map { ($0, tables) }, syncsFolders: syncsFolders)
    }

    /// Writes the given tables to each output, or nothing under any final name.
    /// - Throws: the same errors as for one table.
    package static func write(_ parts: [(CatalogueOutput, [CatalogueTable])], syncsFolders: Bool) throws {
        var files: [AtomicFile] = []
        for (output, tables) in parts where !output.isStandardOutput {
            let file = try AtomicFile(path: output.path, overwrite: output.overwrite)
            try output.write(tables) { bytes throws(OutputError) in try file.write(bytes) }
            try file.finish()
            files.append(file)
            try Task.checkCancellation()
        }
        for (output, tables) in parts where output.isStandardOutput {
            try output.format.write(tables, name: output.path) { bytes throws(OutputError) in
                let failure = bytes.withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
                if let failure { throw AtomicFile.failure("standard output", failure) }
            }
        }
        for file in files { try file.commit(syncsFolder: syncsFolders) }
    }

    /// Writes a merged table to the file, reading its rows in pieces, or nothing under the final name.
    /// - Throws: ``OutputError``; ``ImageError`` if a catalogue cannot be read; `CancellationError`.
    package func write(_ merged: MergedCatalogue) throws {
        let file = try AtomicFile(path: path, overwrite: overwrite)
        let toFile: ByteSink = { bytes throws(OutputError) in try file.write(bytes) }
        try compressed(to: toFile) { sink in try format.write(merged, name: path, to: sink) }
        try file.commit()
    }

    /// Writes the bytes of the file to `sink`, compressed if the file's name ends in `.gz`.
    private func write(_ tables: [CatalogueTable], to sink: @escaping ByteSink) throws {
        try compressed(to: sink) { sink in try format.write(tables, name: path, to: sink) }
    }

    /// Passes the bytes that `body` writes to `sink`, compressed if the file's name ends in `.gz`.
    private func compressed(to sink: @escaping ByteSink, _ body: (ByteSink) throws -> Void) throws {
        guard CatalogueFormat.isCompressed(path), ![.ascii, .objects].contains(format) else {
            return try body(sink)
        }
        let gzip = try GzipStream(name: path, to: sink)
        try body { bytes throws(OutputError) in try gzip.write(bytes) }
        try gzip.finish()
    }
}
