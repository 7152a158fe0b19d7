package import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Notifications of changes to files in folders, from inotify on Linux. Other systems, and changes by other machines on
/// a network file system, need polling.
package final class FileEvents: @unchecked Sendable {
    // Sendable: only the names change after `init`, behind a lock; the source may be cancelled from any thread.
    private let source: (any DispatchSourceRead)?
    private let descriptor: Int32
    private let reportsFolders: Bool
    /// The watched folders by the system's numbers.
    private let names = Locked<[Int32: String]>([:])

    /// A change to a file in a watched folder.
    package enum Event: Equatable, Sendable {
        /// A writer closed it, or it was renamed into the folder.
        case written(folder: String, name: String)
        /// Its permissions or times changed.
        case attributes(folder: String, name: String)
        /// It was removed, or renamed away.
        case removed(folder: String, name: String)
        /// A folder in a watched one was renamed or removed, or made if that is to be reported.
        case folders
        /// Events were lost: the folders must be listed.
        case lost
    }

    /// Watches `folders` until the object is released, and calls `handle` on `queue`. Folders that cannot be watched
    /// are ignored. `reportsFolders`: whether new folders in them are reported.
    package init(
        _ folders: [String], reportsFolders: Bool = false, queue: DispatchQueue,
        handle: @escaping @Sendable (Event) -> Void
    ) {
        self.reportsFolders = reportsFolders
        #if canImport(Glibc)
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else {
                source = nil
                return
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { @Sendable [descriptor, names] in
                for event in Self.read(descriptor, names.withLock(\.self)) { handle(event) }
            }
            source.setCancelHandler { @Sendable [descriptor] in _ = close(descriptor) }
            self.source = source
            watch(folders)
            source.activate()
        #else
            (descriptor, source) = (-1, nil)
        #endif
    }

    /// Watches these folders in place of those before. One that was renamed has its new name in further events.
    package func watch(_ folders: [String]) {
        #if canImport(Glibc)
            guard descriptor >= 0 else { return }
            let folderEvents = reportsFolders ? UInt32(IN_CREATE) : 0
            let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB) | folderEvents
            names.withLock { names in
                var current: [Int32: String] = [:]
                for folder in folders {
                    let number = inotify_add_watch(descriptor, folder, mask)
                    if number >= 0, current[number] == nil { current[number] = folder }
                }
                for number in names.keys where current[number] == nil { inotify_rm_watch(descriptor, number) }
                names = current
            }
        #endif
    }

    deinit { source?.cancel() }

    #if canImport(Glibc)
        /// Reads the pending events without waiting.
        private static func read(_ descriptor: Int32, _ folders: [Int32: String]) -> [Event] {
            var events: [Event] = []
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: MemoryLayout<inotify_event>.alignment) {
                bytes in
                while true {
                    let count = Glibc.read(descriptor, bytes.baseAddress, bytes.count)
                    if count <= 0 { return }
                    var offset = 0
                    while offset < count {
                        let header = bytes.load(fromByteOffset: offset, as: inotify_event.self)
                        offset += MemoryLayout<inotify_event>.size
                        let name = bytes[offset..<offset + Int(header.len)].prefix { $0 != 0 }
                        offset += Int(header.len)
                        if let event = event(header, String(decoding: name, as: UTF8.self), folders) {
                            events.append(event)
                        }
                    }
                }
            }
            return events
        }

        private static func event(_ header: inotify_event, _ name: String, _ folders: [Int32: String]) -> Event? {
            if header.mask & UInt32(IN_Q_OVERFLOW) != 0 { return .lost }
            guard let folder = folders[header.wd], !name.isEmpty else { return nil }
            if header.mask & UInt32(IN_ISDIR) != 0, header.mask & UInt32(IN_ATTRIB) == 0 { return .folders }
            if header.mask & UInt32(IN_CREATE) != 0 { return nil }
            if header.mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) != 0 { return .written(folder: folder, name: name) }
            if header.mask & UInt32(IN_ATTRIB) != 0 { return .attributes(folder: folder, name: name) }
            return .removed(folder: folder, name: name)
        }
    #endif
}
