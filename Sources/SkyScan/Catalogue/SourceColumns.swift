internal import SkyCatalogue
internal import SkyExtraction
internal import SkyTrails

/// Columns of a catalogue, with SEP's names, units and descriptions.
enum SourceColumns {
    /// Returns the columns of `sources`, whose samples are in `unit`. Coordinates are in degrees in the named frame.
    static func columns(
        of sources: SourceTable, unit: String, parameters: ScanParameters,
        coordinates: (rightAscension: [Double], declination: [Double], frame: String)?
    ) -> [CatalogueTable.Column] {
        places(of: sources, "Barycentre", coordinates) + shapes(sources)
            + fluxes(sources, unit, hasTrails: parameters.findsTrails) + extent(sources)
            + photometry(sources.photometry, unit, parameters)
    }

    /// Returns the columns of fluxes measured at given positions, which are the positions of `sources`.
    static func columns(
        of forced: ForcedTable, at sources: SourceTable, unit: String, parameters: ScanParameters,
        coordinates: (rightAscension: [Double], declination: [Double], frame: String)?
    ) -> [CatalogueTable.Column] {
        let request = parameters.forced ?? ForcedRequest()
        let apertures = request.apertures
        func every<Value>(_ values: [Value], _ place: Int) -> [Value] {
            stride(from: place, to: values.count, by: apertures.count).map { values[$0] }
        }
        let noise = parameters.gain > 0 ? "noise of the image and photon noise" : "noise of the image"
        var columns = places(of: sources, "Position", coordinates)
        for (place, diameter) in apertures.enumerated() {
            let suffix = place == 0 ? "" : "_\(place)"
            let circle = "the circle with a diameter of \(diameter) pixels"
            columns += [
                .init(
                    "flux_aper" + suffix, unit: unit, description: "Flux in \(circle)",
                    .double(every(forced.flux, place))),
                .init(
                    "fluxerr_aper" + suffix, unit: unit, description: "Error of flux_aper\(suffix): \(noise)",
                    .double(every(forced.fluxErr, place))),
                .init(
                    "fluxlimit_aper" + suffix, unit: unit,
                    description: "Upper limit: \(request.limit) times the noise of the image in \(circle)",
                    .double(every(forced.noise, place).map { $0 * request.limit })),
                .init(
                    "flag_aper" + suffix,
                    description: "Bits of flux_aper\(suffix): 16 aperture cut by the image's edge, 32 some pixels "
                        + "masked, 64 all pixels masked, 256 flux not measured", .int16(every(forced.flag, place))),
            ]
        }
        return columns
    }

    private static func places(
        of sources: SourceTable, _ what: String,
        _ coordinates: (rightAscension: [Double], declination: [Double], frame: String)?
    ) -> [CatalogueTable.Column] {
        var columns = [
            CatalogueTable.Column(
                "number", description: "Running number, from 1", .int32((0..<Int32(sources.count)).map { $0 + 1 }))
        ]
        columns += positions(sources, what)
        if let coordinates {
            let frame = coordinates.frame
            columns += [
                .init(
                    "ra", unit: "deg", description: "Right ascension (\(frame))", .double(coordinates.rightAscension)),
                .init("dec", unit: "deg", description: "Declination (\(frame))", .double(coordinates.declination)),
            ]
        }
        return columns
    }

    private static func positions(_ sources: SourceTable, _ what: String) -> [CatalogueTable.Column] {
        [
            .init(
                "x", unit: "pix", description: "\(what), column; the first pixel's centre is 0", .double(sources.x)),
            .init("y", unit: "pix", description: "\(what), row; the first pixel's centre is 0", .double(sources.y)),
            .init(
                "x_image", unit: "pix", description: "\(what), column; the first pixel's centre is 1 (FITS)",
                .double(sources.x.map { $0 + 1 })),
            .init(
                "y_image", unit: "pix", description: "\(what), row; the first pixel's centre is 1 (FITS)",
                .double(sources.y.map { $0 + 1 })),
        ]
    }

