import SkyCalibration
import SkyFITS
import Testing

@Suite struct NightPlanTests {
    /// A raw frame of a night; `hour` counts from its begin.
    private func frame(
        _ name: String, _ kind: FrameKind, filter: String? = nil, _ exposure: Double? = nil, hour: Double? = 0,
        temperature: Double? = -10, _ change: (inout NightFrame) -> Void = { _ in }
    ) -> NightFrame {
        var frame = NightFrame(
            ImageLocation(path: "night/\(name).fits", selector: .firstImage), kind: kind,
            size: .init(width: 100, height: 80))
        frame.values = [.binning: "1x1", .gain: "100"]
        frame.values[.filter] = filter
        (frame.exposure, frame.temperature, frame.time) = (exposure, temperature, hour.map { 60_000 + $0 / 24 })
        change(&frame)
        return frame
    }

    private func night() -> [NightFrame] {
        [
            frame("b1", .bias, 0), frame("b2", .bias, 0), frame("d1", .dark, 60), frame("d2", .dark, 60),
            frame("d3", .dark, 180), frame("f1", .flat, filter: "g", 4), frame("f2", .flat, filter: "g", 5),
            frame("f3", .flat, filter: "r", 4), frame("l1", .light, filter: "g", 60, hour: 3),
            frame("l2", .light, filter: "r", 180, hour: 4), frame("l3", .light, filter: "i", 60, hour: 5),
        ]
    }

    private func names(_ plan: NightPlan, _ source: NightPlan.Source?) -> [String]? {
        switch source {
        case .made(let index): plan.masters[index].group.frames.map { String($0.name.prefix { $0 != "." }) }
        case .file(let location): [location.path]
        case nil: nil
        }
    }

    private func reasons(_ plan: NightPlan) -> [String] { plan.failures.map { "\($0.location): \($0.reason)" } }

    @Test("light frames get the bias, the dark of their exposure and the flat of their filter")
    func simple() {
        let plan = NightPlan(night())
        #expect(plan.lights.map(\.frame.name) == ["l1.fits", "l2.fits"] && plan.missing.isEmpty)
        #expect(names(plan, plan.lights[0].bias) == ["b1", "b2"] && names(plan, plan.lights[1].bias) == ["b1", "b2"])
        #expect(names(plan, plan.lights[0].dark) == ["d1", "d2"] && names(plan, plan.lights[1].dark) == ["d3"])
        #expect(names(plan, plan.lights[0].flat) == ["f1", "f2"] && names(plan, plan.lights[1].flat) == ["f3"])
        #expect(plan.masters.count == 5)
        for (index, master) in plan.masters.enumerated() {
            for case .made(let needed)? in [master.bias, master.dark] { #expect(needed < index) }
            #expect((master.bias == nil) == (master.group.kind == .bias))
            #expect((master.dark != nil) == (master.group.kind == .flat))
        }
        #expect(
            reasons(plan) == [
                "night/l3.fits: no flat matches: flat_g_1x1_gain100_100x80_20230225.fits has filter g, not i"
            ])
    }

