import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Calls a function soon after a file of a folder was created, replaced, removed or changed. On Linux by inotify; other
/// systems, and changes from other machines on a network file system, need polling.
final class FolderChanges: @unchecked Sendable {
    // Sendable: nothing changes after `init`; the source may be cancelled from any thread.
    private let source: (any DispatchSourceRead)?

    /// Watches `folder` until the object is released. A folder that cannot be watched is ignored.
    init(of folder: String, onChange: @escaping @Sendable () -> Void) {
        #if canImport(Glibc)
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_ATTRIB)
            guard descriptor >= 0, inotify_add_watch(descriptor, folder, events) >= 0 else {
                if descriptor >= 0 { close(descriptor) }
                source = nil
                return
            }
            let source = DispatchSource.makeReadSource(
                fileDescriptor: descriptor, queue: DispatchQueue(label: "skyfarm.folder"))
            source.setEventHandler { @Sendable in
                var bytes = [UInt8](repeating: 0, count: 4096)
                while read(descriptor, &bytes, bytes.count) > 0 {}
                onChange()
            }
            source.setCancelHandler { @Sendable in _ = close(descriptor) }
            source.activate()
            self.source = source
        #else
            source = nil
        #endif
    }

    deinit { source?.cancel() }
}