    private static func shapes(_ sources: SourceTable) -> [CatalogueTable.Column] {
        [
            .init("a", unit: "pix", description: "Semi-major axis (rms)", .float(sources.a)),
            .init("b", unit: "pix", description: "Semi-minor axis (rms)", .float(sources.b)),
            .init(
                "theta", unit: "rad", description: "Position angle of the major axis, from x towards y",
                .float(sources.theta)),
            .init("cxx", unit: "pix-2", description: "Ellipse parameter of x squared", .float(sources.cxx)),
            .init("cyy", unit: "pix-2", description: "Ellipse parameter of y squared", .float(sources.cyy)),
            .init("cxy", unit: "pix-2", description: "Ellipse parameter of x times y", .float(sources.cxy)),
            .init("x2", unit: "pix2", description: "Variance along x", .double(sources.x2)),
            .init("y2", unit: "pix2", description: "Variance along y", .double(sources.y2)),
            .init("xy", unit: "pix2", description: "Covariance of x and y", .double(sources.xy)),
            .init("errx2", unit: "pix2", description: "Variance of the barycentre's x", .double(sources.errx2)),
            .init("erry2", unit: "pix2", description: "Variance of the barycentre's y", .double(sources.erry2)),
            .init("errxy", unit: "pix2", description: "Covariance of the barycentre", .double(sources.errxy)),
        ]
    }

    private static func fluxes(
        _ sources: SourceTable, _ unit: String, hasTrails: Bool
    ) -> [CatalogueTable.Column] {
        [
            .init("thresh", unit: unit, description: "Detection threshold", .float(sources.thresh)),
            .init("peak", unit: unit, description: "Highest pixel", .float(sources.peak)),
            .init("cpeak", unit: unit, description: "Highest pixel after the filter", .float(sources.cpeak)),
            .init("flux", unit: unit, description: "Sum of the source's pixels", .float(sources.flux)),
            .init(
                "cflux", unit: unit, description: "Sum of the source's pixels after the filter",
                .float(sources.cflux)),
            .init(
                "flag",
                description: "Bits: 1 deblended, 2 cut by the image's edge, 8 x and y fully correlated"
                    + (hasTrails ? ", \(TrailFlag.bit) touched by a trail" : ""),
                .int16(sources.flag)),
        ]
    }

    private static func extent(_ sources: SourceTable) -> [CatalogueTable.Column] {
        [
            .init("npix", unit: "pix", description: "Pixels of the source", .int32(sources.npix)),
            .init(
                "tnpix", unit: "pix", description: "Pixels above the threshold without the filter",
                .int32(sources.tnpix)),
            .init("xmin", unit: "pix", description: "First column", .int32(sources.xmin)),
            .init("xmax", unit: "pix", description: "Last column", .int32(sources.xmax)),
            .init("ymin", unit: "pix", description: "First row", .int32(sources.ymin)),
            .init("ymax", unit: "pix", description: "Last row", .int32(sources.ymax)),
            .init("xpeak", unit: "pix", description: "Column of the highest pixel", .int32(sources.xpeak)),
            .init("ypeak", unit: "pix", description: "Row of the highest pixel", .int32(sources.ypeak)),
            .init(
                "xcpeak", unit: "pix", description: "Column of the highest pixel after the filter",
                .int32(sources.xcpeak)),
            .init(
                "ycpeak", unit: "pix", description: "Row of the highest pixel after the filter",
                .int32(sources.ycpeak)),
        ]
    }

    private static func photometry(
        _ measured: Photometry, _ unit: String, _ parameters: ScanParameters
    ) -> [CatalogueTable.Column] {
        let noise = parameters.gain > 0 ? "noise of the image and photon noise" : "noise of the image"
        let bits =
            "16 aperture cut by the image's edge, 32 some pixels masked, 64 all pixels masked, 128 no Kron radius, "
            + "256 flux not measured"
        return [
            .init(
                "kron_radius", description: "Kron radius, in units of a and b", .double(measured.kronRadius)),
            .init("flag_kron", description: "Bits of the Kron radius: \(bits)", .int16(measured.kronFlag)),
            .init(
                "flux_auto", unit: unit,
                description: "Flux in the ellipse of \(parameters.kronFactor) Kron radii, at least "
                    + "\(parameters.kronMinimum) times a and b",
                .double(measured.fluxAuto)),
            .init(
                "fluxerr_auto", unit: unit, description: "Error of flux_auto: \(noise)",
                .double(measured.fluxErrAuto)),
            .init("flag_auto", description: "Bits of flux_auto: \(bits)", .int16(measured.flagAuto)),
            .init(
                "flux_aper", unit: unit,
                description: "Flux in the circle of radius \(parameters.apertureRadius) pixels",
                .double(measured.fluxAper)),
            .init(
                "fluxerr_aper", unit: unit, description: "Error of flux_aper: \(noise)",
                .double(measured.fluxErrAper)),
            .init("flag_aper", description: "Bits of flux_aper: \(bits)", .int16(measured.flagAper)),
            .init(
                "flux_radius", unit: "pix", description: "Radius that contains half of the flux within 6 a",
                .double(measured.fluxRadius)),
        ]
    }
}
