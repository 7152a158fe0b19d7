internal import Dispatch
package import SkyFITS

/// Collects the mesh statistics of all bands, in any order, and reduces them to the background of the whole image.
package struct BackgroundAccumulator: Sendable {
    private let plan: BandPlan
    private let parameters: ScanParameters
    private var back: MeshGrid
    private var sigma: MeshGrid
    private var variance: [Double]
    private var isMissing: [Bool]
    private var maskedPixels = 0

    package init(plan: BandPlan, parameters: ScanParameters) {
        self.plan = plan
        self.parameters = parameters
        let columns = (plan.width + parameters.meshWidth - 1) / parameters.meshWidth
        let rows = (plan.height + parameters.meshHeight - 1) / parameters.meshHeight
        back = MeshGrid(columns: columns, rows: rows)
        sigma = back
        variance = parameters.noise == .weights ? Array(repeating: 0, count: columns * rows) : []
        isMissing = Array(repeating: true, count: rows)
    }

    /// True once every mesh row has been added.
    package var isComplete: Bool { !isMissing.contains(true) }

    /// Checks that `statistics` fit the image.
    /// - Throws: ``ScanSetupError`` if not.
    package func validate(_ statistics: MeshStatistics) throws(ScanSetupError) {
        let fits =
            statistics.columns == back.columns && statistics.firstRow >= 0
            && statistics.back.count == statistics.sigma.count && statistics.rows > 0
            && statistics.back.count == statistics.rows * statistics.columns
            && statistics.variance.count == (variance.isEmpty ? 0 : statistics.back.count)
            && statistics.firstRow <= back.rows - statistics.rows && statistics.maskedPixels >= 0
        guard fits else { throw ScanSetupError("the mesh statistics of a band do not fit the image") }
        guard (statistics.back + statistics.sigma).allSatisfy(\.isFinite) else {
            throw ScanSetupError("the background is not finite in mesh row \(statistics.firstRow); mask the bad pixels")
        }
    }

    /// Adds the meshes of a band; a band that was added before is ignored.
    /// - Throws: ``ScanSetupError`` if they do not fit the image or are not finite.
    package mutating func add(_ statistics: MeshStatistics) throws(ScanSetupError) {
        try validate(statistics)
        guard isMissing[statistics.firstRow] else { return }
        let first = statistics.firstRow * back.columns
        back.values.replaceSubrange(first..<first + statistics.back.count, with: statistics.back)
        sigma.values.replaceSubrange(first..<first + statistics.sigma.count, with: statistics.sigma)
        if !variance.isEmpty {
            variance.replaceSubrange(first..<first + statistics.variance.count, with: statistics.variance)
        }
        for row in statistics.firstRow..<statistics.firstRow + statistics.rows { isMissing[row] = false }
        maskedPixels += statistics.maskedPixels
    }

    /// The background of the whole image: bad meshes filled, median-filtered and interpolated with splines as in SEP.
    /// - Throws: ``ScanSetupError`` while bands are missing or if every pixel is masked, ``MemoryError``.
    package func reduce() throws -> BackgroundModel {
        guard isComplete else { throw ScanSetupError("the background of some bands is missing") }
        if maskedPixels == plan.image.area {
            throw ScanSetupError(
                "every pixel of the image is masked or not a number; check the image, its mask and its weight map")
        }
        let isScaled = parameters.rescalesWeights && parameters.weightMap != .rms
        let scale = variance.isEmpty ? nil : isScaled ? VarianceScale(noise: sigma, variance: variance).value : 1
        var (level, noise) = try smoothed()
        if let value = parameters.backgroundLevel { level = SmoothedMesh(constant: Float(value), like: level) }
        return BackgroundModel(
            plan: plan, parameters: parameters, level: level, noise: noise, varianceScale: scale,
            maskedPixels: maskedPixels)
    }

    /// Smooths level and noise in parallel; blocks until both are done.
    private func smoothed() throws -> (level: SmoothedMesh, noise: SmoothedMesh) {
        let grids = [(back, empty: Float(0)), (sigma, empty: 1)]
        var results = [Result<SmoothedMesh, any Error>?](repeating: nil, count: grids.count)
        results.withUnsafeMutableBufferPointer { results in
            // Unsafe: each iteration writes its own element, and all have ended when the call returns.
            nonisolated(unsafe) let results = results
            DispatchQueue.concurrentPerform(iterations: grids.count) { index in
                var (grid, empty) = grids[index]
                grid.fillBadMeshes(empty: empty)
                results[index] = Result { try SmoothedMesh(filtering: grid, parameters: parameters) }
            }
        }
        let both = try results.compactMap { try $0?.get() }
        return (both[0], both[1])
    }
}
