import Console
package import SkyScan

/// Decides when a file of a watched folder is scanned: once its writer has closed it, or it has not changed for a while,
/// and it is complete. Pure: the times are arguments.
package struct ArrivalState: Sendable {
    package enum Event: Equatable, Sendable {
        /// The folder holds this file. `isClosed`: its writer has just closed it, or renamed it into the folder.
        case found(String, FileStamp, isClosed: Bool)
        /// The folder no longer holds the file.
        case removed(String)
        /// The folder holds these files, and no others.
        case listed(String, Set<String>)
        /// Why the file with this stamp is incomplete; nil if it is complete, or no FITS file at all. `changed`: the
        /// file's stamp after the check, if it is another one.
        case checked(String, FileStamp, incomplete: String?, changed: FileStamp? = nil)
        /// The scan of the file has ended, successfully or not.
        case scanned(String)
    }

    package enum Action: Equatable, Sendable {
        /// Find out whether the file is complete, and report it as ``Event/checked(_:_:incomplete:changed:)``.
        case check(String, FileStamp)
        /// Scan the file if ``ArrivalState/begin(_:_:at:)`` allows it, and report the end as ``Event/scanned(_:)``.
        case scan(String)
        /// Tell the user.
        case warn(String)
    }

    fileprivate enum Phase {
        /// Its writer may not have finished.
        case growing
        /// Its completeness is being found out.
        case checking
        /// It ends too early, for this reason; its writer may go on.
        case incomplete(String)
        case scanning
    }

    fileprivate struct File {
        var stamp: FileStamp
        /// When the stamp was first seen.
        var changed: Duration
        /// Whether the writer has closed the file with this stamp.
        var isClosed = false
        var phase = Phase.growing
        /// The stamp that is being, or was, scanned.
        var scanned: FileStamp?
        /// Whether the user was told that it is incomplete.
        var isReported = false
    }

    /// Time without a change after which a file counts as closed, for folders whose file system reports no event.
    static let settlingTime = Duration.seconds(2)

    /// Time after which the user is told about an incomplete file that does not change.
    private let limit: Duration
    /// Files whose scans have not ended.
    private var files: [String: File] = [:]
    /// The others, by their folders: of each 64 bits of a hash of its path, and of its stamp. A watch takes some bytes for
    /// each file that stays in the folder, and no text; that two of a million files are taken for one is less likely than
    /// one in 10 million.
    private var done: [String: [Int: Int]] = [:]

    package init(limit: Duration) { self.limit = limit }

    /// Number of files that are waited for: their writers have not finished.
    package var waitingCount: Int {
        files.values.count { file in
            switch file.phase {
            case .growing, .incomplete: true
            case .checking, .scanning: false
            }
        }
    }

    /// Number of files that the folders hold.
    package var fileCount: Int { done.values.reduce(files.count) { $0 + $1.count } }

    /// Takes in an event at time `now`.
    package mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .found(let path, let stamp, let isClosed):
            let (folder, key) = Self.place(of: path)
            if let known = done[folder]?[key] {
                if known == stamp.hashValue { return [] }
                // It has other contents, or is another file of the same name.
                done[folder]?[key] = nil
            }
            var file = files[path] ?? File(stamp: stamp, changed: now)
            if file.stamp != stamp { file.change(to: stamp, at: now) }
            if isClosed { file.isClosed = true }
            defer { files[path] = file }
            return advance(&file, path, now)
        case .removed(let path):
            return remove(path)
        case .listed(let folder, let paths):
            let gone = files.keys.filter { Self.place(of: $0).folder == folder && !paths.contains($0) }
            let keys = Set(paths.map { Self.place(of: $0).key })
            done[folder] = done[folder]?.filter { keys.contains($0.key) }
            return gone.sorted().flatMap { remove($0) }
        case .checked(let path, let stamp, let reason, let changed):
            guard var file = files[path], case .checking = file.phase else { return [] }
            defer { files[path] = file }
            file.phase = .growing
            // The event of a change may arrive later than the check's result, which may be that of the new contents.
            if let changed, file.stamp == stamp { file.change(to: changed, at: now) }
            guard file.stamp == stamp else { return advance(&file, path, now) }
            if let reason {
                file.phase = .incomplete(reason)
                return []
            }
            (file.phase, file.scanned) = (.scanning, stamp)
            return [.scan(path)]
        case .scanned(let path):
            guard var file = files[path], case .scanning = file.phase else { return [] }
            if file.scanned == file.stamp {
                let (folder, key) = Self.place(of: path)
                done[folder, default: [:]][key] = file.stamp.hashValue
                files[path] = nil
                return []
            }
            defer { files[path] = file }
            file.phase = .growing
            return advance(&file, path, now)
        }
    }

    /// Whether the scan of a file that has this stamp now may begin. It may not if the file was replaced or removed since
    /// the check, which may have been long ago: files before it are scanned first. Further actions may follow then.
    package mutating func begin(_ path: String, _ stamp: FileStamp?, at now: Duration) -> (isAllowed: Bool, [Action]) {
        guard var file = files[path], case .scanning = file.phase else { return (false, []) }
        guard let stamp else { return (false, remove(path)) }
        if file.scanned == stamp { return (true, []) }
        defer { files[path] = file }
        file.phase = .growing
        if file.stamp != stamp { file.change(to: stamp, at: now) }
        return (false, advance(&file, path, now))
    }

    private mutating func remove(_ path: String) -> [Action] {
        let (folder, key) = Self.place(of: path)
        done[folder]?[key] = nil
        guard let file = files.removeValue(forKey: path), case .incomplete = file.phase else { return [] }
        return [.warn("\(path): removed before it was complete; it is not scanned")]
    }

    /// The folder of a path, and the key of the path in ``done``.
    private static func place(of path: String) -> (folder: String, key: Int) {
        (path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "", path.hashValue)
    }

    private func advance(_ file: inout File, _ path: String, _ now: Duration) -> [Action] {
        switch file.phase {
        case .checking, .scanning: return []
        case .growing:
            guard file.isClosed || now - file.changed >= Self.settlingTime else { return [] }
            file.phase = .checking
            return [.check(path, file.stamp)]
        case .incomplete(let reason):
            guard !file.isReported, now - file.changed >= limit else { return [] }
            file.isReported = true
            let time = HumanFormat.duration(seconds: limit / .seconds(1))
            return [.warn("\(reason); it has not changed for \(time), and is scanned once its writer completes it")]
        }
    }
}

extension ArrivalState.File {
    /// The file has other contents, or is another file of the same name.
    fileprivate mutating func change(to stamp: FileStamp, at now: Duration) {
        (self.stamp, changed, isClosed, isReported) = (stamp, now, false, false)
        switch phase {
        // What was found out about the old contents is no longer valid. A check or scan ends first.
        case .incomplete: phase = .growing
        case .growing, .checking, .scanning: break
        }
    }
}
