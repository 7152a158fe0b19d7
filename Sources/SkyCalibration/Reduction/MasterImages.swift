internal import Foundation
package import ScanBasics
package import SkyFITS

/// The masters of a calibration. The images that were used last stay in memory, for all frames.
package final class MasterImages: @unchecked Sendable {
    // Unchecked: the lock is held where the cache is used.
    private let files: [Role: MasterFile]
    /// The files as they were when they were found.
    private let stored: [Role: StoredImage]
    private let lock = NSLock()
    private var cache: [(key: Key, image: MasterImage)] = []
    private let limit: Int
    private var notes: Set<String> = []

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
        var (files, stored): ([Role: MasterFile], [Role: StoredImage]) = ([:], [:])
        for (role, location) in [
            (Role.bias, recipe.bias), (.dark, recipe.dark), (.flat, recipe.flat), (.badPixels, recipe.badPixels),
        ] {
            guard let location else { continue }
            let file = try MasterFile(location, role: role.rawValue)
            (files[role], stored[role]) = (file, try file.stored())
        }
        (self.files, self.stored, self.limit) = (files, stored, limit)
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
            try stored[role]?.requireUnchanged()
            cache.append((key, image))
            var size = cache.reduce(0) { $0 + $1.image.byteCount }
            while size > limit, cache.count > 1 { size -= cache.removeFirst().image.byteCount }
            return image
        }
    }

    /// Checks that nobody has written to the files since they were found.
    /// - Throws: ``ImageError`` with `changed`.
    package func requireUnchanged() throws(ImageError) {
        for role in Role.allCases { try stored[role]?.requireUnchanged() }
    }

    /// Checksums of the stored images of each master, by the names of the roles.
    /// - Throws: ``ImageError``.
    package func checksums() throws -> [String: [UInt64]] {
        var sums: [String: [UInt64]] = [:]
        for (role, file) in files { sums[role.rawValue] = try file.checksums() }
        return sums
    }

    /// Adds a line about a master for the user.
    func note(_ line: String) { lock.withLock { _ = notes.insert(line) } }

    /// Lines about masters that are strange, for the user.
    package func warnings() -> [String] {
        let (images, lines) = lock.withLock { (cache, notes) }
        let levels = images.compactMap { entry -> String? in
            guard entry.key.role == .flat, let level = entry.image.level, !(0.5...2).contains(level) else { return nil }
            let name = entry.image.frame.location
            return "\(name): the median of the flat is \(level), not about 1, and divides all pixels; make flats with "
                + "--scale median"
        }
        return levels + lines.sorted()
    }
}

/// One image of a master, in memory.
package final class MasterImage: @unchecked Sendable {
    // Unchecked: the memory is written in the initialiser only.
    private let memory: UnsafeMutableBufferPointer<Float>
    /// The median, once somebody has asked for it.
    private let knownLevel = Locked<Double??>(nil)
    package let geometry: FrameGeometry
    package let frame: MasterSummary
    /// The checksum of its pixels, once somebody has computed it.
    package let knownChecksum = Locked<UInt64?>(nil)

    /// Reads a master.
    /// - Throws: ``ScanSetupError`` if a flat has no level above 0; ``ImageError``, ``OutputError``.
    init(_ frame: FramePixels, role: MasterImages.Role) throws {
        geometry = FrameGeometry(width: frame.width, height: frame.height, cards: frame.cards)
        self.frame = frame.summary
        memory = .allocate(capacity: frame.width * frame.height)
        // All properties are set: the memory is deallocated also if this throws.
        try frame.read(rows: 0..<frame.height, into: memory)
        guard role == .flat, !(level ?? 0 > 0) else { return }
        throw ScanSetupError(
            "\(frame.location): the median of the flat is \(level.map { "\($0)" } ?? "none"), not above 0: it cannot "
                + "divide a frame")
    }

    deinit { memory.deallocate() }

    /// The median of its pixels; nil if none is finite.
    package var level: Double? {
        knownLevel.withLock { known in
            if let known { return known }
            let level = FrameLevel.median(of: pixels)
            known = .some(level)
            return level
        }
    }

    /// The facts that a check of levels needs.
    var levels: LevelCheck.Master {
        LevelCheck.Master(name: frame.location, steps: frame.steps) { [self] in level }
    }

    /// Its pixels; valid while this object is.
    package var pixels: UnsafeBufferPointer<Float> { UnsafeBufferPointer(memory) }

    /// Bytes of its pixels.
    package var byteCount: Int { memory.count * MemoryLayout<Float>.size }

    /// The pixels that belong to a trimmed image: all of them, or those of the trimmed section.
    /// - Throws: ``ScanSetupError`` if the image has neither the trimmed nor the raw size of the frame.
    func origin(of trim: PixelSection, raw: FrameGeometry, role: MasterImages.Role) throws(ScanSetupError) -> Int {
        let trimmed = raw.trimmed(trim)
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
