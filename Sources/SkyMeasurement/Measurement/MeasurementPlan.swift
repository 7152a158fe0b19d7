package import SkyExtraction
import SkyFITS

/// The measurement of all sources of an image on request: windows in rounds, until each source has what it needs.
package struct MeasurementPlan: Sendable {
    package private(set) var table: MeasurementTable
    private let plan: BandPlan
    private let request: MeasurementRequest
    private let sources: SourceTable
    private let segments: SegmentRows
    private let ceilings: [Float]
    /// Sources that are still to be measured, and the pixels that they need.
    private var open = OpenApertures()
    private var isFirst = true

    /// Most rounds: the first two find the Kron radii, others windows that move far.
    package static let roundLimit = 6

    /// A plan for `sources` with these pixels.
    /// - Parameters:
    ///   - sources: the catalogue.
    ///   - pixels: the pixels of each source.
    ///   - absorbed: those of sources that cleaning removed, with the sources that they are due to.
    ///   - hidden: which of these belong to no aperture.
    ///   - plan: the bands of the image.
    ///   - parameters: of the scan.
    ///   - request: what is measured.
    ///   - levels: the background of each source, for its saturation.
    ///   - detected: all detections, if the sources are of another image.
    package init(
        _ sources: SourceTable, pixels: PixelRuns, absorbed: PixelRuns, hidden: [Bool], plan: BandPlan,
        parameters: ScanParameters, request: MeasurementRequest, levels: [Float], detected: PixelRuns = PixelRuns()
    ) {
        (self.plan, self.request, self.sources) = (plan, request, sources)
        segments = SegmentRows(pixels, absorbed: absorbed, hidden: hidden, detected: detected, height: plan.height)
        table = MeasurementTable(unmeasured: sources.count, request)
        let margin = IslandMargin(parameters: parameters)
        ceilings = levels.map { level in request.saturation.map { Float($0) - level } ?? .infinity }
        for (index, (own, other)) in zip(pixels.extents, absorbed.extents).enumerated() {
            let own = other.box.isEmpty ? own.box : own.box.union(other.box)
            let reach = MeasurementScan.reach(
                x: sources.x[index], y: sources.y[index], a: sources.a[index], b: sources.b[index],
                theta: sources.theta[index], parameters, request, in: plan.image)
            let frame = request.localThickness.map { LocalBackground(around: own, thickness: $0, in: plan.image).outer }
            open.append(
                index: index,
                box: own.union(reach).union(frame ?? reach).expanded(x: margin.x, y: margin.y).clamped(to: plan.image))
        }
    }

    /// The windows of the next round; none if all is measured.
    ///
    /// In the first round sources share a window with those of their band, if they lie inside the band's window.
    package mutating func windows() -> [MeasurementWindow] {
        var groups: [(rect: PixelRect, indices: [Int])] = []
        var rest = open
        if isFirst {
            isFirst = false
            rest = OpenApertures()
            var bands: [Int: (rect: PixelRect, indices: [Int])] = [:]
            for position in 0..<open.count {
                let (index, box) = (Int(open.index[position]), open.box(position))
                let band = plan.owner(ofRow: Int(sources.ycpeak[index]))
                guard band.window.contains(box) else {
                    rest.append(index: index, box: box)
                    continue
                }
                let rect = bands[band.index]?.rect.union(box) ?? box
                bands[band.index, default: (box, [])].rect = rect
                bands[band.index]?.indices.append(index)
            }
            groups = bands.sorted { $0.key < $1.key }.map(\.value)
        }
        groups += rest.grouped(pixelLimit: 4_000_000)
        return groups.map {
            MeasurementWindow(
                rect: $0.rect, of: $0.indices, sources, ceilings: ceilings, segments,
                isOfOtherImage: request.isOfOtherImage)
        }
    }

    /// Adds the measurements in one of the windows. The result must be valid for the window.
    package mutating func add(_ result: MeasurementResult, of window: MeasurementWindow) {
        let done = Set(window.index)
        var remaining = OpenApertures()
        for position in 0..<open.count where !done.contains(open.index[position]) {
            remaining.append(index: Int(open.index[position]), box: open.box(position))
        }
        for position in 0..<result.open.count {
            remaining.append(
                index: Int(window.index[Int(result.open.index[position])]), box: result.open.box(position))
        }
        open = remaining
        for (position, index) in window.index.enumerated() {
            table.copy(from: result.table, position, to: Int(index), request)
        }
    }
}
