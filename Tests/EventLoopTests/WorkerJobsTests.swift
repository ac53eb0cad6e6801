import EventLoop
import Glibc
import Synchronization
import Testing

@Suite struct WorkerJobsTests {
    @Test func `each result arrives once, on the loop's thread`() throws {
        let loop = try LibeventLoop()
        let jobs = WorkerJobs<Int>(on: loop)
        var results: [Int] = []
        for number in 1...5 {
            try jobs.start {
                number * number
            } _: { result in
                results.append(result)
                if results.count == 5 { loop.stop() }
            }
        }
        #expect(results.isEmpty)
        loop.run()
        #expect(results.sorted() == [1, 4, 9, 16, 25])
    }

    @Test func `a job that still runs retains neither its owner nor the loop`() throws {
        weak var released: LibeventLoop?
        let mayEnd = Mutex(false)
        let hasEnded = Mutex(false)
        do {
            let loop = try LibeventLoop()
            released = loop
            try WorkerJobs<Void>(on: loop).start {
                while !mayEnd.withLock({ $0 }) { usleep(1000) }
                hasEnded.withLock { $0 = true }
            } _: {
                Issue.record("the result of a job without an owner has arrived")
            }
        }
        #expect(released == nil)
        mayEnd.withLock { $0 = true }
        while !hasEnded.withLock({ $0 }) { usleep(1000) }
    }

    @Test
    func `the owner may release the jobs when a result arrives, with further results that wait`()
        throws
    {
        let loop = try LibeventLoop()
        var jobs: WorkerJobs<Void>? = WorkerJobs(on: loop)
        var count = 0
        for _ in 1...3 {
            try jobs?.start {
            } _: {
                count += 1
                jobs = nil
                loop.stop()
            }
        }
        loop.run()
        #expect(count == 1 && jobs == nil)
    }
}
