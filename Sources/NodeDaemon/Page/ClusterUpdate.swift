import ScanDashboard

/// The cluster as JSON, for the live page of a node.
struct ClusterUpdate: Encodable {
    var nodes: [Node]
    var jobs: [Job]
    var failures: [Failure]
    var history: History

    package struct Node: Encodable {
        var name: String
        var address: String
        var software: String
        var slots: Int
        var running: Int
        var queued: Int
        var done: Int
        var rate: Double?
        var now: String
    }

    struct Job: Encodable {
        var id: String
        var state: String
        var node: String?
        var from: String?
        var ageSeconds: Double
        var done: String?
        /// From 0 to 1.
        var share: Double?
        var secondsLeft: Double?
        var command: String
    }

    struct Failure: Encodable {
        /// Name of the node or of the job.
        var about: String
        var text: String
        var log: [String]
    }

    struct History: Encodable {
        /// Start of the first interval, in seconds since the node began.
        var start: Double
        var interval: Double
        var nodes: [Course]
    }

    struct Course: Encodable {
        var name: String
        var counts: [Int]
    }

    /// Maximum number of jobs in the update, newest first.
    static let jobLimit = 100

    init(_ picture: ClusterPicture) {
        let members = picture.members.values.sorted { $0.load.name < $1.load.name }
        nodes = members.map { member in
            let load = member.load
            return Node(
                name: load.name.printable, address: load.address.printable, software: load.software.printable,
                slots: load.slots, running: load.running, queued: load.queued, done: load.done, rate: member.rate,
                now: member.trouble ?? load.now.printable)
        }
        jobs = picture.jobs.prefix(Self.jobLimit).map { row in
            let progress = row.progress
            return Job(
                id: row.id, state: row.state, node: row.node?.printable, from: row.from?.printable,
                ageSeconds: row.ageSeconds ?? 0, done: progress?.short,
                share: progress.flatMap { $0.pixels > 0 ? Double($0.pixelsDone) / Double($0.pixels) : nil },
                secondsLeft: row.state == "running" ? progress?.secondsLeft : nil,
                command: (row.command ?? "").printable)
        }
        failures =
            picture.jobs.flatMap { row in
                (row.systems?.failures ?? []).map { failure in
                    Failure(
                        about: "job \(row.id)", text: failure.reason.printable, log: failure.log.map(\.printable))
                }
            }
            + members.flatMap { member in
                member.load.failures.map {
                    Failure(about: member.load.name.printable, text: $0.text.printable, log: [])
                }
            }
        history = History(
            start: Double(picture.dropped) * ClusterPicture.interval, interval: ClusterPicture.interval,
            nodes: picture.history.sorted { $0.key < $1.key }.map { Course(name: $0.key.printable, counts: $0.value) })
    }
}

extension PrometheusText {
    /// Adds metrics of the cluster as known to a node.
    package mutating func add(_ picture: ClusterPicture) {
        let members = picture.members.sorted { $0.key < $1.key }.map(\.value)
        func perNode(_ value: (ClusterPicture.Member) -> Double) -> [Sample] {
            members.map { Sample([("node", $0.load.name)], value($0)) }
        }
        add("skyfarm_cluster_node_up", .gauge, "1 if the node answers.", perNode { $0.trouble == nil ? 1 : 0 })
        add("skyfarm_cluster_node_slots", .gauge, "Slots of the node.", perNode { Double($0.load.slots) })
        add("skyfarm_cluster_node_tasks_running", .gauge, "Tasks that run there.", perNode { Double($0.load.running) })
        add("skyfarm_cluster_node_tasks_queued", .gauge, "Tasks that wait there.", perNode { Double($0.load.queued) })
        add("skyfarm_cluster_node_tasks_total", .counter, "Tasks done there.", perNode { Double($0.load.done) })
        let states = Dictionary(grouping: picture.jobs, by: \.state).sorted { $0.key < $1.key }
        add(
            "skyfarm_cluster_jobs", .gauge, "Submitted jobs of all nodes, by state.",
            states.map { Sample([("state", $0.key)], Double($0.value.count)) })
    }
}
