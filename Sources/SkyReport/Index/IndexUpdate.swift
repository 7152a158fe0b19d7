import Foundation

/// The changes of an index since a revision, as JSON for its index; `v` is the version of the format. A snapshot is the
/// update since the beginning.
public struct IndexUpdate: PageUpdate, Sendable {
    package var v = 2
    /// The constant facts; only in a snapshot.
    package var facts: Facts?
    /// Seconds since the job began.
    package var time: Double
    package var now: String
    package var columns = IndexRow.columns
    package var rows: [IndexRow]
    /// Number of the first listed image.
    package var first: Int
    /// Totals of the images before the first listed one.
    package var earlier: ImageIndex.Earlier
    /// Length of an interval of ``System/busy`` in seconds.
    package var interval: Double
    package var systems: [System]
    package var end: End?

    /// The facts that are constant during a job.
    public struct Facts: Encodable, Sendable {
        package var software: String
        package var began: String
        package var folder: String
        package var command: String

        /// Creates the facts of a job.
        ///
        /// - Parameters:
        ///   - software: name and version of the program.
        ///   - began: time of the beginning, in ISO 8601.
        ///   - folder: the folder in which the command was given, quoted for a shell.
        ///   - command: the command that repeats the job, quoted for a shell.
        public init(software: String, began: String, folder: String, command: String) {
            (self.software, self.began, self.folder, self.command) = (software, began, folder, command)
        }
    }

    package struct System: Encodable {
        package var name: String
        package var slots: Int
        package var tasks: Int
        package var seconds: Double
        /// Percentage of the slots' time spent on tasks, in equal intervals from the beginning of the job.
        package var busy: [Int]
    }

    package struct End: Encodable {
        package var ending: LiveScan.Ending
    }
}

extension ImageIndex {
    /// Returns the whole state, for a page that connects and for a report.
    public func snapshot(of facts: IndexUpdate.Facts, at time: Double) -> IndexUpdate {
        var update = update(since: 0, at: time)
        update.facts = facts
        return update
    }

    /// Returns the changes since `revision` and advances it to the current revision, or returns nil if there are none.
    public func changes(since revision: inout Int, at time: Double) -> IndexUpdate? {
        guard revision != self.revision else { return nil }
        defer { revision = self.revision }
        return update(since: revision, at: time)
    }

    /// The current revision, for ``changes(since:at:)``.
    public var cursor: Int { revision }

    private func update(since revision: Int, at time: Double) -> IndexUpdate {
        IndexUpdate(
            time: milliseconds(time), now: now,
            rows: images.indices.filter { revisions[$0] > revision }.map { index in
                IndexRow(number: first + index, image: images[index])
            },
            first: first, earlier: earlier,
            interval: course.interval,
            systems: shares.sorted { $0.key < $1.key }.map { name, share in
                IndexUpdate.System(
                    name: name, slots: share.slots, tasks: share.tasks, seconds: milliseconds(share.seconds),
                    busy: (course.busy[name] ?? []).map { busy in
                        min(100, Int((100 * busy / (course.interval * Double(share.slots))).rounded()))
                    })
            },
            end: ending.map { IndexUpdate.End(ending: $0) })
    }
}
