import GameFlow
import Support
import Testing
import Timers

@testable import gamectl

struct ResumePointTests {
    @Test func `it goes on behind the last change that was seen`() throws {
        var resume = ResumePoint(isAll: false, since: nil)
        #expect(resume.meets("a") == false)
        try resume.begin(with: [SampleReplies.value(#"{"seq":5}"#)])
        #expect(resume.since == 5)
        try resume.take(SampleReplies.notice("change", #"{"seq":6,"pos":40}"#))
        try resume.take(SampleReplies.notice("beat", "{}"))
        #expect(resume.meets("a") == false)
        #expect(resume.since == 6)
    }

    @Test func `of all sessions the daemon's own number counts`() throws {
        var resume = ResumePoint(isAll: true, since: nil)
        try resume.begin(with: [SampleReplies.value(#"{"seq":5}"#)])
        #expect(resume.since == nil)
        try resume.take(SampleReplies.notice("heartbeat", #"{"pos":39}"#))
        #expect(resume.since == 39)
        try resume.take(SampleReplies.notice("change", #"{"seq":6,"pos":40}"#))
        #expect(resume.since == 40)
        try resume.take(SampleReplies.notice("gap", #"{"session":"*","pos":90}"#))
        #expect(resume.since == 90)
    }

    @Test func `what is replayed comes after what was asked for`() throws {
        var resume = ResumePoint(isAll: false, since: 2)
        try resume.begin(with: [SampleReplies.value(#"{"seq":5}"#)])
        #expect(resume.since == 2)
    }

    @Test func `another daemon's numbers begin anew`() throws {
        var resume = ResumePoint(isAll: false, since: 2)
        #expect(resume.meets("a") == false)
        #expect(resume.meets("b") == true)
        #expect(resume.since == nil)
        #expect(resume.meets("b") == false)
    }

    @Test func `pauses grow up to two seconds`() {
        var backoff = Watch.backoff
        let pauses = (0..<7).map { _ in backoff.fail().milliseconds }
        #expect(pauses == [100, 200, 400, 800, 1600, 2000, 2000])
    }
}
