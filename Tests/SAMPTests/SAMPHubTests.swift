import Testing

import SAMP

@Suite("SAMP hubs") struct SAMPHubTests {
    @Test("the lock file is that of SAMP_HUB, or of the home folder")
    func lockFile() throws {
        #expect(try SAMPHub.lockFile(["HOME": "/home/a"]) == "/home/a/.samp")
        #expect(try SAMPHub.lockFile(["HOME": "/h", "SAMP_HUB": "std-lockurl:file:///tmp/a%20b"]) == "/tmp/a b")
        for environment in [[:], ["SAMP_HUB": "web"], ["HOME": "/h", "SAMP_HUB": "std-lockurl:http://a/b"]] {
            #expect(throws: SAMPError.self) { try SAMPHub.lockFile(environment) }
        }
    }

    @Test("a lock file has address and secret among other lines")
    func description() throws {
        let hub = try #require(
            SAMPHub(description: "# comment\r\nsamp.secret=a=b\r\nsamp.hub.xmlrpc.url=http://[::1]:21012/xmlrpc\nx=\n"))
        #expect(hub.secret == "a=b")
        #expect((hub.server.host, hub.server.port, hub.server.path) == ("::1", 21012, "/xmlrpc"))
        #expect(XMLRPCServer(url: "http://localhost:8")?.path == "/")
        for text in [
            "", "samp.secret=a", "samp.secret=a\nsamp.hub.xmlrpc.url=https://a:1/", "samp.hub.xmlrpc.url=http://a:1",
        ] {
            #expect(SAMPHub(description: text) == nil)
        }
    }

    @Test("without a lock file, or with a damaged one, there is no hub")
    func missing() {
        #expect(throws: SAMPError(.noHub, "no SAMP hub runs (/nowhere/.samp is missing); start TOPCAT or Aladin first"))
        {
            try SAMPHub(lockFile: "/nowhere/.samp")
        }
        #expect(throws: SAMPError(.noHub, "\(#filePath): not the lock file of a SAMP hub")) {
            try SAMPHub(lockFile: #filePath)
        }
    }
}

@Suite("clients of a SAMP hub", .timeLimit(.minutes(10))) struct SAMPClientTests {
    @Test("a hub that was killed is no hub")
    func deadHub() async throws {
        // Nothing listens on the discard port of this machine.
        let hub = try #require(SAMPHub(description: "samp.secret=a\nsamp.hub.xmlrpc.url=http://127.0.0.1:9/"))
        let error = await #expect(throws: SAMPError.self) {
            _ = try await SAMPClient(hub, name: "a", description: "b")
        }
        #expect(error?.code == .noHub)
        #expect("\(try #require(error))".contains("cannot connect to 127.0.0.1:9: connection refused"))
    }
}
