/// The state of a job of many images, as shown by the index page. Its mutating methods record the job's events.
///
/// A file counts as one image until its images are known. ``begin(_:plane:of:page:)``, ``finish(_:plane:of:_:page:)``
/// and ``fail(_:plane:of:_:)`` change the state of an image. ``snapshot(of:at:)`` returns the whole state for
/// ``IndexPage``, and ``changes(since:at:)`` what has changed, by the revision number of each image.
public struct ImageIndex: Sendable {
    /// The work done by a system.
    struct Share: Equatable, Sendable {
        var slots = 1
        var tasks = 0
        var seconds = 0.0
    }

    private struct Key: Hashable {
        var file: String
        var hdu: Int
        var plane: Int?
    }

    /// Totals of the images that have ended and are no longer kept.
    package struct Earlier: Equatable, Encodable {
        package var done = 0
        package var partial = 0
        package var failed = 0
        package var leftOut = 0
        package var sources = 0
        package var pixels = 0

        package mutating func add(_ image: IndexedImage) {
            switch image.state {
            case .done: done += 1
            case .partial: partial += 1
            case .failed: failed += 1
            case .leftOut: leftOut += 1
            case .waiting, .running: break
            }
            sources += image.finding?.sources ?? 0
            pixels += image.finding.map { $0.width * $0.height } ?? 0
        }
    }

    /// Maximum number of images that a watch keeps.
    public static let watchLimit = 2000

    private let limit: Int
    /// Number of the first kept image, from 0.
    package private(set) var first = 0
    package private(set) var earlier = Earlier()
    /// The images, in the order in which they became known; a file counts as one image until its images are known.
    public private(set) var images: [IndexedImage] = []
    /// Result of the job; nil while it runs.
    public private(set) var ending: LiveScan.Ending?
    private(set) var conclusion = ""
    private(set) var shares: [String: Share] = [:]
    package private(set) var course = SystemCourse()
    /// Number of changes so far.
    package private(set) var revision = 0
    /// Revision of the last change of each image.
    private(set) var revisions: [Int] = []
    private var places: [Key: Int] = [:]
    private var files: [String: [Int]] = [:]
    private var pages: [String: Int] = [:]

    /// Creates an empty index. It keeps about `limit` of the images that have ended, the newest ones, so that memory
    /// does not grow with the number of files of a watch.
    public init(limit: Int = .max) { self.limit = limit }

    /// Returns the number of images in a state, including those that are no longer kept.
    public func count(of state: IndexedImage.State) -> Int {
        let kept = images.count { $0.state == state }
        switch state {
        case .done: return kept + earlier.done
        case .partial: return kept + earlier.partial
        case .failed: return kept + earlier.failed
        case .leftOut: return kept + earlier.leftOut
        case .waiting, .running: return kept
        }
    }

    /// Adds a file to the job.
    public mutating func add(file: String) {
        guard files[file] == nil else { return }
        append(IndexedImage(file: file))
    }

    /// Adds the images of a file that will be scanned: number and EXTNAME of each HDU.
    public mutating func know(_ hdus: [(number: Int, name: String?)], of file: String) {
        know(hdus.map { ($0.number, $0.name, nil) }, of: file)
    }

    /// Adds the images of a file that will be scanned: number and EXTNAME of each HDU, and the plane of a cube.
    public mutating func know(_ known: [(number: Int, name: String?, plane: Int?)], of file: String) {
        add(file: file)
        for (hdu, name, plane) in known {
            let key = Key(file: file, hdu: hdu, plane: plane)
            if places[key] != nil { continue }
            if let place = files[file]?.first, images[place - first].hdu == nil {
                change(place) { ($0.hdu, $0.plane, $0.extensionName) = (hdu, plane, name) }
                places[key] = place
            } else {
                append(IndexedImage(file: file, hdu: hdu, plane: plane, extensionName: name))
                places[key] = first + images.count - 1
            }
        }
    }

    /// Records that the scan of an image begins. `page` is the name of its live page, or nil if there is none.
    public mutating func begin(_ hdu: Int, plane: Int? = nil, of file: String, page: String? = nil) {
        change(Key(file: file, hdu: hdu, plane: plane)) { ($0.state, $0.page) = (.running, page) }
    }

    /// Records that an image was scanned. `page` is the name of its page and thumbnail.
    public mutating func finish(
        _ hdu: Int, plane: Int? = nil, of file: String, _ finding: IndexedImage.Finding, page: String?
    ) {
        let key = Key(file: file, hdu: hdu, plane: plane)
        change(key) { image in
            image.state = finding.missing == 0 ? .done : .partial
            image.reason =
                finding.missing == 0 ? nil : "\(finding.missing) \(finding.missing == 1 ? "sector" : "sectors") missing"
            (image.finding, image.page) = (finding, page)
        }
        if let page, let place = places[key] { pages[page] = place }
    }

