package import SkyExtraction

extension CatalogAssembly {
    /// Takes the photometry from measurements on request.
    package mutating func replacePhotometry(by table: MeasurementTable, _ request: MeasurementRequest) {
        setPhotometry(Photometry(table, request, count: sources.count))
    }
}

extension Photometry {
    /// The photometry of `count` sources from measurements on request.
    package init(_ table: MeasurementTable, _ request: MeasurementRequest, count: Int) {
        self.init()
        func numbers(_ quantity: MeasuredQuantity) -> [Double] {
            table.components(quantity, request).first ?? Array(repeating: .nan, count: count)
        }
        func flags(_ quantity: MeasuredQuantity) -> [Int16] {
            numbers(quantity).map { Int16(exactly: $0) ?? Photometry.notMeasured }
        }
        kronRadius = numbers(.kronRadius)
        kronFlag = flags(.kronFlag)
        (fluxAuto, fluxErrAuto) = (numbers(.fluxAuto), numbers(.fluxErrAuto))
        flagAuto = flags(.flagAuto)
        (fluxAper, fluxErrAper) = (numbers(.fluxAper), numbers(.fluxErrAper))
        flagAper = flags(.flagAper)
        fluxRadius = numbers(.fluxRadius)
    }
}
