extension SExtractorColumn {
    /// Columns of the windowed moments and of the errors of the windowed position.
    static let windowedShapes = table { table in
        table.add("X2WIN_IMAGE", .double, "pixel**2", "E18.10", "Windowed variance along x") {
            $0.one($0.moments(.windowed).map(\.x2))
        }
        table.add("Y2WIN_IMAGE", .double, "pixel**2", "E18.10", "Windowed variance along y") {
            $0.one($0.moments(.windowed).map(\.y2))
        }
        table.add("XYWIN_IMAGE", .double, "pixel**2", "E18.10", "Windowed covariance between x and y") {
            $0.one($0.moments(.windowed).map(\.xy))
        }
        table.add("CXXWIN_IMAGE", .float, "pixel**(-2)", "E15.7", "Windowed Cxx object ellipse parameter") {
            $0.one($0.moments(.windowed).map(\.coefficients.cxx))
        }
        table.add("CYYWIN_IMAGE", .float, "pixel**(-2)", "E15.7", "Windowed Cyy object ellipse parameter") {
            $0.one($0.moments(.windowed).map(\.coefficients.cyy))
        }
        table.add("CXYWIN_IMAGE", .float, "pixel**(-2)", "E15.7", "Windowed Cxy object ellipse parameter") {
            $0.one($0.moments(.windowed).map(\.coefficients.cxy))
        }
        table.add("AWIN_IMAGE", .float, "pixel", "F9.3", "Windowed profile RMS along major axis") {
            $0.one($0.moments(.windowed).map(\.a))
        }
        table.add("BWIN_IMAGE", .float, "pixel", "F9.3", "Windowed profile RMS along minor axis") {
            $0.one($0.moments(.windowed).map(\.b))
        }
        table.add("THETAWIN_IMAGE", .float, "deg", "F6.2", "Windowed position angle (CCW/x)") {
            $0.one($0.moments(.windowed).map(\.theta))
        }
        table.add("POLARWIN_IMAGE", .float, "", "F7.5", "(AWIN^2 - BWIN^2)/(AWIN^2 + BWIN^2)") {
            $0.one($0.moments(.windowed).map(\.polarization))
        }
        table.add("ERRX2WIN_IMAGE", .double, "pixel**2", "E18.10", "Variance of windowed pos along x") {
            $0.one($0.moments(.windowedError).map(\.x2))
        }
        table.add("ERRY2WIN_IMAGE", .double, "pixel**2", "E18.10", "Variance of windowed pos along y") {
            $0.one($0.moments(.windowedError).map(\.y2))
        }
        table.add("ERRXYWIN_IMAGE", .double, "pixel**2", "E18.10", "Covariance of windowed pos between x and y") {
            $0.one($0.moments(.windowedError).map(\.xy))
        }
        table.add("ERRCXXWIN_IMAGE", .float, "pixel**(-2)", "G12.7", "Cxx windowed error ellipse parameter") {
            $0.one($0.moments(.windowedError).map(\.coefficients.cxx))
        }
        table.add("ERRCYYWIN_IMAGE", .float, "pixel**(-2)", "G12.7", "Cyy windowed error ellipse parameter") {
            $0.one($0.moments(.windowedError).map(\.coefficients.cyy))
        }
        table.add("ERRCXYWIN_IMAGE", .float, "pixel**(-2)", "G12.7", "Cxy windowed error ellipse parameter") {
            $0.one($0.moments(.windowedError).map(\.coefficients.cxy))
        }
        table.add("ERRAWIN_IMAGE", .float, "pixel", "F9.5", "RMS windowed pos error along major axis") {
            $0.one($0.moments(.windowedError).map(\.a))
        }
        table.add("ERRBWIN_IMAGE", .float, "pixel", "F9.5", "RMS windowed pos error along minor axis") {
            $0.one($0.moments(.windowedError).map(\.b))
        }
        table.add("ERRTHETAWIN_IMAGE", .float, "deg", "F6.2", "Windowed error ellipse pos angle (CCW/x)") {
            $0.one($0.moments(.windowedError).map(\.theta))
        }
        table.add("X2WIN_WORLD", .double, "deg**2", "E18.10", "Windowed variance along X-WORLD (alpha)") {
            $0.one($0.worldMoments(.windowed).map(\.x2))
        }
        table.add("Y2WIN_WORLD", .double, "deg**2", "E18.10", "Windowed variance along Y-WORLD (delta)") {
            $0.one($0.worldMoments(.windowed).map(\.y2))
        }
        table.add("XYWIN_WORLD", .double, "deg**2", "E18.10", "Windowed covariance between X-WORLD and Y-WORLD") {
            $0.one($0.worldMoments(.windowed).map(\.xy))
        }
        table.add("CXXWIN_WORLD", .float, "deg**(-2)", "E15.7", "Windowed Cxx object ellipse parameter (WORLD units)") {
            $0.one($0.worldMoments(.windowed).map(\.coefficients.cxx))
        }
        table.add("CYYWIN_WORLD", .float, "deg**(-2)", "E15.7", "Windowed Cyy object ellipse parameter (WORLD units)") {
            $0.one($0.worldMoments(.windowed).map(\.coefficients.cyy))
        }
        table.add("CXYWIN_WORLD", .float, "deg**(-2)", "E15.7", "Windowed Cxy object ellipse parameter (WORLD units)") {
            $0.one($0.worldMoments(.windowed).map(\.coefficients.cxy))
        }
        table.add("AWIN_WORLD", .float, "deg", "G12.7", "Windowed profile RMS along major axis (world units)") {
            $0.one($0.worldMoments(.windowed).map(\.a))
        }
        table.add("BWIN_WORLD", .float, "deg", "G12.7", "Windowed profile RMS along minor axis (world units)") {
            $0.one($0.worldMoments(.windowed).map(\.b))
        }
        table.add("THETAWIN_WORLD", .float, "deg", "F6.2", "Windowed position angle (CCW/world-x)") {
            $0.one($0.worldMoments(.windowed).map(\.theta))
        }
        table.add("THETAWIN_SKY", .float, "deg", "F6.2", "Windowed position angle (east of north) (native)") {
            $0.one($0.positionAngles(.windowed))
        }
        table.add("THETAWIN_J2000", .float, "deg", "F6.2", "Windowed position angle (east of north) (J2000)") {
            $0.one($0.positionAngles(.windowed))
        }
        table.add("POLARWIN_WORLD", .float, "", "F7.5", "(AWIN^2 - BWIN^2)/(AWIN^2 + BWIN^2)") {
            $0.one($0.worldMoments(.windowed).map(\.polarization))
        }
        table.add("ERRX2WIN_WORLD", .double, "deg**2", "E18.10", "Variance of windowed pos along X-WORLD (alpha)") {
            $0.one($0.worldMoments(.windowedError).map(\.x2))
        }
        table.add("ERRY2WIN_WORLD", .double, "deg**2", "E18.10", "Variance of windowed pos along Y-WORLD (delta)") {
            $0.one($0.worldMoments(.windowedError).map(\.y2))
        }
        table.add("ERRXYWIN_WORLD", .double, "deg**2", "E18.10", "Covariance of windowed pos X-WORLD/Y-WORLD") {
            $0.one($0.worldMoments(.windowedError).map(\.xy))
        }
        table.add("ERRCXXWIN_WORLD", .float, "deg**(-2)", "G12.7", "Cxx windowed error ellipse parameter (WORLD units)")
        { $0.one($0.worldMoments(.windowedError).map(\.coefficients.cxx)) }
        table.add("ERRCYYWIN_WORLD", .float, "deg**(-2)", "G12.7", "Cyy windowed error ellipse parameter (WORLD units)")
        { $0.one($0.worldMoments(.windowedError).map(\.coefficients.cyy)) }
        table.add("ERRCXYWIN_WORLD", .float, "deg**(-2)", "G12.7", "Cxy windowed error ellipse parameter (WORLD units)")
        { $0.one($0.worldMoments(.windowedError).map(\.coefficients.cxy)) }
        table.add("ERRAWIN_WORLD", .float, "deg", "G12.7", "World RMS windowed pos error along major axis") {
            $0.one($0.worldMoments(.windowedError).map(\.a))
        }
        table.add("ERRBWIN_WORLD", .float, "deg", "G12.7", "World RMS windowed pos error along minor axis") {
            $0.one($0.worldMoments(.windowedError).map(\.b))
        }
        table.add("ERRTHETAWIN_WORLD", .float, "deg", "F6.2", "Windowed error ellipse pos. angle (CCW/world-x)") {
            $0.one($0.worldMoments(.windowedError).map(\.theta))
        }
        table.add("ERRTHETAWIN_SKY", .float, "deg", "F6.2", "Native windowed error ellipse pos. angle (east of north)")
        { $0.one($0.positionAngles(.windowedError)) }
        table.add("ERRTHETAWIN_J2000", .float, "deg", "F6.2", "J2000 windowed error ellipse pos. angle (east of north)")
        { $0.one($0.positionAngles(.windowedError)) }
    }
}
