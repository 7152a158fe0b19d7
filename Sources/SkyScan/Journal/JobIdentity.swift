internal import ScanBasics
internal import ScanNetwork
public import SkyExtraction
import SkyFITS
internal import TaskJournal

/// The properties that two command lines must have in common to be the same job: files, parameters, versions and
/// arithmetic. Nodes, slots, bands that are derived from them, and outputs are not included.
public struct JobIdentity: Codable, Equatable, Sendable {
    /// Absolute path of the image, with its HDU.
    public let image: String
    // Stored by name, so that messages can name the differences.
    private let fields: [String: String]

    /// Version number that changes with the format of the journal and of its contents.
    package static let format = 5

    /// Creates the identity of a scan.
    /// - Parameters:
    ///   - reader: reader of the image and its maps.
    ///   - parameters: parameters of the scan.
    ///   - bandRows: number of rows of a band if the user has chosen it.
    ///   - settings: other settings on which the catalogue depends, by descriptive names.
    ///   - software: name and version of the program.
    /// - Throws: `EncodingError` if a parameter is not finite.
    public init(
        reader: ImageReader, parameters: ScanParameters, bandRows: Int?, settings: [String: String] = [:],
        software: String
    ) throws {
        image = Self.absolute(reader.summary.name)
        var fields = try NamedValues(of: parameters).byName.merging(settings) { $1 }
        fields["image"] = image
        fields["mask"] = reader.summary.mask.map(Self.absolute)
        fields["weight map"] = reader.summary.weights.map(Self.absolute)
        fields["size of the image"] = "\(reader.summary.width) x \(reader.summary.height)"
        fields["rows of a band"] = bandRows.map { "\($0)" } ?? "derived"
        fields["version"] = software
        fields["arithmetic"] = "\(ArithmeticFingerprint.current)"
        fields["format"] = ([String(Self.format)] + Self.taskTypes).joined(separator: ", ")
        self.fields = fields
    }

    /// Creates the identity of a scan of many images.
    /// - Parameters:
    ///   - files: names of the files, with their HDUs, in order.
    ///   - settings: other settings on which the catalogues depend, by descriptive names.
    ///   - parameters: parameters of the scan that do not depend on the image.
    ///   - software: name and version of the program.
    /// - Throws: `EncodingError` if a parameter is not finite.
    public init(
        files: [String], settings: [String: String], parameters: ScanParameters, software: String
    ) throws {
        let names = files.map(Self.absolute)
        image = (names.first ?? "") + (names.count > 1 ? " and \(names.count - 1) more" : "")
        var fields = try NamedValues(of: parameters).byName.merging(settings) { $1 }
        fields["image"] = image
        fields["files"] = try Checksum.of(names).hexadecimal
        fields["version"] = software
        fields["arithmetic"] = "\(ArithmeticFingerprint.current)"
        fields["format"] = ([String(Self.format)] + Self.taskTypes).joined(separator: ", ")
        self.fields = fields
    }

    private static let taskTypes = TaskTypes.skyNames + [MeasurementTask.typeName, ForcedTask.typeName]

    /// Eight hexadecimal digits that identify the job, from the checksum of its properties.
    public var id: String {
        // Sorted, since a dictionary has no order.
        let text = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\n" }.joined()
        return String(Array(text.utf8).withUnsafeBytes { Checksum.of($0) }.hexadecimal.prefix(8))
    }

    /// Returns the differences from `old` in words, such as "threshold was 3, is 2".
    public func differences(from old: JobIdentity) -> [String] {
        Set(fields.keys).union(old.fields.keys).sorted().compactMap { name in
            let (was, now) = (old.fields[name] ?? "none", fields[name] ?? "none")
            return was == now ? nil : "\(name) was \(was), is \(now)"
        }
    }

    private static func absolute(_ name: String) -> String {
        if NodeImageName(name) != nil { return name }
        guard var location = try? ImageLocation(name) else { return name }
        location.path = AbsolutePath.of(location.path)
        return location.description
    }
}
