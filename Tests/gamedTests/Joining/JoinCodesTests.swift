import Testing
import Timers

@testable import Access
@testable import GamedServer

/// The codes that are typed at `/join`. The test passes the time to each call.
@Suite struct JoinCodesTests {
    private let start = Instant.seconds(1_000_000)

    @Test func `a code has six characters out of 32, and no two codes are equal`() throws {
        var codes = JoinCodes()
        var distinctCodes: Set<String> = []
        for number in 0..<500 {
            let issued = codes.issue(for: "invite-\(number)", at: start)
            let code = try #require(issued)
            #expect(code.count == 6)
            #expect(code.allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) })
            #expect(!code.contains { "ILOU".contains($0) })
            distinctCodes.insert(code)
            #expect(codes.invitation(of: code, at: start) == "invite-\(number)")
        }
        #expect(distinctCodes.count == 500)
    }

    @Test func `a code is valid for 15 minutes`() throws {
        var codes = JoinCodes()
        let issued = codes.issue(for: "a", at: start)
        let code = try #require(issued)
        let lastInstant = start + (.seconds(15 * 60) - .nanoseconds(1))
        #expect(codes.invitation(of: code, at: lastInstant) == "a")
        #expect(codes.invitation(of: code, at: start + .seconds(15 * 60)) == nil)
    }

    @Test
    func `a code may be typed in either case, with blanks, and with letters that look like digits`()
    {
        #expect(JoinAlphabet.normalized("ab1-0 2z") == "AB102Z")
        #expect(JoinAlphabet.normalized("iLoO0l") == "110001")
    }

    @Test(arguments: ["", "A", "一二三四五六", "١٢٣٤٥٦", "\u{0}", String(repeating: "A", count: 65)])
    func `a text that cannot be a code is a wrong code`(_ text: String) throws {
        var codes = JoinCodes()
        _ = codes.issue(for: "a", at: start)
        #expect(codes.invitation(of: text, at: start) == nil)
    }
}
