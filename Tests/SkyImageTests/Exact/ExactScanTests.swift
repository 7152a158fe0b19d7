import Testing

import SkyExtraction
import SkyFITS
import SkyMeasurement
import SkyTestSupport

@Suite("plan of an exact scan")
struct ExactScanTests {
    private let plan: BandPlan
    private var parameters = ScanParameters()

    init() throws {
        plan = try BandPlan(width: 300, height: 520, meshHeight: 64, requestedRows: 64)
        parameters.clean = nil
    }

    /// What `answer` gives to the scans of a round, or nothing found, added in ascending or descending order.
    private func finish<Round: ScanRound>(
        _ round: Round, of scan: inout ExactScan, isReversed: Bool, _ answer: (any WindowStep) -> Any?
    ) throws -> (kind: String, rects: [PixelRect]) {
        let indices = Array(0..<round.count)
        for index in isReversed ? indices.reversed() : indices {
            let step = round.step(index)
            let output = answer(step) as? Round.Step.Output ?? step.missing
            try step.validate(output)
            try round.add(output, of: index, to: &scan)
        }
        return ("\(Round.Step.self)", indices.map { round.step($0).rect })
    }

    /// The rounds of a scan with these answers, in order.
    private func rounds(
        of scan: inout ExactScan, isReversed: Bool = false, _ answer: (any WindowStep) -> Any? = { _ in nil }
    ) throws -> [(kind: String, rects: [PixelRect])] {
        var rounds: [(kind: String, rects: [PixelRect])] = []
        while let round = try scan.next() {
            rounds.append(try finish(round, of: &scan, isReversed: isReversed, answer))
        }
        return rounds
    }

    private var windows: [PixelRect] { (0..<plan.count).map { plan[$0].window } }

    /// Two sources of a band; an aperture of the second reaches so far.
    private func found(inBand band: Int, aperture box: PixelRect) -> WindowResult {
        var result = WindowResult()
        result.batch = .uniform(count: 2)
        result.batch.keyRow = [Int32(plan[band].core.y.lowerBound), Int32(plan[band].core.y.lowerBound) + 9]
        result.batch.sources.x = [Double(10 * band), 200]
        result.batch.open.append(index: 1, box: box)
        return result
    }

    /// An island that two bands cut, and that the first window of cut islands cuts again.
    private func cutTwice(_ step: any WindowStep) -> WindowResult? {
        var result = WindowResult()
        switch step {
        case let step as BandExtraction where [3, 4].contains(step.band):
            result = found(inBand: step.band, aperture: PixelRect(x: 0..<90, y: 60..<400))
            result.cut.append(box: PixelRect(x: 40..<50, y: 130..<390), pixelX: 44, y: step.band * 64 + 1)
        case let step as CutIslandExtraction where step.rescan.id == 0:
            result.cut.append(box: PixelRect(x: 20..<50, y: 66..<390), pixelX: 44, y: 193)
        case is CutIslandExtraction:
            result.batch = .uniform(count: 1)
            (result.batch.keyRow, result.batch.sources.x) = ([389], [45])
        default: return nil
        }
        return result
    }

    @Test("bands follow the background of all bands; without sources that is all")
    func empty() throws {
        var scan = ExactScan(plan: plan, parameters: parameters)
        let rounds = try rounds(of: &scan)
        #expect(rounds.map(\.kind) == ["MeshMeasurement", "BandExtraction"])
        #expect(rounds.map(\.rects) == [windows, windows])
        #expect(scan.background != nil && scan.assembly.sources.count == 0)
        #expect(try scan.next() == nil)
    }

    @Test("an image of one band is one window, and its cut islands and apertures are scanned like those of bands")
    func whole() throws {
        let whole = try BandPlan(width: 300, height: 520, meshHeight: 64, requestedRows: 520)
        var scan = ExactScan(plan: whole, parameters: parameters)
        let mesh = MeshMeasurement(plan: whole, band: 0, parameters: parameters)
        let rounds = try rounds(of: &scan) { step in
            step is ImageExtraction
                ? ImageResult(
                    statistics: mesh.missing, window: found(inBand: 0, aperture: PixelRect(x: 0..<90, y: 0..<200)))
                : nil
        }
        #expect(rounds.map(\.kind) == ["ImageExtraction", "WindowPhotometry"])
        #expect(rounds[1].rects == [PixelRect(x: 0..<90, y: 0..<200)])
        #expect(scan.assembly.sources.x == [0, 200])
    }

