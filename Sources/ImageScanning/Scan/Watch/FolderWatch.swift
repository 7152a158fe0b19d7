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
    private let arrivals: Locked<ArrivalState>
    private let start = ContinuousClock.now
    private let queue = DispatchQueue(label: "skyfarm.watch")
    /// Folders that could not be listed last time.
    private var unreadable: Set<String> = []
    private var events: FileEvents?
    private var timer: (any DispatchSourceTimer)?

    /// Shortest time between two listings of the folders.
    private static let interval = Duration.seconds(2)
    /// Time between listings in units of the time that a listing takes, so that slow file systems are listed seldom.
    private static let restShare = 50

    /// Watches `folders`, and warns about files that are incomplete for longer than `limit`.
    /// - Throws: ``ImageError`` if one is not a folder that can be read.
    package init(_ folders: [String], limit: Duration) throws {
        for folder in folders { _ = try ReadableFiles.current.names(in: folder) }
        self.folders = folders.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        arrivals = Locked(ArrivalState(limit: limit))
        (actions, continuation) = AsyncStream.makeStream()
    }

    package func begin() {
        queue.async { [self] in
            // Before the first listing: no file falls between the two.
            events = FileEvents(folders, queue: queue) { [weak self] event in self?.react(to: event) }
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
        case .written, .removed, .attributes, .folders: break
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
        folders.forEach(list)
        let rest = max(Self.interval, (ContinuousClock.now - began) * Self.restShare)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + rest / .seconds(1))
        timer.setEventHandler { [weak self] in self?.list() }
        self.timer?.cancel()
        self.timer = timer
        timer.activate()
    }

    private func list(_ folder: String) {
        guard let names = try? ReadableFiles.current.names(in: folder) else {
            // Its files are not taken for removed: the folder may be that of a server that does not answer.
            if unreadable.insert(folder).inserted {
                continuation.yield(.warn("\(folder): the folder cannot be read; it is watched again later"))
            }
            return
        }
        let paths = names.filter(InputList.isImageName).map { "\(folder)/\($0)" }.sorted()
        unreadable.remove(folder)
        handle(.listed(folder, Set(paths)))
        for path in paths { found(path, isClosed: false) }
    }
}
