import Shell
import Testing

@Suite struct ClientSocketTests {
    private let userSocket = "/run/user/7/gamed.sock"
    private let serviceSocket = "/run/gamed/gamed.sock"

    private func find(
        _ variables: [String: String] = ["XDG_RUNTIME_DIR": "/run/user/7"],
        existing: Set<String> = []
    ) -> ClientSocket {
        ClientSocket(variable: { variables[$0] }, exists: { existing.contains($0) })
    }

    @Test func `the service's socket is found by a user with a runtime directory`() {
        let socket = find(existing: [serviceSocket])
        #expect(socket.path == serviceSocket)
        #expect(!socket.isNamed && !socket.isAmbiguous)
    }

    @Test func `the first socket that exists is used`() {
        #expect(find(existing: [userSocket, serviceSocket]).path == userSocket)
        #expect(find(existing: [userSocket, serviceSocket]).isAmbiguous)
        #expect(find(existing: [userSocket]).path == userSocket)
        #expect(!find(existing: [userSocket]).isAmbiguous)
        #expect(find([:], existing: [serviceSocket]).path == serviceSocket)
    }

    @Test func `the socket in GAMED_SOCKET is used even if it does not exist`() {
        let variables = ["GAMED_SOCKET": "/tmp/rehearsal.sock", "XDG_RUNTIME_DIR": "/run/user/7"]
        let existingSockets: [Set<String>] = [
            ["/tmp/rehearsal.sock", userSocket, serviceSocket], [userSocket, serviceSocket], [],
        ]
        for existing in existingSockets {
            let socket = find(variables, existing: existing)
            #expect(socket.path == "/tmp/rehearsal.sock")
            #expect(socket.isNamed && !socket.isAmbiguous)
        }
    }

    @Test
    func `if no socket exists, the user's socket is tried, or without a user that of the service`()
    {
        #expect(find().path == userSocket)
        #expect(find([:]).path == serviceSocket)
    }

    @Test func `an error names every place that was searched for a socket`() {
        #expect(
            find(existing: [serviceSocket]).search
                == "without --socket, $GAMED_SOCKET is used if it is set, else the first of the others that exists: $GAMED_SOCKET (not set), $XDG_RUNTIME_DIR/gamed.sock (/run/user/7/gamed.sock, does not exist), /run/gamed/gamed.sock (exists)"
        )
        #expect(ClientSocket(named: "/tmp/x").search == nil)
        #expect(ClientSocket(named: "/tmp/x").isNamed)
    }

    @Test func `a path does not exist if its file is missing or its parent is not a folder`() {
        #expect(ClientSocket.exists("/proc/self/status"))
        #expect(!ClientSocket.exists("/proc/self/nothing"))
        #expect(!ClientSocket.exists("/proc/self/status/x"))
    }
}
