import Access
import Glibc
import TestSupport
import Testing

@testable import GamedServer

/// The token file. It stores hashes of tokens (SHA-256); a token itself is shown only once.
@Suite struct TokenFileTests {
    private let folder = Folder()
    private var path: String { "\(folder.path)/tokens" }

    @Test func `a token has 32 random bytes, and the file has only its hash`() throws {
        var tokens = try TokenFile(path)
        let token = try tokens.add("desk")
        #expect(token.count == 64)
        #expect(token.allSatisfy { $0.isHexDigit })
        #expect(try tokens.add("other") != token)
        #expect(!folder.text("tokens").contains(token))
        let hash = ShellCommand.run("printf %s \(token) | sha256sum | cut -d' ' -f1")
        #expect(folder.text("tokens").contains("desk \(hash)"))
        var status = stat()
        stat(path, &status)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `a token's name is found by the token, also after a restart`() throws {
        var tokens = try TokenFile(path)
        let (desk, hall) = (try tokens.add("desk"), try tokens.add("hall"))
        for file in [tokens, try TokenFile(path)] {
            #expect(file.name(of: desk) == "desk")
            #expect(file.name(of: hall) == "hall")
            for wrongToken in ["", "desk", desk.uppercased(), String(desk.dropLast()), desk + "0"] {
                #expect(file.name(of: wrongToken) == nil)
            }
        }
    }

    @Test func `a removed token is invalid`() throws {
        var tokens = try TokenFile(path)
        let token = try tokens.add("desk")
        try tokens.remove("desk")
        #expect(tokens.name(of: token) == nil)
        #expect(try TokenFile(path).names == [])
        #expect(throws: TokenFile.TokenError.name("there is no token desk")) {
            try tokens.remove("desk")
        }
    }

    @Test func `a second token with the same name is an error`() throws {
        var tokens = try TokenFile(nil)
        let token = try tokens.add("desk")
        #expect(throws: TokenFile.TokenError.self) { try tokens.add("desk") }
        #expect(tokens.name(of: token) == "desk")
    }

    @Test(arguments: ["", "a b", "a\nb", "tür", String(repeating: "x", count: 65)])
    func `a name that cannot be written in a rule is an error`(_ name: String) throws {
        var tokens = try TokenFile(nil)
        #expect(throws: TokenFile.TokenError.name("expected 1 to 64 of A-Z a-z 0-9 . _ -")) {
            try tokens.add(name)
        }
    }

    @Test func `the number of tokens is limited`() throws {
        let hash = String(repeating: "0", count: 64)
        folder.write("tokens", (0..<TokenFile.limit).map { "t\($0) \(hash)\n" }.joined())
        var tokens = try TokenFile(path)
        #expect(throws: TokenFile.TokenError.limit(TokenFile.limit)) { try tokens.add("desk") }
    }

    @Test
    func
        `a file that is too long is an error; it is not changed, and the earlier tokens stay valid`()
        throws
    {
        var tokens = try TokenFile(path)
        _ = try tokens.add("desk")
        let text = folder.text("tokens") + String(repeating: "# a comment\n", count: 400_000)
        folder.write("tokens", text)
        #expect(throws: TokenFile.TokenError.storage("\(path): longer than 4096000 bytes")) {
            try tokens.read()
        }
        #expect(tokens.names == ["desk"])
        var status = stat()
        stat(path, &status)
        #expect(status.st_size == text.utf8.count)
    }

    @Test func `a change that cannot be written is not made`() throws {
        var tokens = try TokenFile("\(folder.path)/nowhere/tokens")
        #expect(throws: TokenFile.TokenError.self) { try tokens.add("desk") }
        #expect(tokens.names == [])
    }
}
