import CalibrationFlags
import CommandLineKit
import Console
import Foundation
import ScanBasics
import SkyCalibration
import SkyFITS

/// How the frames of a night are sorted by their headers.
struct NightChoices: Sendable {
    let options: NightOptions
    let sections: NightSections
    /// Folder of the masters; nil for `masters/` beside the frames.
    let masters: String?
    let isDryRun: Bool
    let isRecursive: Bool
    /// Whether an option was given that only a sorted night has.
    let isAsked: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        let (keys, limit) = (try arguments[Self.group], try arguments[Self.temperatureLimit])
        var options = NightOptions()
        options.keys = keys?.list ?? GroupKey.standard
        options.temperatureLimit = limit
        options.scalesDarks = try arguments[CalibrationFlags.darkScale] == .exptime
        self.options = options
        sections = NightSections(
            overscan: try arguments[CalibrationFlags.overscan], trim: try arguments[CalibrationFlags.trim])
        masters = try arguments[Self.masters]
        isDryRun = try arguments[Self.dryRun]
        isRecursive = try arguments[Self.recursive]
        isAsked = isDryRun || masters != nil || keys != nil
    }

    /// Checks that no master is named if frames are to be sorted.
    func check(_ recipe: CalibrationRecipe) throws(UsageError) {
        guard isAsked, recipe.bias != nil || recipe.dark != nil || recipe.flat != nil else { return }
        throw UsageError(
            "--bias, --dark and --flat name the masters of all frames, and --group, --masters and --dry-run find them "
                + "by the headers: put the masters into a folder, and name it with --masters")
    }

    private static let group = Option.optional(
        "group", KeyList.form, fallback: KeyList(list: GroupKey.standard).text,
        help:
            "What frames and their masters have in common: filter, exposure, binning, gain, temperature, camera or keywords"
    )
    private static let temperatureLimit = Option.value(
        "temperature-limit", .number("DEGREES", 0...1000), default: NightOptions().temperatureLimit,
        help: "Largest difference of the temperatures of a frame and its dark")
    private static let masters = Option.optional(
        "masters", .file(.writes, "FOLDER"), fallback: "masters/ in the folder of the frames",
        help: "Write masters to this folder, and use those that are there")
    private static let dryRun = Option.toggle(
        "dry-run", help: "Print what would be made of which frames, and which have no match, and write nothing")
    private static let recursive = Option.toggle(
        "recursive", help: "Take the files at any depth below a folder")

    static let section = OptionSection(
        title: "Frames sorted by their headers",
        options: [group.spec, temperatureLimit.spec, masters.spec, dryRun.spec, recursive.spec])
}

extension CalibrateCommand.Options {
    /// Whether an argument is a folder.
    var namesFolder: Bool {
        frames.contains { (try? ReadableFiles.current.kind(of: $0)) == .folder }
    }

    /// Whether masters are named.
    var hasMasters: Bool { recipe.bias != nil || recipe.dark != nil || recipe.flat != nil }
}

extension CalibrationRecipe {
    /// The files that it names.
    var masterPaths: [String] { [bias, dark, flat, badPixels].compactMap { $0?.path } }

    /// Those that it names, for the page.
    var shownMasters: [ShownMaster] {
        [("bias", bias), ("dark", dark), ("flat", flat), ("bad pixels", badPixels)].compactMap { role, location in
            location.map { ShownMaster(role: role, location: $0) }
        }
    }
}

private struct KeyList: Sendable {
    var list: [GroupKey]

    var text: String { list.map(\.name).joined(separator: ",") }

    static let form = ValueForm<KeyList>(
        placeholder: "KEY,...",
        expected: "filter, exposure, binning, gain, temperature, camera or keywords, as in filter,SITE",
        parse: { text in
            let words = text.split(separator: ",", omittingEmptySubsequences: false)
            let keys = words.compactMap { GroupKey(String($0)) }
            return keys.count == words.count && Set(keys).count == keys.count ? KeyList(list: keys) : nil
        }, show: { $0.text })
}
