import RPC
import Sessions
import Testing

@testable import GamedServer

@Suite struct ReloadAnswerTests {
    @Test
    func `the answer to a reload has the first hundred mistakes, and the number of the others`() {
        func lines(_ count: Int) -> [Substring] {
            let mistakes = (1...count).map { "g.conf:\($0): unknown" }
            guard case .invalid(_, _, let why, _) = ReloadMethod.invalid(mistakes) else {
                return []
            }
            return why.split(separator: "\n")
        }
        #expect(lines(100).count == 100)
        #expect(lines(100).last == "g.conf:100: unknown")
        #expect(lines(4000).count == 101)
        #expect(lines(4000).last == "and 3900 more, which are in the log")
    }
}
