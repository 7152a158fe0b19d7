import Dispatch
import Foundation

/// The system's events of files in folders: inotify on Linux; none elsewhere, where listings find the files.
final class FileEvents {
    enum Event: Sendable {
        /// A writer closed the file, or it was renamed into the folder.
        case closed(String)
        /// The file was removed, or renamed away.
        case removed(String)
        /// Events were lost: the folders must be listed.
        case lost
    }

    #if os(Linux)
        private let source: (any DispatchSourceRead)?

        /// Watches `folders`, which must not end in a slash, and calls `handle` on `queue`.
        init(_ folders: [String], queue: DispatchQueue, handle: @escaping @Sendable (Event) -> Void) {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else {
                source = nil
                return
            }
            var names: [Int32: String] = [:]
            let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
            for folder in folders { names[inotify_add_watch(descriptor, folder, mask)] = folder }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { [names] in
                for event in Self.read(descriptor, names) { handle(event) }
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            self.source = source
        }

        deinit { source?.cancel() }

        /// The events that can be read without waiting.
        private static func read(_ descriptor: Int32, _ folders: [Int32: String]) -> [Event] {
            var events: [Event] = []
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: MemoryLayout<inotify_event>.alignment) {
                bytes in
                while true {
                    let count = Foundation.read(descriptor, bytes.baseAddress, bytes.count)
                    if count <= 0 { return }
                    var offset = 0
                    while offset < count {
                        let header = bytes.load(fromByteOffset: offset, as: inotify_event.self)
                        offset += MemoryLayout<inotify_event>.size
                        let name = bytes[offset..<offset + Int(header.len)].prefix { $0 != 0 }
                        offset += Int(header.len)
                        if header.mask & UInt32(IN_Q_OVERFLOW) != 0 { events.append(.lost) }
                        let file = String(decoding: name, as: UTF8.self)
                        guard let folder = folders[header.wd], InputList.isImageName(file) else { continue }
                        let isThere = header.mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) != 0
                        events.append(isThere ? .closed("\(folder)/\(file)") : .removed("\(folder)/\(file)"))
                    }
                }
            }
            return events
        }
    #else
        init(_ folders: [String], queue: DispatchQueue, handle: @escaping @Sendable (Event) -> Void) {}
    #endif
}
