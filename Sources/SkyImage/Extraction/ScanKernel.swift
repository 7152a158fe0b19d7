import Foundation

/// The code that computes what SEP defines. Both give the same bits.
package enum ScanKernel: String, CaseIterable, Sendable {
    /// Skyfarm's own code (CSkyfarm), which is faster.
    case own
    /// libsep, of which only barycentres in windows differ in the last bits: it rounds them relative to the window.
    case sep

    /// The kernel in use: that of the environment variable `SKYFARM_KERNEL`, or Skyfarm's own.
    @TaskLocal package static var current =
        ProcessInfo.processInfo.environment["SKYFARM_KERNEL"].flatMap(ScanKernel.init(rawValue:)) ?? .own
}
