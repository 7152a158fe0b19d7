extension SExtractorColumn {
    /// Columns of fluxes and magnitudes.
    package static let fluxes = table { table in
        table.addFluxes(
            "ISO", "Isophotal flux", "RMS error for isophotal flux", "Isophotal magnitude",
            "RMS error for isophotal magnitude", fluxes: { $0.one($0.fluxIso) }, errors: { $0.one($0.fluxErrIso) })
        table.addFluxes(
            "ISOCOR", "Corrected isophotal flux", "RMS error for corrected isophotal flux",
            "Corrected isophotal magnitude", "RMS error for corrected isophotal magnitude",
            fluxes: { $0.one($0.fluxIsoCor) }, errors: { $0.one($0.fluxErrIsoCor) })
        table.addFluxes(
            "APER", "Flux vector within fixed circular aperture(s)", "RMS error vector for aperture flux(es)",
            "Fixed aperture magnitude vector", "RMS error vector for fixed aperture mag.", fluxes: { $0[.fluxAper] },
            errors: { $0[.fluxErrAper] })
        table.addFluxes(
            "AUTO", "Flux within a Kron-like elliptical aperture", "RMS error for AUTO flux",
            "Kron-like elliptical aperture magnitude", "RMS error for AUTO magnitude", fluxes: { $0[.fluxAuto] },
            errors: { $0[.fluxErrAuto] })
        table.addFluxes(
            "PETRO", "Flux within a Petrosian-like elliptical aperture", "RMS error for PETROsian flux",
            "Petrosian-like elliptical aperture magnitude", "RMS error for PETROsian magnitude",
            fluxes: { $0[.fluxPetrosian] }, errors: { $0[.fluxErrPetrosian] })
        table.addFluxes(
            "BEST", "Best of FLUX_AUTO and FLUX_ISOCOR", "RMS error for BEST flux", "Best of MAG_AUTO and MAG_ISOCOR",
            "RMS error for MAG_BEST", fluxes: { $0.one($0.fluxBest) }, errors: { $0.one($0.fluxErrBest) })
        table.addFluxes(
            "WIN", "Gaussian-weighted flux", "RMS error for WIN flux", "Gaussian-weighted magnitude",
            "RMS error for MAG_WIN", fluxes: { $0[.fluxWin] }, errors: { $0[.fluxErrWin] })
        table.add("SNR_WIN", .float, "", "G10.4", "Gaussian-weighted SNR") {
            $0.one(zip($0[.fluxWin][0], $0[.fluxErrWin][0]).map { $1 > 0 ? $0 / $1 : 1e30 })
        }
    }
}

extension [SExtractorColumn] {
    /// The columns `FLUX_`, `FLUXERR_`, `MAG_` and `MAGERR_` of one kind of flux, with their comments.
    fileprivate mutating func addFluxes(
        _ kind: String, _ comments: String..., fluxes: @escaping @Sendable (borrowing SExtractorContext) -> [[Double]],
        errors: @escaping @Sendable (borrowing SExtractorContext) -> [[Double]]
    ) {
        add("FLUX_" + kind, .float, "count", "G12.7", comments[0], fluxes)
        add("FLUXERR_" + kind, .float, "count", "G12.7", comments[1], errors)
        add("MAG_" + kind, .float, "mag", "F8.4", comments[2]) { $0.magnitudes(fluxes($0)) }
        add("MAGERR_" + kind, .float, "mag", "F8.4", comments[3]) { $0.magnitudeErrors(fluxes($0), errors($0)) }
    }
}
