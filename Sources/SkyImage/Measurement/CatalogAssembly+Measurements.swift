extension CatalogAssembly {
    /// Takes the photometry from measurements on request.
    package mutating func replacePhotometry(by table: MeasurementTable, _ request: MeasurementRequest) {
        func numbers(_ quantity: MeasuredQuantity) -> [Double] {
            table.components(quantity, request).first ?? Array(repeating: .nan, count: sources.count)
        }
        func flags(_ quantity: MeasuredQuantity) -> [Int16] {
            numbers(quantity).map { Int16(exactly: $0) ?? Photometry.notMeasured }
        }
        var photometry = Photometry()
        photometry.kronRadius = numbers(.kronRadius)
        photometry.kronFlag = flags(.kronFlag)
        (photometry.fluxAuto, photometry.fluxErrAuto) = (numbers(.fluxAuto), numbers(.fluxErrAuto))
        photometry.flagAuto = flags(.flagAuto)
        (photometry.fluxAper, photometry.fluxErrAper) = (numbers(.fluxAper), numbers(.fluxErrAper))
        photometry.flagAper = flags(.flagAper)
        photometry.fluxRadius = numbers(.fluxRadius)
        setPhotometry(photometry)
    }
}
