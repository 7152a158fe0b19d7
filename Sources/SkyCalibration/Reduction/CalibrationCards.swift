internal import Foundation
internal import SkyFITS

/// The cards that tell how an image was calibrated.
enum CalibrationCards {
    static let maskRole = "MASK"

    /// The cards of a mask, with its bits.
    static let maskEntries = [
        HeaderEntry(HDU.companionKeyword, .text(maskRole), comment: "accompanies the image before it"),
        HeaderEntry("MASKBIT0", .text("bad pixel"), comment: "value 1"),
        HeaderEntry("MASKBIT1", .text("saturated"), comment: "value 2"),
        HeaderEntry("MASKBIT2", .text("cosmic ray"), comment: "value 4"),
        HeaderEntry("MASKBIT3", .text("no value"), comment: "value 8"),
    ]

    /// The card that names a master by which an image was calibrated.
    static func keyword(of role: MasterImages.Role) -> String {
        switch role {
        case .bias: "CALBIAS"
        case .dark: "CALDARK"
        case .flat: "CALFLAT"
        case .badPixels: "CALBPM"
        }
    }

    static func entries(
        _ output: ImageCalibration.Output, _ recipe: CalibrationRecipe, _ frame: FramePixels
    ) -> [HeaderEntry] {
        var entries: [HeaderEntry] = []
        if let overscan = output.overscan {
            entries.append(HeaderEntry("CALOVSC", .text("\(overscan)"), comment: "overscan subtracted"))
            entries.append(HeaderEntry("CALOVSM", .text(recipe.overscanMethod.rawValue), comment: "its level"))
        }
        if output.section != PixelSection(width: frame.width, height: frame.height) {
            entries.append(HeaderEntry("CALTRIM", .text("\(output.section)"), comment: "section of the raw image"))
        }
        for (role, sum) in [
            (MasterImages.Role.bias, "CALBSUM"), (.dark, "CALDSUM"), (.flat, "CALFSUM"), (.badPixels, "CALMSUM"),
        ] {
            guard let master = output.masters[role] else { continue }
            let name = (master.location.path as NSString).lastPathComponent
            entries.append(HeaderEntry(keyword(of: role), .text(name), comment: "\(role.rawValue)"))
            entries.append(HeaderEntry(sum, .text(master.checksum), comment: "XXH3 of its stored image"))
        }
        if let factor = output.darkFactor {
            entries.append(HeaderEntry("CALDFAC", .real(factor), comment: "by what the dark was multiplied"))
        }
        if let saturation = output.saturation {
            entries.append(HeaderEntry("CALSAT", .real(saturation), comment: "raw samples from here are saturated"))
        }
        if recipe.givesElectrons, let gain = output.gain {
            entries.append(HeaderEntry("CALGAIN", .real(gain), comment: "electrons per unit, multiplied"))
        }
        if let count = output.rayCount {
            entries.append(HeaderEntry("CALNCR", .integer(count), comment: "pixels of cosmic rays"))
        }
        return entries
    }
}
