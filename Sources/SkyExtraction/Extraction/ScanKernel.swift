import Foundation
package import SkyFITS

/// The code that computes what SEP defines. Both give the same bits, except where SEP is at fault (Docs/ExactScan.md).
package enum ScanKernel: String, CaseIterable, Sendable {
    /// Skyfarm's own code (CSkyKernel), which is faster.
    case own
    /// libsep, of which only barycentres in windows differ in the last bits: it rounds them relative to the window.
    case sep

    /// The environment variable that selects the kernel.
    private static let variable = "SKYFARM_ENGINE"
    private static let requested = ProcessInfo.processInfo.environment[variable]

    /// The kernel in use: that of the environment variable `SKYFARM_ENGINE`, or Skyfarm's own.
    @TaskLocal package static var current = requested.flatMap(ScanKernel.init(rawValue:)) ?? .own

    /// Whether Skyfarm's own code keeps the faults of SEP, for comparisons with it.
    @TaskLocal package static var keepsFaults = false

    /// Whether the mask is ignored on an image's first rows.
    static var hasFaultsOfSEP: Bool { current == .sep || keepsFaults }

    /// Refuses an unknown kernel in the environment.
    /// - Throws: ``ScanSetupError``.
    package static func requireKnown(_ name: String? = requested) throws(ScanSetupError) {
        guard let name, ScanKernel(rawValue: name) == nil else { return }
        let known = allCases.map(\.rawValue).joined(separator: " or ")
        throw ScanSetupError("\(variable) must be \(known), not '\(name)'")
    }
}
