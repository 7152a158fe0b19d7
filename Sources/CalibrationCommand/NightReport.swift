import Console
import Foundation
import ScanBasics
import SkyCalibration
import SkyFITS

/// The masters that were made, or would be made, of the frames of a night.
struct NightReport {
    struct Master: Encodable {
        var file: String
        var kind: FrameKind
        var state: MasterMaker.Made.State
        var frames: [String]
        var bias: String?
        var dark: String?
        var note: String?
    }

    /// A light frame, and what it is calibrated by.
    struct Light: Encodable {
        var file: String
        var output: String
        var bias: String?
        var dark: String?
        var flat: String?
    }

    private struct Failure: Encodable {
        var file: String
        var error: String
    }

    let masters: [Master]
    let unused: [String]
    /// Frames that are neither of the sky nor for its calibration.
    let others: [String]
    let missing: [FrameKind]
    private let plan: NightPlan
    private let maker: MasterMaker

    init(_ plan: NightPlan, _ maker: MasterMaker, _ others: [String]) {
        (self.plan, self.maker, self.others) = (plan, maker, others)
        unused = plan.unused.map(\.description)
        missing = plan.missing
        masters = zip(plan.masters, maker.masters).map { master, made in
            Master(
                file: made.location.path, kind: master.group.kind, state: made.state,
                frames: made.frames.map(\.location.description), bias: Self.path(of: master.bias, maker),
                dark: Self.path(of: master.dark, maker), note: made.reason ?? master.note)
        }
    }

    private static func path(of source: NightPlan.Source?, _ maker: MasterMaker) -> String? {
        switch source {
        case nil: nil
        case .file(let location): location.description
        case .made(let index): maker.masters[index].location.path
        }
    }

    /// The masters as the page shows them: those that were made or kept, and those of other nights that frames use.
    var shown: [ShownMaster] {
        let made = masters.map { master in
            let count = HumanFormat.count(master.frames.count, "frame")
            let sources = [master.bias, master.dark].compactMap(\.self).map { ", minus \($0)" }.joined()
            let location = ImageLocation(path: master.file, selector: .firstImage)
            let words = "\(master.state.rawValue): the median of \(count)\(sources)"
            if master.state == .failed {
                return ShownMaster(role: master.kind.rawValue, location: location, failure: master.note ?? "not made")
            }
            return ShownMaster(role: master.kind.rawValue, location: location, words: words)
        }
        var known = Set(made.map(\.location))
        let others = plan.lights.flatMap { light in
            [("bias", light.bias), ("dark", light.dark), ("flat", light.flat)].compactMap { role, source in
                if case .file(let location) = source, known.insert(location).inserted {
                    return ShownMaster(role: role, location: location, words: "of an earlier run")
                }
                return nil
            }
        }
        return made + others
    }

    /// The lines for the user about steps that are left out, and masters that lack something.
    var warnings: [String] {
        let left = missing.map { "there is no \($0.rawValue) frame: this step is left out" }
        return left
            + masters.filter { $0.state != .failed }.compactMap { master in
                master.note.map { "\(master.file): \($0)" }
            }
    }

    // MARK: - Dry run

    /// Writes what would be made.
    func writePlan(_ lights: [Light], _ failures: [NightPlan.Failure], isJSON: Bool) throws {
        if isJSON {
            let document = Document(
                masters: masters, lights: lights,
                failures: failures.map { Failure(file: $0.location.description, error: $0.reason) }, unused: unused,
                others: others, missing: missing)
            return try StandardOutput.write(JSONOutput.document(document))
        }
        var text = ""
        for master in masters {
            let state =
                switch master.state {
                case .kept: "is kept"
                case .failed: "cannot be made"
                default: "would be made"
                }
            text += "\(master.file) \(state): \(master.kind.rawValue) of \(Self.list(master.frames))\n"
            for source in [master.bias, master.dark].compactMap(\.self) { text += "    minus \(source)\n" }
            if let note = master.note { text += "    \(note)\n" }
        }
        for light in lights {
            text += "\(light.output): \(light.file)\n"
            for (words, source) in [("minus", light.bias), ("minus", light.dark), ("divided by", light.flat)] {
                if let source { text += "    \(words) \(source)\n" }
            }
        }
        for failure in failures { text += "\(failure.location): \(failure.reason)\n" }
        if !unused.isEmpty { text += "not needed: \(Self.list(unused))\n" }
        if !others.isEmpty { text += "of other kinds: \(Self.list(others))\n" }
        try StandardOutput.write(text.split(separator: "\n").map { "\($0)".printable + "\n" }.joined())
    }

    private static func list(_ files: [String]) -> String {
        files.count < 4
            ? files.joined(separator: ", ")
            : "\(HumanFormat.count(files.count, "frame")), \(files[0]) to \(files[files.count - 1])"
    }

    private struct Document: Encodable {
        var v = 1
        var masters: [Master]
        var lights: [Light]
        var failures: [Failure]
        var unused: [String]
        var others: [String]
        var missing: [FrameKind]
    }
}
