import CommandLineKit
import Foundation
import ImageScanning
import SExtractorCommand
import SkyExtraction
import SkyScan

extension FuzzTarget {
    /// The text files of SExtractor that a scan reads: columns, kernels, the network of CLASS_STAR, configurations, lists of
    /// positions; the first byte chooses.
    static let settings = FuzzTarget(name: "settings") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte() % 5
        let text = String(decoding: input.rest, as: UTF8.self)
        do {
            switch choice {
            case 0: try columns(text)
            case 1:
                let kernel = try ConvolutionKernel(parsing: text)
                precondition(kernel.width % 2 == 1 && kernel.height % 2 == 1)
                precondition(kernel.values.count == kernel.width * kernel.height)
            case 2:
                let network = try StarNetwork(parsing: text)
                let areas = (0..<8).map { 60 - 7 * Double($0) }
                let value = network.stellarity(areas: areas, peak: 90, threshold: 3, width: 3, seeing: 1)
                precondition(value.isNaN || (0...1).contains(value))
            case 3: try configuration(text)
            default:
                let list = try Association(parsing: text, name: "list", keys: [2, 3, 4], data: [0])
                let matches = list.matches(x: [0, 10.5, -1e9], y: [0, 3, 1e9], nil)
                precondition(matches.count == 3 && (list.selected(of: matches) ?? []).count <= 3)
            }
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    } seeds: {
        let network =
            "NNW\n# A network\n3 10 10 1\n" + (0..<141).map { "\(Double($0 % 7) - 3)e-1" }.joined(separator: "\n")
        let texts: [String: (UInt8, String)] = [
            "columns": (
                0, "NUMBER Running number\nMAG_APER(4)\nVIGNET(25, 25)\n# FLAGS\nX_IMAGE [pixel], Y_IMAGE\nNONE(2"
            ),
            "kernel": (1, "CONV NORM\n# 3x3\n1 2 1\n2, 4, 2\n1 2 1;\n"), "network": (2, network),
            "configuration": (
                3,
                "DETECT_THRESH 1.5,2 # sigma\nPHOT_APERTURES = 5, 10\nWEIGHT_TYPE MAP_RMS,NONE\nGAIN \"2\"\nFILTER n\n"
                    + "CHECKIMAGE_TYPE -BACKGROUND\nBACK_SIZE 64,32\nPHOT_AUTOPARAMS 2.5, 3.5\nSATUR_KEY $HOME\n"
            ),
            "list": (4, "NUMBER X Y MAG\n1 10.2 3.5 17.1\n2,9.1,2.5,18 # near\n3 nan 1e9 -1\n"),
        ]
        return texts.mapValues { Array($0.1.utf8).chosen($0.0) }
    }

    private static func columns(_ text: String) throws {
        let selection = try ColumnSelection(parsing: text, name: "a.param")
        precondition(selection.items.allSatisfy { $0.size.allSatisfy { $0 > 0 } && $0.size.count <= 2 })
        var request = MeasurementRequest()
        selection.require(in: &request)
        _ = (selection.needsSpread, selection.ignored, try ColumnSelection(list: text))
    }

    private static func configuration(_ text: String) throws {
        var configuration = SexConfiguration()
        configuration.read(text, name: "a.sex", environment: ["HOME": "/nowhere"])
        precondition(configuration.warnings.allSatisfy { !$0.isEmpty })
        // Longer ones name files only, which are not there.
        if text.contains("/") || text.contains("..") { return }
        _ = try SexOptions(configuration, SexArguments(["image.fits"]), Arguments())
    }
}
