import ScanCluster
import ScanNetwork

@testable import SkyFITS
@testable import SkyScan

extension FuzzTarget {
    /// Packed pixels as a node takes them from a member. Three bytes of the input give the number of bytes that they should
    /// unpack to; the rest is the packed form.
    static let packed = FuzzTarget(name: "packed") { bytes in
        var input = FuzzInput(bytes)
        let count = (0..<3).reduce(0) { total, shift in total | Int(input.byte()) << (8 * shift) }
        let rest = input.rest
        let bulk = BulkBytes(byteCount: rest.count, unpackedCount: count) { $0.copyMemory(from: rest) }
        do {
            let unpacked = try WindowUnpacker().unpack(bulk, to: count)
            precondition(unpacked.count == count && unpacked.unpackedCount == nil)
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    } seeds: {
        var seeds: [String: [UInt8]] = [:]
        for (name, file) in try FuzzTarget.fits.seeds() where name != "unpadded" {
            guard let samples = try storedSamples(of: file) else { continue }
            let window = WindowPixels(
                rect: PixelRect(x: 0..<30, y: 4..<20), hasWeights: false, hasMask: name == "short")
            guard let piece = samples.piece(of: window.rect) else { continue }
            let mask = window.hasMask ? piece : nil
            var bytes = try PackedWindow.coding(of: window, piece, weights: nil, mask: mask)
            for _ in 0..<(window.hasMask ? 2 : 1) {
                var part = [UInt8](repeating: 0, count: piece.byteCount)
                try part.withUnsafeMutableBytes { try samples.read(piece, into: $0) }
                bytes += part
            }
            let count = window.byteCount
            seeds[name] = [UInt8(count & 255), UInt8(count >> 8 & 255), UInt8(count >> 16)] + bytes
        }
        return seeds
    }
}
