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

    /// A plan for the sources of `assembly`.
    /// - Parameters:
    ///   - assembly: the catalogue, of this image or of another one.
    ///   - plan: the bands of the image.
    ///   - parameters: of the scan.
    ///   - request: what is measured.
    ///   - background: that of the image, for the saturation of sources.
    package init(
        _ assembly: CatalogAssembly, plan: BandPlan, parameters: ScanParameters, request: MeasurementRequest,
        background: BackgroundModel
    ) {
        let (sources, pixels, absorbed) = (assembly.sources, assembly.pixels, assembly.absorbed)
        (self.plan, self.request, self.sources) = (plan, request, sources)
        segments = SegmentRows(
            pixels, absorbed: absorbed, hidden: assembly.hidden,
            detected: request.isOfOtherImage ? assembly.detected : PixelRuns(), height: plan.height)
        table = MeasurementTable(unmeasured: sources.count, request)
        let margin = IslandMargin(parameters: parameters)
        ceilings = background.levels(x: sources.x, y: sources.y).map { level in
            request.saturation.map { Float($0) - level } ?? .infinity
        }
        for (index, (own, other)) in zip(pixels.extents, absorbed.extents).enumerated() {
            let own = other.box.isEmpty ? own.box : own.box.union(other.box)
            let reach = WindowMeasurement.reach(
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
        open.replace(window.index, by: result.open)
        for (position, index) in window.index.enumerated() {
            table.copy(from: result.table, position, to: Int(index), request)
        }
    }
}
