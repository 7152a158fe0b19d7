/// The release of SEP with which catalogues are compared, by the tests, in runs over whole images: 1.2.1. Nothing of SEP is
/// loaded in a scan.
package enum ComparedSEP {
    /// The version that the C library of that release reports.
    package static let reported = "1.2.0"
}
