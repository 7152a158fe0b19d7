import CommandLineKit
import Dispatch
import Foundation
import ScanBasics
import ScanCluster
import SkyFITS
package import SkyScan

/// Watches folders, and says which of their files are to be scanned. ``ArrivalState`` decides; this lists the folders,
/// receives the system's file events and reads the clock.
///
/// Files that were there before come first. Every folder is also listed at intervals: network file systems report no
/// event for what another machine writes.
package final class FolderWatch: @unchecked Sendable {
    // Sendable: what is not constant or locked is accessed on the queue alone.

    /// What is to be done, in order; for one reader. Ends after ``stop()``.
    package let actions: AsyncStream<ArrivalState.Action>
    private let continuation: AsyncStream<ArrivalState.Action>.Continuation
    /// The folders, without a slash at the end.
    package let folders: [String]
    private let isRecursive: Bool
    private let arrivals: Locked<ArrivalState>
    private let start = ContinuousClock.now
    private let queue = DispatchQueue(label: "skyfarm.watch")
    /// Folders that could not be listed last time.
    private var unreadable: Set<String> = []
    /// The folders below the watched ones, and themselves, that were there last time.
    private var tree: Set<String> = []
    private var events: FileEvents?
    private var timer: (any DispatchSourceTimer)?

    /// Shortest time between two listings of the folders.
    private static let interval = Duration.seconds(2)
    /// Time between listings in units of the time that a listing takes, so that slow file systems are listed seldom.
    private static let restShare = 50

    /// Time after a change of the folders until they are listed, for the changes that follow at once.
    private static let pause = Duration.milliseconds(50)

    /// Watches `folders`, and warns about files that are incomplete for longer than `limit`. `isRecursive`: with the
    /// folders at any depth below them, also those that are made later.
    /// - Throws: ``ImageError`` if one is not a folder that can be read.
    package init(_ folders: [String], isRecursive: Bool = false, limit: Duration) throws {
        self.isRecursive = isRecursive
        for folder in folders { _ = try ReadableFiles.current.names(in: folder) }
        self.folders = folders.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        arrivals = Locked(ArrivalState(limit: limit))
        (actions, continuation) = AsyncStream.makeStream()
    }

    package func begin() {
        queue.async { [self] in
            // Before the first listing: no file falls between the two.
            events = FileEvents(folders, reportsFolders: isRecursive, queue: queue) { [weak self] event in
                self?.react(to: event)
            }
            list()
        }
    }

    /// Ends ``actions``. Scans that run are not affected.
    package func stop() {
        queue.async { [self] in
            timer?.cancel()
            (events, timer) = (nil, nil)
            continuation.finish()
        }
    }

    /// Takes in the result of an action; from any thread.
    package func handle(_ event: ArrivalState.Event) {
        let now = ContinuousClock.now - start
        // Within the lock, so that actions have the order of the decisions.
        arrivals.withLock { arrivals in
            for action in arrivals.handle(event, at: now) { continuation.yield(action) }
        }
    }

    /// Finds out whether a file with this stamp is complete, as ``ArrivalState/Action/check(_:_:)`` has asked.
    package func check(_ path: String, _ stamp: FileStamp) {
        let reason = FITSSurvey.incompleteness(of: path)
        switch FileStamp(path) {
        // Its event may arrive later. An incomplete file waits for it, since its removal is reported.
        case nil where reason == nil: handle(.removed(path))
        case let after: handle(.checked(path, stamp, incomplete: reason, changed: after == stamp ? nil : after))
        }
    }

    /// Whether the scan of a file may begin, as ``ArrivalState/Action/scan(_:)`` has asked; if not, the file was replaced
    /// or removed, and ``actions`` go on with it.
    package func begins(_ path: String) -> Bool {
        let now = ContinuousClock.now - start
        return arrivals.withLock { arrivals in
            let (isAllowed, further) = arrivals.begin(path, FileStamp(path), at: now)
            for action in further { continuation.yield(action) }
            return isAllowed
        }
    }

    private func react(to event: FileEvents.Event) {
        switch event {
        case .written(let folder, let name) where InputList.isImageName(name):
            found("\(folder)/\(name)", isClosed: true)
        case .removed(let folder, let name) where InputList.isImageName(name): handle(.removed("\(folder)/\(name)"))
        case .lost: list()
        case .folders: if isRecursive { list(after: Self.pause) }
        case .written, .removed, .attributes: break
        }
    }

    private func found(_ path: String, isClosed: Bool) {
        // In a job, a folder that was replaced by a link has no files.
        guard ReadableFiles.current.exists(path), let stamp = FileStamp(path) else { return }
        handle(.found(path, stamp, isClosed: isClosed))
    }

    /// Lists the folders, now and again after a while.
    private func list() {
        let began = ContinuousClock.now
        if isRecursive { listTrees() } else { folders.forEach(list) }
        list(after: max(Self.interval, (ContinuousClock.now - began) * Self.restShare))
    }

    private func list(after rest: Duration) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + rest / .seconds(1))
        timer.setEventHandler { [weak self] in self?.list() }
        self.timer?.cancel()
        self.timer = timer
        timer.activate()
    }

    private func list(_ folder: String) {
        guard let names = try? ReadableFiles.current.names(in: folder) else { return warn(of: folder) }
        unreadable.remove(folder)
        list(folder, names.map { "\(folder)/\($0)" })
    }

    /// Its files are not taken for removed: the folder may be that of a server that does not answer.
    private func warn(of folder: String) {
        if unreadable.insert(folder).inserted {
            continuation.yield(.warn("\(folder): the folder cannot be read; it is watched again later"))
        }
    }

    /// A folder holds these files, and no others.
    private func list(_ folder: String, _ files: [String]) {
        let paths = files.filter { InputList.isImageName(InputList.lastName(of: $0)) }.sorted(by: FolderTree.precedes)
        handle(.listed(folder, Set(paths)))
        for path in paths { found(path, isClosed: false) }
    }

    /// Lists the folders with all that are below them, and has the events of new ones reported.
    private func listTrees() {
        var found = ReadableFiles.Found(paths: [])
        for root in folders {
            guard let part = try? ReadableFiles.current.files(below: root) else {
                found.unreadable.append(root)
                continue
            }
            found.paths += part.paths
            found.folders += part.folders
            found.unreadable += part.unreadable
        }
        let present = Set(found.folders)
        found.unreadable.forEach(warn)
        unreadable.formIntersection(found.unreadable)
        let gone = tree.subtracting(present).filter { folder in
            !found.unreadable.contains { folder == $0 || folder.hasPrefix("\($0)/") }
        }
        if present != tree { events?.watch(found.folders) }
        tree = tree.subtracting(gone).union(present)
        for folder in gone.sorted(by: FolderTree.precedes) { handle(.listed(folder, [])) }
        let files = Dictionary(grouping: found.paths) { path in
            path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        }
        for folder in present.sorted(by: FolderTree.precedes) { list(folder, files[folder] ?? []) }
    }
}
