import Cluster
import Testing

@testable import GamedServer

/// The proofs of nodes that share a secret.
@Suite struct NodeSecretTests {
    private static let handshake = NodeHandshake(
        connecting: "1-a", accepting: "2-b", address: "127.0.0.1:7000", connectingNonce: "x",
        acceptingNonce: "y")
    private static let key = Array("0123456789abcdef0123456789abcdef".utf8)

    @Test func `a proof holds only for its side, its ends, its address and its nonces`() throws {
        let secret = try #require(NodeSecret(Self.key))
        let proof = secret.proof(of: .connecting, Self.handshake)
        #expect(NodeSecret.matches(proof, secret.proof(of: .connecting, Self.handshake)))
        var others = Array(repeating: Self.handshake, count: 7)
        others[0].connecting = "3-c"
        others[1].accepting = "3-c"
        others[2].address = "127.0.0.1:7001"
        others[3].connectingNonce = "y"
        others[4].acceptingNonce = "x"
        // Without separators, these would be the same text.
        (others[5].connecting, others[5].accepting) = ("1-a 2", "-b")
        (others[6].connecting, others[6].accepting) = ("1-a\",\"2-b", "")
        for other in others {
            #expect(!NodeSecret.matches(proof, secret.proof(of: .connecting, other)))
        }
        #expect(!NodeSecret.matches(proof, secret.proof(of: .accepting, Self.handshake)))
        #expect(!NodeSecret.matches("", ""))
    }

    @Test(arguments: [
        "", "correct horse battery", String(repeating: "ab", count: 40),
        "0123456789abcdef0123456789abcde",
    ])
    func `a secret that is short or uniform is refused`(_ text: String) {
        #expect(NodeSecret(Array(text.utf8)) == nil)
    }

    @Test func `a secret as openssl prints it is accepted`() {
        #expect(NodeSecret(Self.key) != nil)
        #expect(NodeSecret((0..<32).map { $0 * 7 }) != nil)
    }
}
