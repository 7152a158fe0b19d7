import Foundation

/// A browser without a window, steered by the DevTools protocol over a pipe. It never outlives the object.
final class Browser {
    static let absent = "needs Chromium: install chromium-headless-shell or chromium, or set SKYFARM_CHROMIUM"
    static let path: String? = {
        let named = ProcessInfo.processInfo.environment["SKYFARM_CHROMIUM"]
        let candidates =
            named.map { [$0] } ?? [
                "/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome",
                "/opt/homebrew/bin/chromium",
                "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
            ]
        return candidates.first { access($0, X_OK) == 0 }
    }()

    private let process: pid_t
    private let input: Int32
    private let output: Int32
    private let profile: String
    private var buffer: [UInt8] = []
    private var lastID = 0
    private var session: String?
    /// Errors reported by the page.
    private(set) var complaints: [String] = []
    /// Addresses requested by the page.
    private(set) var requests: [String] = []

    /// Milliseconds that it may be silent.
    private var patience: Int32

    /// Starts a browser. One that does not answer is ended, and another one started.
    static func start() throws -> Browser {
        for _ in 0..<2 {
            if let browser = try? Browser(patience: 40_000) { return browser }
        }
        return try Browser(patience: 120_000)
    }

    /// Starts the browser with an empty page.
    private init(patience: Int32) throws {
        self.patience = patience
        profile = NSTemporaryDirectory() + "skyfarm-browser-\(UUID().uuidString)"
        let (commands, answers) = (try Self.pipe(), try Self.pipe())
        (input, output) = (commands[1], answers[0])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, commands[0], 3)
        posix_spawn_file_actions_adddup2(&actions, answers[1], 4)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A group of its own, so that its helpers end with it.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        let words =
            [
                Self.path ?? "", "--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
                "--disable-dev-shm-usage", "--user-data-dir=\(profile)", "about:blank",
            ] + (geteuid() == 0 ? ["--no-sandbox"] : [])
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, words[0], &actions, &attributes, arguments, environ)
        close(commands[0])
        close(answers[1])
        self.process = failure == 0 ? process : 0
        guard failure == 0 else { throw Failure(description: String(cString: strerror(failure))) }
        try attach()
        self.patience = 120_000
    }

    deinit {
        if process > 0 {
            kill(-process, SIGKILL)
            waitpid(process, nil, 0)
        }
        close(input)
        close(output)
        try? FileManager.default.removeItem(atPath: profile)
    }

    struct Failure: Error, CustomStringConvertible { var description: String }

    private func attach() throws {
        let targets = try send("Target.getTargets")["targetInfos"] as? [[String: Any]] ?? []
        guard let page = targets.first(where: { $0["type"] as? String == "page" })?["targetId"] as? String else {
            throw Failure(description: "the browser has no page")
        }
        session = try send("Target.attachToTarget", ["targetId": page, "flatten": true])["sessionId"] as? String
        for domain in ["Page", "Runtime", "Log", "Network"] { _ = try send("\(domain).enable") }
    }

    /// Gives the page's window a size in CSS pixels, and the user's wish for light or dark.
    func setWindow(width: Int, height: Int = 900, scheme: String = "light") throws {
        _ = try send(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
        _ = try send(
            "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]])
    }

    /// Opens an address, and does not wait until the page has drawn itself.
    func load(_ address: String) throws { _ = try send("Page.navigate", ["url": address]) }

    /// Opens an address, and waits until the page says that it has drawn itself.
    func open(_ address: String) throws {
        try load(address)
        _ = try run(
            """
            while (document.body?.dataset.ready === undefined) await new Promise((done) => setTimeout(done, 20));
            return "";
            """)
    }

    /// Runs the body of an asynchronous function in the page, and returns its text.
    func run(_ script: String) throws -> String {
        let answer = try send(
            "Runtime.evaluate",
            ["expression": "(async () => { \(script) })()", "awaitPromise": true, "returnByValue": true])
        if let fault = answer["exceptionDetails"] { throw Failure(description: "\(fault)") }
        guard let text = (answer["result"] as? [String: Any])?["value"] as? String else {
            throw Failure(description: "the script returned no text: \(answer)")
        }
        return text
    }

    /// A statement that waits until the page has been drawn.
    static let frame = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"

    /// The value of an expression, as JSON carries it, once the page has been drawn.
    func evaluateDrawn<Value: Decodable>(_ expression: String) throws -> Value {
        let text = try run("\(Self.frame) return JSON.stringify(\(expression));")
        return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    /// Moves the mouse to a place in the window, with the left button up, pressed, held or released there.
    func mouse(_ x: Double, _ y: Double, _ type: String = "mouseMoved", isHeld: Bool = false) throws {
        _ = try send(
            "Input.dispatchMouseEvent",
            [
                "type": type, "x": x, "y": y, "button": type == "mouseMoved" && !isHeld ? "none" : "left",
                "buttons": isHeld ? 1 : 0, "clickCount": 1,
            ])
    }

    /// Turns the wheel over a place in the window; a positive distance is towards the user.
    func wheel(_ x: Double, _ y: Double, _ distance: Double) throws {
        _ = try send(
            "Input.dispatchMouseEvent", ["type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": distance])
    }

    /// Sends a command and waits for its answer.
    private func send(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        lastID += 1
        var message: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        message["sessionId"] = session
        var bytes = Array(try JSONSerialization.data(withJSONObject: message)) + [0]
        while !bytes.isEmpty {
            let count = write(input, bytes, bytes.count)
            guard count > 0 else { throw Failure(description: "the browser has gone") }
            bytes.removeFirst(count)
        }
        while true {
            let answer = try receive()
            if answer["id"] as? Int == lastID {
                if let error = answer["error"] { throw Failure(description: "\(method): \(error)") }
                return answer["result"] as? [String: Any] ?? [:]
            }
            note(answer)
        }
    }

    private func note(_ event: [String: Any]) {
        let parameters = event["params"] as? [String: Any] ?? [:]
        let entry = parameters["entry"] as? [String: Any]
        if event["method"] as? String == "Network.requestWillBeSent",
            let request = parameters["request"] as? [String: Any],
            let address = request["url"] as? String
        {
            requests.append(address)
        }
        if event["method"] as? String == "Runtime.exceptionThrown" { complaints.append("\(parameters)") }
        if let entry, entry["level"] as? String == "error" { complaints.append("\(entry)") }
    }

    /// The next message, which ends with a zero byte.
    private func receive() throws -> [String: Any] {
        while true {
            if let end = buffer.firstIndex(of: 0) {
                let object = try JSONSerialization.jsonObject(with: Data(buffer[..<end]))
                buffer.removeSubrange(...end)
                return object as? [String: Any] ?? [:]
            }
            var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard Foundation.poll(&poll, 1, patience) > 0 else { throw Failure(description: "the browser is silent") }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(output, &bytes, bytes.count)
            guard count > 0 else { throw Failure(description: "the browser has gone") }
            buffer += bytes.prefix(count)
        }
    }

    /// A pipe whose ends have numbers that the browser's own do not reach.
    private static func pipe() throws -> [Int32] {
        var ends = [Int32](repeating: -1, count: 2)
        guard Foundation.pipe(&ends) == 0 else { throw Failure(description: String(cString: strerror(errno))) }
        return ends.map { end in
            defer { close(end) }
            return fcntl(end, F_DUPFD_CLOEXEC, 10)
        }
    }
}
