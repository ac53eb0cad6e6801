import Shell
import Testing

@Suite struct ClientSocketTests {
    private let xdg = "/run/user/7/gamed.sock"
    private let service = "/run/gamed/gamed.sock"

    private func find(
        _ variables: [String: String] = ["XDG_RUNTIME_DIR": "/run/user/7"],
        existing: Set<String> = []
    ) -> ClientSocket {
        ClientSocket(variable: { variables[$0] }, exists: { existing.contains($0) })
    }

    @Test func `the service's socket is found by a user with a runtime directory`() {
        let socket = find(existing: [service])
        #expect(socket.path == service)
        #expect(!socket.isNamed && !socket.isAmbiguous)
    }

    @Test func `the first socket that exists is used`() {
        #expect(find(existing: [xdg, service]).path == xdg)
        #expect(find(existing: [xdg, service]).isAmbiguous)
        #expect(find(existing: [xdg]).path == xdg)
        #expect(!find(existing: [xdg]).isAmbiguous)
        #expect(find([:], existing: [service]).path == service)
    }

    @Test func `the socket in GAMED_SOCKET is used even if it does not exist`() {
        let variables = ["GAMED_SOCKET": "/tmp/rehearsal.sock", "XDG_RUNTIME_DIR": "/run/user/7"]
        for existing: Set<String> in [["/tmp/rehearsal.sock", xdg, service], [xdg, service], []] {
            let socket = find(variables, existing: existing)
            #expect(socket.path == "/tmp/rehearsal.sock")
            #expect(socket.isNamed && !socket.isAmbiguous)
        }
    }

    @Test func `an error names every place that was searched for a socket`() {
        #expect(find().path == xdg)
        #expect(find([:]).path == service)
        #expect(
            find(existing: [service]).search
                == "without --socket, the first that exists is used: $GAMED_SOCKET (not set), $XDG_RUNTIME_DIR/gamed.sock (/run/user/7/gamed.sock, does not exist), /run/gamed/gamed.sock (exists)"
        )
        #expect(ClientSocket(named: "/tmp/x").search == nil)
        #expect(ClientSocket(named: "/tmp/x").isNamed)
    }

    @Test func `a socket in a directory that may not be read counts as present`() {
        #expect(ClientSocket.exists("/proc/self/status"))
        #expect(!ClientSocket.exists("/proc/self/nothing"))
        #expect(!ClientSocket.exists("/proc/self/status/x"))
    }
}