    @Test("the plan does not depend on the order of the frames")
    func order() {
        let plan = NightPlan(night())
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20 { #expect(NightPlan(night().shuffled(using: &generator)) == plan) }
    }

    @Test("the names of masters tell what they are of, and are unique")
    func masterNames() {
        var frames = night()
        frames.append(frame("b9", .bias, 0) { $0.size.width = 50 })
        frames.append(frame("l9", .light, filter: "g", 60) { $0.size.width = 50 })
        let names = FrameGroup.groups(of: frames, NightOptions(), hasBias: true).map(\.name)
        #expect(
            names == [
                "bias_1x1_gain100_100x80_20230225.fits", "bias_1x1_gain100_50x80_20230225.fits",
                "dark_180s_1x1_gain100_-10C_100x80_20230225.fits", "dark_60s_1x1_gain100_-10C_100x80_20230225.fits",
                "flat_g_1x1_gain100_100x80_20230225.fits", "flat_r_1x1_gain100_100x80_20230225.fits",
            ])
        // Two series of a day have one name, with numbers.
        let hours: [Double] = [0, 13, 14]
        let series = hours.map { hour in frame("b\(hour)", .bias, 0, hour: hour) { $0.values[.gain] = nil } }
        #expect(
            FrameGroup.groups(of: series, NightOptions(), hasBias: true).map(\.name) == [
                "bias_1x1_100x80_20230225.fits", "bias_1x1_100x80_20230225-2.fits",
            ])
    }

    @Test("frames of two cameras have masters of their own, whose names tell the camera, and share none")
    func cameras() {
        let names = ["ASI 1600", "ASI 2600", String(repeating: "long name ", count: 6)]
        let frames = names.flatMap { name in
            [
                frame("b\(name)", .bias, 0) { $0.values[.camera] = name },
                frame("l\(name)", .light, filter: "g", 60) { $0.values[.camera] = name },
            ]
        }
        let plan = NightPlan(frames)
        #expect(plan.lights.map { self.names(plan, $0.bias) } == names.map { ["b\($0)"] })
        let files = plan.masters.map(\.group.name)
        #expect(files[0] == "bias_1x1_gain100_ASI-1600_100x80_20230225.fits" && files[1].contains("ASI-2600"))
        #expect(files[2].wholeMatch(of: /bias_1x1_gain100_(long-name-){3}-[0-9a-f]{8}_100x80_20230225.fits/) != nil)
        let other = NightPlan([frames[0], frames[3]])
        #expect(reasons(other).first?.hasSuffix("has camera ASI 1600, not ASI 2600") == true)
        // A frame that does not tell its camera matches, as do all if the camera does not count.
        #expect(NightPlan([frames[0], frame("l", .light, filter: "g", 60)]).lights.count == 1)
        var options = NightOptions()
        options.keys = [.gain]
        #expect(NightPlan([frames[0], frames[3]], options).lights.count == 1)
    }

    @Test("a master of another section or window is no match")
    func places() {
        let kept = PixelSection(x: 5..<105, y: 0..<80)
        func failure(_ change: (inout NightFrame) -> Void) -> String? {
            let master = frame("masters/old", .bias, 0) {
                ($0.master, $0.kept, $0.window) = (.init(lacksBias: false), kept, "XORGSUBF = 5.0")
            }
            return NightPlan([frame("l", .light, filter: "g", 60, change)], masters: [master]).failures.first?.reason
        }
        #expect(failure { _ in } == nil && failure { ($0.kept, $0.window) = (kept, "XORGSUBF = 5.0") } == nil)
        #expect(
            failure { $0.kept = PixelSection(x: 6..<106, y: 0..<80) }
                == "no bias matches: old.fits is the section [6:105,1:80] of the raw image, not [7:106,1:80]")
        #expect(
            failure { $0.window = "XORGSUBF = 9.0" }
                == "no bias matches: old.fits has the window XORGSUBF = 5.0, not XORGSUBF = 9.0")
    }

    @Test("of several masters that match, the nearest in time is used")
    func nearest() {
        var frames = [frame("b1", .bias, 0, hour: 0), frame("b2", .bias, 0, hour: 24), frame("b3", .bias, 0, hour: 48)]
        for (index, hour) in [2.0, 13, 47, 100].enumerated() {
            frames.append(frame("l\(index)", .light, filter: "g", 60, hour: hour))
        }
        frames.append(frame("l4", .light, filter: "g", 60, hour: nil))
        let plan = NightPlan(frames)
        #expect(plan.lights.map { names(plan, $0.bias) } == [["b1"], ["b2"], ["b3"], ["b3"], ["b1"]])
        #expect(plan.missing == [.dark, .flat] && plan.masters.count == 3)
    }

    @Test("frames of one night are combined, with pauses of up to twelve hours")
    func pauses() {
        let hours = [0.0, 11, 22, 35, 35.5]
        var frames = hours.enumerated().map { frame("b\($0.offset)", .bias, 0, hour: $0.element) }
        frames.append(frame("b9", .bias, 0, hour: nil))
        let groups = FrameGroup.groups(of: frames, NightOptions(), hasBias: true)
        #expect(
            groups.map { $0.frames.map(\.name) } == [
                ["b0.fits", "b1.fits", "b2.fits"], ["b3.fits", "b4.fits"], ["b9.fits"],
            ])
    }

    @Test(
        "a property that differs, or that only one of two frames tells, is no match",
        arguments: [
            (GroupKey.gain, "has gain 100, not 200"), (.binning, "has binning 1x1, not 2x2"),
        ])
    func properties(key: GroupKey, words: String) {
        let value = key == .gain ? "200" : "2x2"
        let bias = frame("b1", .bias, 0)
        let light = frame("l1", .light, filter: "g", 60) { $0.values[key] = value }
        #expect(reasons(NightPlan([bias, light])).first?.hasSuffix(words) == true)
        let unknown = frame("l1", .light, filter: "g", 60) { $0.values[key] = nil }
        #expect(NightPlan([bias, unknown]).lights.count == (key == .gain ? 0 : 1))
        // Keys that are not asked for do not count.
        var options = NightOptions()
        options.keys = [.filter]
        #expect(NightPlan([bias, light], options).lights.count == 1)
    }

    @Test("keywords can be keys, for frames of all kinds")
    func keywords() throws {
        let camera = try #require(GroupKey("instrume"))
        #expect(camera.name == "INSTRUME" && GroupKey("Filter") == .filter && GroupKey("a b") == nil)
        var options = NightOptions()
        options.keys = [.filter, camera]
        let cameras: [String] = ["A", "B"]
        let frames = cameras.flatMap { name in
            [
                frame("b\(name)", .bias, 0) { $0.values[camera] = name },
                frame("l\(name)", .light, filter: "g", 60) { $0.values[camera] = name },
            ]
        }
        let plan = NightPlan(frames, options)
        #expect(plan.lights.map { names(plan, $0.bias) } == [["bA"], ["bB"]])
    }

    @Test("a dark of another exposure is scaled if it has nothing but the dark current", arguments: [true, false])
    func scaling(hasBias: Bool) {
        let exposures: [Double] = [60, 120, 300]
        let frames = exposures.map { frame("d\(Int($0))", .dark, $0) }
        let bias = hasBias ? [frame("b", .bias, 0)] : []
        func dark(_ exposure: Double, _ options: NightOptions = NightOptions()) -> [String]? {
            let plan = NightPlan(frames + bias + [frame("l", .light, filter: "g", exposure)], options)
            return plan.lights.first.flatMap { names(plan, $0.dark) }
        }
        #expect(dark(60) == ["d60"] && dark(60.02) == ["d60"])
        #expect(dark(61) == (hasBias ? ["d120"] : nil))
        #expect(dark(400) == (hasBias ? ["d300"] : nil))
        var options = NightOptions()
        options.scalesDarks = false
        #expect(dark(61, options) == nil && dark(120, options) == ["d120"])
        options = NightOptions()
        options.keys.append(.exposure)
        #expect(dark(61, options) == nil && dark(300, options) == ["d300"])
    }

    @Test("without bias frames, a dark of the same exposure has the bias, or the overscan has it")
    func withoutBias() {
        let light = frame("l", .light, filter: "g", 60)
        let flats = [frame("f1", .flat, filter: "g", 4), frame("f2", .flat, filter: "g", 8)]
        #expect(
            reasons(NightPlan([light] + flats)) == [
                "night/l.fits: there is neither a bias frame nor a dark, and the header tells no overscan: its bias "
                    + "cannot be subtracted"
            ])
        let darks = [frame("d60", .dark, 60), frame("d8", .dark, 8)]
        let plan = NightPlan([light] + flats + darks)
        // Flats of 4 s have no dark of their own, those of 8 s have.
        #expect(names(plan, plan.lights.first?.dark) == ["d60"])
        #expect(names(plan, plan.lights.first?.flat) == ["f2"])
        #expect(plan.failures.map(\.location.path) == ["night/f1.fits"])
        let overscanned = ([light] + flats).map { frame in
            var frame = frame
            frame.hasOverscan = true
            return frame
        }
        let other = NightPlan(overscanned)
        #expect(other.lights.count == 1 && other.missing == [.bias, .dark])
        #expect(names(other, other.lights[0].flat) == ["f1", "f2"])
    }

    @Test("temperatures differ by at most the limit, of darks alone")
    func temperatures() {
        let degrees: [Double] = [-20, -10.4, -10.1, -9.8, 0]
        let darks = degrees.map { frame("d\($0)", .dark, 60, temperature: $0) }
        let groups = FrameGroup.groups(of: darks, NightOptions(), hasBias: true)
        #expect(groups.map(\.frames.count) == [1, 3, 1])
        let bias = frame("b", .bias, 0, temperature: 15)
        func failure(_ temperature: Double?, _ options: NightOptions = NightOptions()) -> String? {
            let light = frame("l", .light, filter: "g", 60, temperature: temperature)
            return NightPlan(darks + [bias, light], options).failures.first?.reason
        }
        #expect(failure(-10) == nil && failure(-9.2) == nil)
        #expect(failure(-5)?.contains("has temperature") == true && failure(nil)?.contains("not unknown") == true)
        var options = NightOptions()
        options.temperatureLimit = 6
        #expect(failure(-5, options) == nil)
    }

    @Test("a flat without a dark of its temperature is made, and told of")
    func warmFlat() {
        let frames = [
            frame("b", .bias, 0), frame("d", .dark, 60), frame("f", .flat, filter: "g", 4, temperature: 12),
            frame("l", .light, filter: "g", 60),
        ]
        let plan = NightPlan(frames)
        let flat = plan.masters.first { $0.group.kind == .flat }
        #expect(plan.lights.count == 1 && flat?.dark == nil)
        #expect(flat?.note?.hasPrefix("without a dark: no dark matches: dark_60s") == true)
    }

    @Test("masters of a folder are used unless one of these frames has their name")
    func library() {
        let masters = [
            frame("masters/dark_old", .dark, 60, hour: -100) { $0.master = .init(lacksBias: true) },
            frame("masters/dark_raw", .dark, 60, hour: 1) { $0.master = .init(lacksBias: false) },
            frame("masters/bias_1x1_gain100_100x80_20230225", .bias, 0) { $0.master = .init(lacksBias: false) },
        ]
        let plan = NightPlan([frame("b", .bias, 0), frame("l", .light, filter: "g", 60)], masters: masters)
        #expect(names(plan, plan.lights.first?.dark) == ["night/masters/dark_old.fits"])
        #expect(names(plan, plan.lights.first?.bias) == ["b"] && plan.missing == [.flat])
        // So are those among the frames, once.
        let same = NightPlan([frame("b", .bias, 0), frame("l", .light, filter: "g", 60)] + masters, masters: masters)
        #expect(same == plan)
        let none = NightPlan([frame("b", .bias, 0), frame("l", .light, filter: "g", 60)], masters: [masters[1]])
        #expect(reasons(none) == ["night/l.fits: no dark matches: dark_raw.fits is not known to be without bias"])
    }

    @Test("frames that no light frame needs are named, and no master is made of them")
    func unused() {
        let plan = NightPlan(
            night() + [frame("f4", .flat, filter: "z", 4), frame("b3", .bias, 0) { $0.size.height = 9 }])
        #expect(plan.unused.map(\.path) == ["night/b3.fits", "night/f4.fits"] && plan.masters.count == 5)
    }

    @Test("frames of which no master can be made are named, with the light frames that need it")
    func hopeless() {
        var frames = night()
        frames.append(frame("d9", .dark, nil))
        for index in frames.indices where frames[index].kind == .bias { frames[index].values[.gain] = "200" }
        let plan = NightPlan(frames)
        #expect(plan.lights.isEmpty && plan.masters.isEmpty)
        #expect(plan.failures.count == 4)
        #expect(reasons(plan).contains("night/d9.fits: the dark has no exposure time above 0 in EXPTIME"))
        #expect(reasons(plan).contains { $0.hasPrefix("night/l1.fits: no bias matches: bias_") })
        #expect(NightPlan([]).lights.isEmpty)
        let combined = frame("l", .light, filter: "g", 60) { $0.master = .init(lacksBias: true) }
        #expect(reasons(NightPlan([combined])) == ["night/l.fits: is combined of several frames, and not raw"])
    }
}
