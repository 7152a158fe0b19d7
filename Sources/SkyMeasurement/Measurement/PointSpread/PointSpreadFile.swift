internal import CFITSIO
public import SkyExtraction
import SkyFITS

/// A file of PSFEx: one table of a model of the point spread function per image of a file.
///
/// Read as PSFEx's manual describes it: the samples are the only row of the column PSF_MASK, the cards say how they depend
/// on the position.
public enum PointSpreadFile {
    private static let column = "PSF_MASK"

    /// Reads the models.
    /// - Parameters:
    ///   - path: the file.
    ///   - isExtended: whether the models include the disc of SPREAD_MODEL.
    /// - Returns: at least one model.
    /// - Throws: `ImageError` if the file cannot be read, `ScanSetupError` if it holds no model that can be used.
    public static func models(path: String, isExtended: Bool) throws -> [PointSpreadModel] {
        let file = try FITSFile(path: path)
        var models = try FITSLibrary.run { () throws -> [PointSpreadModel] in
            var models: [PointSpreadModel] = []
            var number = 1
            while let hdu = try file.move(to: number) {
                number += 1
                guard case .binaryTable = hdu.content, file.text("TTYPE1") == column else { continue }
                models.append(try model(of: file))
            }
            return models
        }
        if models.isEmpty { throw ScanSetupError("\(path): has no table with a column \(column), as PSFEx writes it") }
        if isExtended { for index in models.indices { models[index].extend() } }
        return models
    }

    private static func model(of file: FITSFile) throws -> PointSpreadModel {
        func damaged(_ what: String) -> ScanSetupError { ScanSetupError("\(file.path): the model \(what)") }
        guard let width = file.integer("PSFAXIS1"), let height = file.integer("PSFAXIS2") else {
            throw damaged("has no PSFAXIS1 or no PSFAXIS2")
        }
        let axes = [width, height, file.integer("PSFAXIS3") ?? 1]
        guard let step = file.real("PSF_SAMP"), let fwhm = file.real("PSF_FWHM") else {
            throw damaged("has no PSF_SAMP or no PSF_FWHM")
        }
        var model = PointSpreadModel(width: axes[0], height: axes[1], step: step, fwhm: fwhm, samples: [])
        let contexts = file.integer("POLNAXIS") ?? 0
        if contexts != 0 {
            let names = (1...2).map { (file.text("POLNAME\($0)") ?? "").uppercased() }
            let groups = (1...2).map { file.integer("POLGRP\($0)") ?? 1 }
            guard contexts == 2, groups == [1, 1], names[0].hasPrefix("X"), names[1].hasPrefix("Y"),
                names.allSatisfy({ $0.hasSuffix("_IMAGE") })
            else {
                throw damaged(
                    "depends on \(names.filter { !$0.isEmpty }.joined(separator: ", ")); only X_IMAGE and Y_IMAGE are possible"
                )
            }
            model.degree = file.integer("POLDEG1") ?? 0
            (model.originX, model.originY) = (file.real("POLZERO1") ?? 0, file.real("POLZERO2") ?? 0)
            (model.scaleX, model.scaleY) = (file.real("POLSCAL1") ?? 1, file.real("POLSCAL2") ?? 1)
        }
        let limits = (PointSpreadModel.Limits.side, PointSpreadModel.Limits.degree)
        guard limits.0.contains(axes[0]), limits.0.contains(axes[1]), limits.1.contains(model.degree),
            axes[2] == model.termCount
        else { throw damaged("has \(axes.map(String.init).joined(separator: " x ")) samples, which is impossible") }
        model.samples = Array(repeating: 0, count: axes[0] * axes[1] * axes[2])
        var (anyNull, status): (Int32, Int32) = (0, 0)
        var cell: (type: Int32, count: Int, bytes: Int) = (0, 0, 0)
        ffgtcl(file.handle, 1, &cell.type, &cell.count, &cell.bytes, &status)
        guard status != 0 || cell.count == model.samples.count else {
            throw damaged("has \(cell.count) samples, and its axes say \(model.samples.count)")
        }
        ffgcve(file.handle, 1, 1, 1, Int64(model.samples.count), 0, &model.samples, &anyNull, &status)
        guard status == 0 else { throw damaged("cannot be read: \(FITSLibrary.words(for: status))") }
        do {
            try model.validate()
        } catch {
            throw damaged("has numbers that are impossible")
        }
        return model
    }
}