    @Test("cut islands are scanned until they are whole, then the apertures that are cut; the order does not matter")
    func roundsOfWindows() throws {
        var scan = ExactScan(plan: plan, parameters: parameters)
        let ordered = try rounds(of: &scan, cutTwice)
        #expect(
            ordered.map(\.kind) == [
                "MeshMeasurement", "BandExtraction", "CutIslandExtraction", "CutIslandExtraction", "WindowPhotometry",
            ])
        #expect(ordered[2].rects.count == 1 && ordered[3].rects[0].contains(ordered[2].rects[0]))
        #expect(ordered[4].rects == [PixelRect(x: 0..<90, y: 60..<400)])
        #expect(scan.assembly.sources.x == [30, 200, 40, 200, 45])
        var other = ExactScan(plan: plan, parameters: parameters)
        let reversed = try rounds(of: &other, isReversed: true, cutTwice)
        #expect(reversed.map(\.kind) == ordered.map(\.kind) && reversed.map(\.rects) == ordered.map(\.rects))
        #expect(other.assembly.sources.differences(to: scan.assembly.sources) == [])
    }

    @Test("the sources of cut islands are told once, before the sources are cleaned")
    func beforeCleaning() throws {
        var scan = ExactScan(plan: plan, parameters: parameters)
        var told: [[Double]] = []
        while true {
            let isEmpty = scan.assembly.sources.count == 0
            let next = try scan.next { sources in
                told.append(sources.x)
                #expect(isEmpty)
            }
            guard let next else { break }
            _ = try finish(next, of: &scan, isReversed: false, cutTwice)
        }
        #expect(told == [[45]])
    }

    @Test("between the passes the image may be cut anew, and only then")
    func otherPlan() throws {
        let other = try BandPlan(width: 300, height: 520, meshHeight: 64, requestedRows: 128)
        var scan = ExactScan(plan: plan, parameters: parameters)
        var kinds: [String] = []
        #expect(!scan.isBetweenPasses)
        while let round = try scan.next() {
            let (kind, rects) = try finish(round, of: &scan, isReversed: false) { _ in nil }
            kinds.append("\(kind) \(rects.count)")
            #expect(scan.isBetweenPasses == (kind == "MeshMeasurement"))
            if scan.isBetweenPasses { scan.plan = other }
        }
        #expect(kinds == ["MeshMeasurement 9", "BandExtraction \(other.count)"])
    }

    @Test("apertures that never end are given up and flagged, after a few rounds")
    func endless() throws {
        var scan = ExactScan(plan: plan, parameters: parameters)
        let rounds = try rounds(of: &scan) { step in
            if let step = step as? WindowPhotometry {
                var result = step.missing
                result.open.append(index: 0, box: PixelRect(x: 0..<9, y: 0..<9))
                return result
            }
            return (step as? BandExtraction)?.band == 2
                ? found(inBand: 2, aperture: PixelRect(x: 0..<90, y: 60..<400)) : nil
        }
        #expect(rounds.count { $0.kind == "WindowPhotometry" } == CatalogAssembly.roundLimit)
        #expect(scan.assembly.sources.photometry.flagAuto.map { $0 & 0x10 } == [0, 0x10])
    }

    @Test("the sources of a large window are divided among the slots", arguments: [1, 2])
    func slots(slots: Int) throws {
        let large = try BandPlan(width: 3000, height: 2000, meshHeight: 64, requestedRows: 640)
        var scan = ExactScan(plan: large, parameters: parameters)
        scan.slots = slots
        let rounds = try rounds(of: &scan) { step in
            guard let step = step as? BandExtraction, step.band == 2 else { return nil }
            var result = found(inBand: 2, aperture: large.image)
            result.batch.keyRow = [1300, 1301]
            result.batch.open.append(index: 0, box: large.image)
            return result
        }
        #expect(rounds.last?.rects == Array(repeating: large.image, count: slots))
    }

    @Test("positions are measured after the background, in windows of their own")
    func positions() throws {
        var parameters = parameters
        let request = ForcedRequest()
        parameters.forced = request
        let forced = ForcedPlan(x: [20, 250], y: [30, 500], in: plan.image, request)
        var scan = ExactScan(plan: plan, parameters: parameters, aim: .positions(forced))
        let rounds = try rounds(of: &scan) { step in
            guard let step = step as? ForcedPhotometry else { return nil }
            var table = step.missing
            table.flux = step.window.x.map { 2 * $0 }
            return table
        }
        #expect(rounds.map(\.kind) == ["MeshMeasurement", "ForcedPhotometry"] && !scan.isBetweenPasses)
        #expect(rounds[1].rects == forced.windows.map(\.rect))
        #expect(scan.forced?.table.flux == [40, 500])
    }

    @Test("sources of another image are measured after the background, and nothing is searched for")
    func detections() throws {
        var parameters = parameters
        var request = MeasurementRequest()
        request.isOfOtherImage = true
        parameters.measurements = request
        var sources = SourceBatch.uniform(count: 2).sources
        (sources.x, sources.y, sources.ycpeak) = ([20, 250], [30, 500], [30, 500])
        let other = CatalogAssembly(
            sources, pixels: SourceBatch.uniform(count: 2).pixels, absorbed: PixelRuns(), hidden: [],
            detected: PixelRuns())
        var scan = ExactScan(plan: plan, parameters: parameters, aim: .detections(other))
        let rounds = try rounds(of: &scan)
        #expect(
            Set(rounds.map(\.kind)).isSubset(of: ["MeshMeasurement", "WindowMeasurement"]) && !scan.isBetweenPasses)
        #expect(scan.assembly.sources.x == [20, 250])
        let unmeasured = MeasurementTable(unmeasured: 2, request)
        #expect(scan.measurements.values.count == unmeasured.values.count)
        #expect(scan.measurements.values.allSatisfy { $0.isNaN })
    }

    @Test("an image without a background ends the scan")
    func noBackground() throws {
        var scan = ExactScan(plan: plan, parameters: parameters)
        let round = try #require(try scan.next())
        _ = try finish(round, of: &scan, isReversed: false) { step in
            var mesh = (step as? MeshMeasurement)?.missing
            mesh?.maskedPixels = step.sector.area
            return mesh
        }
        #expect(throws: ScanSetupError.self) { try scan.next() }
    }
}
