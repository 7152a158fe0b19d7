package import SkyFITS

/// The facts of an image of a frame that its header tells.
package struct RawFrame: Sendable {
    /// The frame and its image, as in messages.
    package let location: ImageLocation
    package let geometry: FrameGeometry
    package let cards: ImageCards
    /// Exposure time in seconds; nil if no card tells it.
    package let exposure: Double?

    init(location: ImageLocation, width: Int, height: Int, cards: ImageCards, exposure: Double?) {
        (self.location, self.cards, self.exposure) = (location, cards, exposure)
        geometry = FrameGeometry(width: width, height: height, cards: cards)
    }

    /// An open image as a frame.
    package init(_ image: FITSImage) {
        let cards = ImageCards(header: image.header, primary: image.primary, holdsIntegers: image.bitpix > 0)
        self.init(
            location: image.location, width: image.width, height: image.height, cards: cards,
            exposure: ExposureTime.of(cards, primary: image.primary))
    }

    package var width: Int { geometry.width }
    package var height: Int { geometry.height }
}

extension FramePixels {
    /// The facts that its header tells.
    var frame: RawFrame {
        RawFrame(location: location, width: width, height: height, cards: cards, exposure: exposure)
    }
}

/// Reads samples of a window of a raw image, row by row, into memory that has room for them.
package typealias RawReader = (PixelRect, UnsafeMutableBufferPointer<Float>) throws -> Void
