import CLibUV
import ScanSockets

/// Watches one descriptor on the loop. Confined to the loop's thread.
final class SocketPoll {
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private var watched: Int32 = 0
    private let ready: (_ readable: Bool, _ writable: Bool) -> Void

    /// Watches nothing yet. `ready` is called on the loop's thread; an error counts as readable and writable.
    /// - Throws: ``SocketError`` if the loop cannot watch the descriptor.
    init(loop: EventLoop, descriptor: Int32, ready: @escaping (_ readable: Bool, _ writable: Bool) -> Void) throws {
        loop.assertOnLoop()
        self.ready = ready
        let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        let status = uv_poll_init_socket(loop.uv, handle, descriptor)
        guard status == 0 else {
            handle.deallocate()
            throw SocketError(operation: "watch the socket", errno: -status)
        }
        self.handle = handle
        // Released by `close`'s callback: libuv must be able to call back until then.
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    /// Changes what is watched.
    func watch(read: Bool, write: Bool) {
        guard let handle else { return }
        let events = (read ? Int32(UV_READABLE.rawValue) : 0) | (write ? Int32(UV_WRITABLE.rawValue) : 0)
        guard events != watched else { return }
        watched = events
        guard events != 0 else {
            uv_poll_stop(handle)
            return
        }
        uv_poll_start(handle, events) { handle, status, events in
            guard let data = handle?.pointee.data else { return }
            let poll = Unmanaged<SocketPoll>.fromOpaque(data).takeUnretainedValue()
            let failed = status < 0
            if failed { poll.watched = 0 }
            poll.ready(
                failed || events & Int32(UV_READABLE.rawValue) != 0, failed || events & Int32(UV_WRITABLE.rawValue) != 0
            )
        }
    }

    /// Stops watching; the descriptor may be closed right after.
    func close() {
        guard let handle else { return }
        self.handle = nil
        uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) { handle in
            guard let handle else { return }
            if let data = handle.pointee.data { Unmanaged<SocketPoll>.fromOpaque(data).release() }
            UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_poll_t.self).deallocate()
        }
    }
}
