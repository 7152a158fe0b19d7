package import SkyFITS

/// The scan of one window of an image, as a value: it is sent to the system that has, or gets, the window's pixels.
package protocol WindowStep: Codable, Equatable, Sendable {
    /// The result of the scan.
    associatedtype Output: Codable & Equatable & Sendable
    /// The identity of the scan among those of its kind with the same background.
    associatedtype Subject: Codable & Sendable

    /// Name and version under which nodes know the scan. Change it with the coded form of the scan or of its output.
    static var typeName: String { get }
    /// Work per pixel, relative to that of the extraction.
    static var costPerPixel: Double { get }

    /// The number of the band, or the window with the islands or sources to be found in it.
    var subject: Subject { get }
    /// The pixels that the scan reads.
    var rect: PixelRect { get }
    /// The pixels about which nothing is known if the scan fails; by default those that it reads.
    var sector: PixelRect { get }
    /// Expected work, in pixels.
    var cost: Double { get }
    /// Takes the place of the output if the scan fails.
    var missing: Output { get }

    /// Refuses a scan that no coordinator plans: ``rect`` can be used only after this. Accepts everything by default.
    func validate() throws(ScanSetupError)

    /// Scans the window, which `view` must hold.
    /// - Throws: ``ScanSetupError``, ``MemoryError``; `CancellationError` as ``PixelView/isCancelled`` says.
    func scan(_ view: PixelView) throws -> Output

    /// Refuses an output that this scan cannot give.
    func validate(_ output: Output) throws(ScanSetupError)

    /// The sources that `output` adds to those of other windows, before cleaning; nil if it adds none by itself.
    static func sources(in output: Output) -> SourceTable?
}

extension WindowStep {
    package var sector: PixelRect { rect }
    package var cost: Double { Double(rect.area) * Self.costPerPixel }
    package func validate() throws(ScanSetupError) {}
    package static func sources(in output: Output) -> SourceTable? { nil }
}

/// A step over one band of a plan.
package protocol BandStep: WindowStep where Subject == Int {
    var plan: BandPlan { get }
    var band: Int { get }
}

extension BandStep {
    package var subject: Int { band }
    package var rect: PixelRect { plan[band].window }
    package var sector: PixelRect { plan[band].core }

    package func validate() throws(ScanSetupError) {
        try plan.validate()
        guard (0..<plan.count).contains(band) else {
            throw ScanSetupError("band \(band) is not in the plan of \(plan.count) bands")
        }
    }
}
