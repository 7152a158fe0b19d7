import SkyFITS
package import SkyScan

/// The files that nodes list, each once. Pure.
///
/// Files of several nodes are one if path, size, time of change and header are equal. It has the name that was given for
/// the first of them, such as `*:/night/a.fits`; another file of the same path has the name of its node.
package struct NodeFileMerge {
    package private(set) var files: [InputList.File] = []

    package init() {}
    private var places: [Place: [(identity: FileIdentity?, index: Int)]] = [:]
    private var names: Set<String> = []

    private struct Place: Hashable {
        var path: String
        var selector: ImageLocation.Selector?
    }

    /// A file of this machine, or one whose node does not list it.
    package mutating func add(_ file: InputList.File) {
        if names.insert(file.name).inserted { files.append(file) }
    }

    /// Files that `nodes` list for `argument`, in the order of their paths.
    package mutating func add(_ lists: [(node: String, files: [NodeFiles.Found])], for argument: InputList.File) {
        let all = lists.flatMap { list in list.files.map { (node: list.node, found: $0) } }
        for (node, found) in all.sorted(by: { ($0.found.path, $0.node) < ($1.found.path, $1.node) }) {
            add(found, on: node, for: argument)
        }
    }

    private mutating func add(_ found: NodeFiles.Found, on node: String, for argument: InputList.File) {
        let place = Place(path: found.path, selector: argument.selector)
        if let identity = found.identity, let same = places[place]?.first(where: { $0.identity == identity }) {
            if !files[same.index].holders.contains(node) { files[same.index].holders.append(node) }
            return
        }
        var file = InputList.File(
            path: found.path, selector: argument.selector, node: argument.node, holders: [node])
        if names.contains(file.name) { file.node = node }
        guard names.insert(file.name).inserted else { return }
        places[place, default: []].append((found.identity, files.count))
        files.append(file)
    }
}
