import GameFlow
import Support
import Testing
import Timers

@testable import GamectlTool

struct ResumePointTests {
    @Test func `a watch resumes after the last change received`() throws {
        var resume = ResumePoint(isAll: false, since: nil)
        #expect(resume.updateInstance("a") == false)
        try resume.begin(with: [SampleReplies.value(#"{"seq":5}"#)])
        #expect(resume.since == 5)
        try resume.receive(SampleReplies.notification("change", #"{"seq":6,"pos":40}"#))
        try resume.receive(SampleReplies.notification("beat", "{}"))
        #expect(resume.updateInstance("a") == false)
        #expect(resume.since == 6)
    }

    @Test func `a watch of all sessions resumes by pos`() throws {
        var resume = ResumePoint(isAll: true, since: nil)
        try resume.begin(with: [SampleReplies.value(#"{"seq":5}"#)])
        #expect(resume.since == nil)
        try resume.receive(SampleReplies.notification("heartbeat", #"{"pos":39}"#))
        #expect(resume.since == 39)
        try resume.receive(SampleReplies.notification("change", #"{"seq":6,"pos":40}"#))
        #expect(resume.since == 40)
        try resume.receive(SampleReplies.notification("gap", #"{"session":"*","pos":90}"#))
        #expect(resume.since == 90)
    }

    @Test
    func `the reply to a watch with since does not move the resume point`() throws {
        var resume = ResumePoint(isAll: false, since: 2)
        try resume.begin(with: [SampleReplies.value(#"{"seq":5}"#)])
        #expect(resume.since == 2)
    }

    @Test func `a new instance resets the resume point`() throws {
        var resume = ResumePoint(isAll: false, since: 2)
        #expect(resume.updateInstance("a") == false)
        #expect(resume.updateInstance("b") == true)
        #expect(resume.since == nil)
        #expect(resume.updateInstance("b") == false)
    }

    @Test func `the delays before a watch reconnects grow to two seconds`() {
        var backoff = WatchCommand.backoff
        let delays = (0..<7).map { _ in backoff.fail().milliseconds }
        // Each is up to a quarter shorter, so that many programs do not connect at the same instant.
        for (delay, longest) in zip(delays, [100, 200, 400, 800, 1600, 2000, 2000]) {
            #expect((longest * 3 / 4...longest).contains(Int(delay)))
        }
    }
}
