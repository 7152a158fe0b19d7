/// The faults of SEP 1.2.1 that a scan does not have (Docs/ExactScan.md).
package enum FaultsOfSEP {
    /// Whether a scan has them nevertheless, so that every bit can be compared with SEP's: only tests set it.
    @TaskLocal package static var areKept = false
}
