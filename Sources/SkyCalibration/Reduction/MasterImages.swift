internal import Foundation
package import SkyFITS

/// The masters of a calibration. The images that were used last stay in memory, for all frames.
package final class MasterImages: @unchecked Sendable {
    // Unchecked: the lock is held where the cache is used.
    private let files: [Role: MasterFile]
    private let lock = NSLock()
    private var cache: [(key: Key, image: MasterImage)] = []
    private let limit: Int

    package enum Role: String, CaseIterable, Sendable {
        case bias, dark, flat
        case badPixels = "mask of bad pixels"
    }

    private struct Key: Hashable {
        var role: Role
        var place: ImagePlace
    }

    /// Finds the masters of a recipe.
    /// - Parameters:
    ///   - recipe: names the masters.
    ///   - limit: bytes that images may take which no frame uses.
    /// - Throws: ``ImageError``.
    package init(_ recipe: CalibrationRecipe, limit: Int = 1 << 30) throws(ImageError) {
        var files: [Role: MasterFile] = [:]
        for (role, location) in [
            (Role.bias, recipe.bias), (.dark, recipe.dark), (.flat, recipe.flat), (.badPixels, recipe.badPixels),
        ] {
            if let location { files[role] = try MasterFile(location, role: role.rawValue) }
        }
        (self.files, self.limit) = (files, limit)
    }

    /// The master's image for an image of the frames; nil without such a master.
    /// - Throws: ``ScanSetupError``, ``ImageError``.
    package func image(_ role: Role, at place: ImagePlace) throws -> MasterImage? {
        guard let file = files[role] else { return nil }
        let key = Key(role: role, place: place)
        return try lock.withLock {
            if let index = cache.firstIndex(where: { $0.key == key }) {
                let found = cache.remove(at: index)
                cache.append(found)
                return found.image
            }
            let image = try MasterImage(file.pixels(at: place), role: role)
            cache.append((key, image))
            var size = cache.reduce(0) { $0 + $1.image.pixels.count * 4 }
            while size > limit, cache.count > 1 { size -= cache.removeFirst().image.pixels.count * 4 }
            return image
        }
    }

    /// Lines about masters that are strange, for the user.
    package func warnings() -> [String] {
        lock.withLock {
            cache.compactMap { entry in
                guard entry.key.role == .flat, let level = entry.image.level, !(0.5...2).contains(level) else {
                    return nil
                }
                let name = entry.image.frame.location
                return "\(name): the median of the flat is \(level), not about 1, and divides all pixels; make flats "
                    + "with --scale median"
            }
        }
    }
}

/// One image of a master, in memory.
package final class MasterImage: Sendable {
    package let pixels: [Float]
    /// The median, of a flat.
    package let level: Double?
    package let geometry: FrameGeometry
    package let frame: MasterSummary

    init(_ frame: FramePixels, role: MasterImages.Role) throws {
        let pixels = try frame.readAll()
        geometry = FrameGeometry(width: frame.width, height: frame.height, cards: frame.cards)
        self.frame = frame.summary
        self.pixels = pixels
        guard role == .flat else {
            level = nil
            return
        }
        let level = FrameLevel.median.of(count: pixels.count) { range, values in
            for index in range {
                let value = Double(pixels[index])
                values[index - range.lowerBound] = value.isFinite ? value : .infinity
            }
        }
        guard let level, level > 0 else {
            throw ScanSetupError(
                "\(frame.location): the median of the flat is \(level.map { "\($0)" } ?? "none"), not above 0: it "
                    + "cannot divide a frame")
        }
        self.level = level
    }

    /// The pixels that belong to a trimmed image: all of them, or those of the trimmed section.
    /// - Throws: ``ScanSetupError`` if the image has neither the trimmed nor the raw size of the frame.
    func origin(of trim: PixelSection, raw: FrameGeometry, role: MasterImages.Role) throws(ScanSetupError) -> Int {
        let trimmed = FrameGeometry(width: trim.width, height: trim.height, binning: raw.binning)
        if let difference = trimmed.difference(of: geometry) {
            guard raw.difference(of: geometry) == nil else {
                throw ScanSetupError(
                    "\(frame.location): the \(role.rawValue) \(difference) as the trimmed frames; name one of such "
                        + "frames")
            }
            return trim.y.lowerBound * geometry.width + trim.x.lowerBound
        }
        return 0
    }
}
