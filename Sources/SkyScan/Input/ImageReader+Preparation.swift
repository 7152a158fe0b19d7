package import SkyCalibration
package import SkyFITS

extension ImageReader {
    /// How an image is opened.
    package struct Preparation {
        /// Whether the headers of all HDUs of the files are read, for ``ImageSummary/warnings``.
        package var surveys = true
        /// Its cards replace those of the image's header.
        package var head: FITSHeader?
        /// With the layout of the image's file, the headers before the image are not read.
        package var layout: FITSLayout?
        /// Makes the calibration of the image; nil if it is scanned as it is.
        package var calibration: ((FITSImage) throws -> CalibratedImage)?

        package init(
            surveys: Bool = true, head: FITSHeader? = nil, layout: FITSLayout? = nil,
            calibration: ((FITSImage) throws -> CalibratedImage)? = nil
        ) {
            (self.surveys, self.head, self.layout, self.calibration) = (surveys, head, layout, calibration)
        }
    }
}
