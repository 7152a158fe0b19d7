package import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Notifications of changes to files in folders, from inotify on Linux. Other systems, and changes by other machines on
/// a network file system, need polling.
package final class FileEvents: @unchecked Sendable {
    // Sendable: nothing changes after `init`; the source may be cancelled from any thread.
    private let source: (any DispatchSourceRead)?

    /// A change to a file in a watched folder.
    package enum Event: Equatable, Sendable {
        /// A writer closed it, or it was renamed into the folder.
        case written(folder: String, name: String)
        /// Its permissions or times changed.
        case attributes(folder: String, name: String)
        /// It was removed, or renamed away.
        case removed(folder: String, name: String)
        /// Events were lost: the folders must be listed.
        case lost
    }

    /// Watches `folders` until the object is released, and calls `handle` on `queue`. Folders that cannot be watched
    /// are ignored.
    package init(_ folders: [String], queue: DispatchQueue, handle: @escaping @Sendable (Event) -> Void) {
        #if canImport(Glibc)
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else {
                source = nil
                return
            }
            var names: [Int32: String] = [:]
            let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)
            for folder in folders { names[inotify_add_watch(descriptor, folder, mask)] = folder }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { @Sendable [names] in
                for event in Self.read(descriptor, names) { handle(event) }
            }
            source.setCancelHandler { @Sendable in _ = close(descriptor) }
            source.activate()
            self.source = source
        #else
            source = nil
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
            if header.mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) != 0 { return .written(folder: folder, name: name) }
            if header.mask & UInt32(IN_ATTRIB) != 0 { return .attributes(folder: folder, name: name) }
            return .removed(folder: folder, name: name)
        }
    #endif
}
