package import SkyFITS

/// By what each frame of a stack is divided.
package enum FrameScale: Hashable, Sendable {
    case none
    /// The median or the mean of the frame's own values, after bias and dark are subtracted.
    case median, mean
    /// The value of a card of the frame.
    case keyword(String)

    /// The name on the command line and in headers.
    package var name: String {
        switch self {
        case .none: "none"
        case .median: "median"
        case .mean: "mean"
        case .keyword(let keyword): keyword
        }
    }

    /// The scale with a name; any other word is a keyword.
    package init(_ name: String) {
        self =
            switch name {
            case "none": .none
            case "median": .median
            case "mean": .mean
            default: .keyword(name.uppercased())
            }
    }
}

/// Frames to combine, and how.
package struct StackRequest: Sendable {
    /// The frames in the order in which their values are added.
    package var frames: [ImageLocation]
    package var method: StackMethod
    package var scale = FrameScale.none
    package var bias: ImageLocation?
    package var dark: ImageLocation?
    package var darkScale = DarkScale.exptime
    /// The masks of each frame, in the order of the frames; empty if no frame has one.
    package var masks: [[ImageLocation]] = []
    package var writesCount = false
    package var writesScatter = false
    /// Name and version of the program, for the header.
    package var program = "skyfarm"
    /// Further cards of each image of the master.
    package var cards: [HeaderEntry] = []
    package var slots = Slots(1)
    /// Bytes that the pixels of a band of all frames may take.
    package var bandSize = 8 << 20

    package init(frames: [ImageLocation], method: StackMethod) { (self.frames, self.method) = (frames, method) }
}
