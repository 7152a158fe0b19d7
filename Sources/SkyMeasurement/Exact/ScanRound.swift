package import SkyExtraction

/// Windows of an image that may be scanned in any order, and at the same time: see ``ExactScan/next(beforeCleaning:)``.
package protocol ScanRound<Step>: Sendable {
    associatedtype Step: WindowStep

    /// Number of windows.
    var count: Int { get }

    /// The scan of the window at `index`, made on demand: it carries a part of the background.
    func step(_ index: Int) -> Step

    /// Adds what the scan of the window at `index` gave, or ``WindowStep/missing``, once for each window.
    func add(_ output: Step.Output, of index: Int, to scan: inout ExactScan) throws
}

/// The windows of a round, with what makes their scans and takes the outputs.
struct WindowRound<Step: WindowStep>: ScanRound {
    let count: Int
    let make: @Sendable (Int) -> Step
    let take: @Sendable (inout ExactScan, Step.Output, Int) throws -> Void

    func step(_ index: Int) -> Step { make(index) }

    func add(_ output: Step.Output, of index: Int, to scan: inout ExactScan) throws { try take(&scan, output, index) }
}
