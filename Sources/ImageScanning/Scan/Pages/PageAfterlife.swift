/// How long a live page is served after its job has ended. Pure; times are in seconds since its link was printed.
///
/// A person at a terminal gets a link that works for a minute at least, however short the job was. A program that
/// started the job does not wait for anyone.
package struct PageAfterlife: Equatable, Sendable {
    /// When the job ended.
    private let end: Double
    /// Whether pages of images are linked, which are loaded one by one. Other pages are whole once they are open.
    private let hasLinks: Bool

    /// Time for which a link works after it was printed, and after the last visit to a page with links.
    package static let seconds = 60.0
    /// Time in which a browser loads the parts of a page.
    package static let loadingSeconds = 5.0

    /// - Parameters:
    ///   - end: when the job ended.
    ///   - hasLinks: whether pages of images are linked.
    package init(end: Double, hasLinks: Bool) { (self.end, self.hasLinks) = (end, hasLinks) }

    /// Returns when the page is no longer served, if it was last visited at `visit`; nil: never.
    package func close(lastVisit visit: Double?) -> Double {
        guard let visit else { return max(end, Self.seconds) }
        return max(end, visit + (hasLinks ? Self.seconds : Self.loadingSeconds))
    }
}
