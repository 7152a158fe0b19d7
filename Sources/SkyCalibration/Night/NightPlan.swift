package import SkyFITS

/// How frames are sorted.
package struct NightOptions: Equatable, Sendable {
    /// The properties in which frames agree with their masters.
    package var keys = GroupKey.standard
    /// The largest difference of temperatures, in degrees.
    package var temperatureLimit = 1.0
    /// Whether a dark of another exposure may be scaled.
    package var scalesDarks = true

    package init() {}
}

/// The plan for the frames of a night: masters, and light frames calibrated by them.
///
/// The same frames and options give the same plan, in whichever order the frames are.
package struct NightPlan: Equatable, Sendable {
    /// A master: one that is made, or a file.
    package enum Source: Hashable, Sendable {
        /// Number in ``NightPlan/masters``.
        case made(Int)
        case file(ImageLocation)
    }

    package struct Master: Equatable, Sendable {
        package var group: FrameGroup
        package var bias: Source?
        package var dark: Source?
        /// The reason for which it lacks a dark; nil if it does not.
        package var note: String?
    }

    package struct Light: Equatable, Sendable {
        package var frame: NightFrame
        package var bias: Source?
        package var dark: Source?
        package var flat: Source?
    }

    package struct Failure: Equatable, Sendable {
        package var location: ImageLocation
        package var reason: String

        package init(location: ImageLocation, reason: String) { (self.location, self.reason) = (location, reason) }
    }

    /// The masters that are used, each after the ones that it needs.
    package internal(set) var masters: [Master] = []
    package internal(set) var lights: [Light] = []
    /// Light frames without a match, and frames of which no master can be made.
    package internal(set) var failures: [Failure] = []
    /// Raw frames for calibration that no light frame needs.
    package internal(set) var unused: [ImageLocation] = []
    /// Kinds of which there is no frame, so that this step is left out.
    package internal(set) var missing: [FrameKind] = []

    /// A plan without frames.
    init() {}

    /// Sorts the frames of a night.
    /// - Parameters:
    ///   - frames: raw frames, and masters among them.
    ///   - masters: masters of earlier runs. Those whose name a master of these frames has are not used.
    ///   - options: how frames are sorted.
    package init(_ frames: [NightFrame], masters: [NightFrame] = [], _ options: NightOptions = NightOptions()) {
        var planner = NightPlanner(frames, masters, options)
        planner.planLights()
        self = planner.plan
    }
}
