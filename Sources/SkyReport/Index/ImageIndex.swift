/// The state of a job of many images, as the index of its pages shows it. Its mutating methods record events.
public struct ImageIndex: Sendable {
    /// What a system has done.
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

    /// Numbers of images that have ended and are no longer kept.
    package struct Earlier: Equatable, Encodable {
        package var done = 0
        package var partial = 0
        package var failed = 0
        package var sources = 0
        package var pixels = 0

        package mutating func add(_ image: IndexedImage) {
            switch image.state {
            case .done: done += 1
            case .partial: partial += 1
            case .failed: failed += 1
            case .waiting, .running: break
            }
            sources += image.finding?.sources ?? 0
            pixels += image.finding.map { $0.width * $0.height } ?? 0
        }
    }

    /// Images of a watch that are kept.
    public static let watchLimit = 2000

    private let limit: Int
    /// Number of the first image that is kept, counted from 0.
    package private(set) var first = 0
    package private(set) var earlier = Earlier()
    /// The images, in the order in which they became known; a file counts as one until its images are known.
    public private(set) var images: [IndexedImage] = []
    /// How the job ended; nil while it runs.
    public private(set) var ending: LiveScan.Ending?
    private(set) var conclusion = ""
    private(set) var shares: [String: Share] = [:]
    package private(set) var course = SystemCourse()
    /// Number of changes so far.
    package private(set) var revision = 0
    /// The change after which each image is as it is.
    private(set) var revisions: [Int] = []
    private var places: [Key: Int] = [:]
    private var files: [String: [Int]] = [:]
    private var pages: [String: Int] = [:]

    /// No file is known. Of images that have ended about the newest `limit` are kept, so that a watch of folders takes no
    /// more memory with each file.
    public init(limit: Int = .max) { self.limit = limit }

    /// Number of images in a state, those that are no longer kept included.
    public func count(of state: IndexedImage.State) -> Int {
        let kept = images.count { $0.state == state }
        switch state {
        case .done: return kept + earlier.done
        case .partial: return kept + earlier.partial
        case .failed: return kept + earlier.failed
        case .waiting, .running: return kept
        }
    }

    /// A file is part of the job.
    public mutating func add(file: String) {
        guard files[file] == nil else { return }
        append(IndexedImage(file: file))
    }

    /// The images of a file that are to be scanned: number and EXTNAME of each HDU.
    public mutating func know(_ hdus: [(number: Int, name: String?)], of file: String) {
        know(hdus.map { ($0.number, $0.name, nil) }, of: file)
    }

    /// The images of a file that are to be scanned: number and EXTNAME of each HDU, and the plane of a cube.
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

    /// The scan of an image begins; `page` is the name of its live page, nil if there is none.
    public mutating func begin(_ hdu: Int, plane: Int? = nil, of file: String, page: String? = nil) {
        change(Key(file: file, hdu: hdu, plane: plane)) { ($0.state, $0.page) = (.running, page) }
    }

    /// An image was scanned; `page` is the name of its page and thumbnail.
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

    /// A file is not scanned, since its catalogues are there: its images count as done.
    public mutating func keep(file: String) {
        add(file: file)
        for place in files[file] ?? [] {
            change(place) { ($0.state, $0.reason) = (.done, "its catalogue was there before") }
        }
    }

    /// An image could not be scanned.
    public mutating func fail(_ hdu: Int, plane: Int? = nil, of file: String, _ reason: String) {
        change(Key(file: file, hdu: hdu, plane: plane)) { ($0.state, $0.reason, $0.page) = (.failed, reason, nil) }
    }

    /// A file has no catalogue: its images count as failed, unless they already have a reason of their own.
    public mutating func fail(file: String, _ reason: String) {
        add(file: file)
        for place in files[file] ?? [] where images[place - first].state != .failed {
            change(place) { image in
                // The live page of an image that was being scanned ends with the scan.
                if image.state == .running { image.page = nil }
                (image.state, image.reason) = (.failed, reason)
            }
        }
    }

    /// A system is connected, with that many slots.
    public mutating func join(_ system: String, slots: Int) {
        guard shares[system]?.slots != slots, slots > 0 else { return }
        shares[system, default: Share()].slots = slots
        revision += 1
    }

    /// A system has done a task in `seconds`, at a time since the job began.
    public mutating func finishTask(on system: String, seconds: Double, at time: Double) {
        shares[system, default: Share()].tasks += 1
        shares[system, default: Share()].seconds += seconds
        course.add(time - max(0, seconds)..<time, on: system)
        revision += 1
    }

    /// The page of an image is no longer kept.
    public mutating func dropPage(_ page: String) {
        guard let place = pages.removeValue(forKey: page) else { return }
        change(place) { $0.page = nil }
    }

    /// The job has ended; `words` describes how, in one line. Further calls are ignored.
    public mutating func end(_ words: String) {
        guard ending == nil else { return }
        let isWhole = images.allSatisfy { $0.state == .done } && earlier.partial + earlier.failed == 0
        let hasFindings = earlier.done + earlier.partial > 0 || images.contains { $0.finding != nil }
        ending = isWhole ? .complete : hasFindings ? .partial : .failed
        // What runs is cut off.
        for (index, image) in images.enumerated() where image.state == .running {
            change(first + index) { ($0.state, $0.page) = (.waiting, nil) }
        }
        conclusion = words
        revision += 1
    }

    /// What the job does now, in a line.
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

    /// Drops the oldest images that have ended, some at a time: each time costs as much as those that are kept.
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