    /// Records that a file is skipped because its catalogues exist: its images count as done.
    public mutating func keep(file: String) {
        add(file: file)
        for place in files[file] ?? [] {
            change(place) { ($0.state, $0.reason) = (.done, "its catalogue was there before") }
        }
    }

    /// Records that a file is left out, for this reason.
    public mutating func leaveOut(file: String, _ reason: String) {
        add(file: file)
        for place in files[file] ?? [] { change(place) { ($0.state, $0.reason) = (.leftOut, reason) } }
    }

    /// Records that an image could not be scanned.
    public mutating func fail(_ hdu: Int, plane: Int? = nil, of file: String, _ reason: String) {
        change(Key(file: file, hdu: hdu, plane: plane)) { ($0.state, $0.reason, $0.page) = (.failed, reason, nil) }
    }

    /// Records that a file has no catalogue: its images count as failed, unless they already have failed for a reason
    /// of their own.
    public mutating func fail(file: String, _ reason: String) {
        add(file: file)
        for place in files[file] ?? [] where images[place - first].state != .failed {
            change(place) { image in
                // The live page of a running image ends with the scan.
                if image.state == .running { image.page = nil }
                (image.state, image.reason) = (.failed, reason)
            }
        }
    }

    /// Records that a system is connected, or that its number of slots has changed.
    public mutating func join(_ system: String, slots: Int) {
        guard shares[system]?.slots != slots, slots > 0 else { return }
        shares[system, default: Share()].slots = slots
        revision += 1
    }

    /// Records that a system finished a task in `seconds`. `time` is in seconds since the job began.
    public mutating func finishTask(on system: String, seconds: Double, at time: Double) {
        shares[system, default: Share()].tasks += 1
        shares[system, default: Share()].seconds += seconds
        course.add(time - max(0, seconds)..<time, on: system)
        revision += 1
    }

    /// Records that the page of an image has been deleted.
    public mutating func dropPage(_ page: String) {
        guard let place = pages.removeValue(forKey: page) else { return }
        change(place) { $0.page = nil }
    }

    /// Records the end of the job; `words` describes the result in one line. Further calls are ignored.
    public mutating func end(_ words: String) {
        guard ending == nil else { return }
        let isWhole =
            images.allSatisfy { [.done, .leftOut].contains($0.state) } && earlier.partial + earlier.failed == 0
        let hasFindings = earlier.done + earlier.partial > 0 || images.contains { $0.finding != nil }
        ending = isWhole ? .complete : hasFindings ? .partial : .failed
        // Scans in progress are cut off.
        for (index, image) in images.enumerated() where image.state == .running {
            change(first + index) { ($0.state, $0.page) = (.waiting, nil) }
        }
        conclusion = words
        revision += 1
    }

    /// The current activity of the job, in one line.
    package var now: String {
        if ending != nil { return conclusion }
        let running = images.count { $0.state == .running }
        let waiting = images.count { $0.state == .waiting }
        return running == 0
            ? "\(waiting) \(waiting == 1 ? "image" : "images") waiting"
            : "\(running) \(running == 1 ? "image" : "images") being scanned, \(waiting) waiting"
    }

    private mutating func append(_ image: IndexedImage) {
        shrink()
        revision += 1
        files[image.file, default: []].append(first + images.count)
        images.append(image)
        revisions.append(revision)
    }

    private mutating func change(_ key: Key, _ body: (inout IndexedImage) -> Void) {
        guard let place = places[key] else { return }
        change(place, body)
    }

    private mutating func change(_ place: Int, _ body: (inout IndexedImage) -> Void) {
        body(&images[place - first])
        revision += 1
        revisions[place - first] = revision
    }

    /// Drops the oldest images that have ended, several at a time: each call costs as much as the number of kept
    /// images.
    private mutating func shrink() {
        let excess = images.count - limit
        guard excess >= max(1, limit / 4) else { return }
        let dropped = images.prefix(excess).prefix { ![.waiting, .running].contains($0.state) }
        for image in dropped {
            earlier.add(image)
            files[image.file]?.removeFirst()
            if files[image.file]?.isEmpty == true { files[image.file] = nil }
            if let hdu = image.hdu { places[Key(file: image.file, hdu: hdu, plane: image.plane)] = nil }
            if let page = image.page { pages[page] = nil }
        }
        let count = dropped.count
        images.removeFirst(count)
        revisions.removeFirst(count)
        first += count
    }
}
