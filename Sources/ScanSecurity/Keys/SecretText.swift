/// The text of one or several keys, in memory that is wiped when the last reference is released. An array is not used,
/// because its bytes would be copied whenever a slice of it is in use.
final class SecretText {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    /// Creates an empty text for at most `capacity` bytes.
    init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 16)
        wipe(memory)
    }

    /// Creates a copy of a text.
    convenience init(_ text: some Sequence<UInt8>) {
        // The length of a sequence is not known in advance.
        self.init(capacity: text.reduce(0) { count, _ in count + 1 })
        append(text)
    }

    deinit {
        wipe(memory)
        memory.deallocate()
    }

    /// Appends bytes up to the capacity.
    func append(_ bytes: some Sequence<UInt8>) {
        for byte in bytes where count < memory.count {
            memory[count] = byte
            count += 1
        }
    }

    /// Lets `fill` write into the remaining memory, and appends the number of bytes that it returns.
    func append(fill: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        let added = fill(UnsafeMutableRawBufferPointer(rebasing: memory[count...]))
        if added > 0 { count += min(added, memory.count - count) }
        return added
    }

    /// The bytes; valid only during the lifetime of this object.
    var all: Slice<UnsafeRawBufferPointer> { UnsafeRawBufferPointer(rebasing: memory[..<count])[...] }

    /// Passes the bytes to `body`, which must not keep the pointer.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
}
