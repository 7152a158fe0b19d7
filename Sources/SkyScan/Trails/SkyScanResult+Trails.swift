package import SkyCatalogue
internal import SkyExtraction
internal import SkyFITS
internal import SkyTrails

extension SkyScanResult {
    /// Finds the trails of the image, and flags the sources that they touch, if the scan looked for trails.
    /// - Parameters:
    ///   - image: the image.
    ///   - removes: whether the parts of trails are removed from the sources.
    package mutating func findTrails(in image: ImageSummary, removes: Bool) {
        guard let coarse = measured?.coarse else { return }
        let candidates = TrailFinder.trails(in: coarse, width: image.width, height: image.height)
        let found = TrailedSources(candidates, sources, noise: globalNoise)
        trails = found.trails
        for index in sources.flag.indices where found.touched[index] {
            sources.flag[index] |= Int16(TrailFlag.bit)
        }
        guard removes, found.parts.contains(true) else { return }
        let kept = sources.x.indices.filter { !found.parts[$0] }
        sources = sources.selecting(kept)
        measured?.keep(kept)
    }

    /// Returns the trails as a table, with celestial coordinates if the header of the image defines them. Brightness is
    /// in units of the samples.
    package func trailTable(image: ImageSummary) -> CatalogueTable {
        let trails = trails ?? []
        let unit = image.sampleUnit
        func column(_ name: String, _ unit: String, _ text: String, _ values: (Trail) -> Double)
            -> CatalogueTable.Column
        {
            .init(name, unit: unit, description: text, .double(trails.map(values)))
        }
        var columns = [
            CatalogueTable.Column(
                "number", description: "Running number, from 1", .int32(trails.indices.map { Int32($0 + 1) })),
            column("x1", "pix", "First end, column; the first pixel's centre is 0") { $0.x1 },
            column("y1", "pix", "First end, row; the first pixel's centre is 0") { $0.y1 },
            column("x2", "pix", "Second end, column") { $0.x2 },
            column("y2", "pix", "Second end, row") { $0.y2 },
        ]
        if let wcs = try? CelestialWCS(header: image.header) {
            let first = wcs.coordinates(x: trails.map(\.x1), y: trails.map(\.y1))
            let second = wcs.coordinates(x: trails.map(\.x2), y: trails.map(\.y2))
            let frame = wcs.referenceSystem
            columns += [
                ("ra1", "Right ascension of the first end (\(frame))", first.rightAscension),
                ("dec1", "Declination of the first end (\(frame))", first.declination),
                ("ra2", "Right ascension of the second end (\(frame))", second.rightAscension),
                ("dec2", "Declination of the second end (\(frame))", second.declination),
            ].map { .init($0, unit: "deg", description: $1, .double($2)) }
        }
        let noise = Double(globalNoise)
        columns += [
            column("length", "pix", "Length") { $0.length },
            column("width", "pix", "Full width at half maximum") { $0.width },
            column("brightness", unit, "Surface brightness on the axis") { $0.brightness * noise },
            .init(
                "significance", description: "Contrast to both sides, in units of the deviation of parallel lines",
                .double(trails.map(\.significance))),
            .init(
                "sources", description: "Sources that are parts of the trail",
                .int32(trails.map { Int32($0.sources) })),
        ]
        return CatalogueTable(
            columns: columns, header: [HeaderEntry("IMAGE", .text(image.name), comment: "Scanned image")])
    }
}

extension SkyScanResult.Measured {
    /// Keeps the data of the sources at `indices` alone.
    fileprivate mutating func keep(_ indices: [Int]) {
        let count = max(parents.count, pixels.count.count)
        if count == 0 { return }
        table = table.selecting(indices, of: count)
        if !absorbed.count.isEmpty {
            let starts = absorbed.starts
            hidden = hidden.isEmpty ? [] : indices.flatMap { hidden[starts[$0]..<starts[$0 + 1]] }
        }
        (pixels, absorbed) = (pixels.selecting(indices), absorbed.selecting(indices))
        if !parents.isEmpty { parents = indices.map { parents[$0] } }
    }
}
