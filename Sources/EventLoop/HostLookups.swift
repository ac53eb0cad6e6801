/// Looks hosts up on threads, and passes the answers to the event loop.
///
/// If it is released, no further answer arrives. Use it on the loop's thread only.
package final class HostLookups {
    private let jobs: WorkerJobs<HostLookup.Answer>
    /// Answers the lookups that could not begin.
    private let laterCalls: LaterCalls

    package init(on loop: LibeventLoop) {
        (jobs, laterCalls) = (WorkerJobs(on: loop), LaterCalls(on: loop))
    }

    /// Looks up the addresses of a host on a thread of its own. Calls `done` once, in a later turn of the loop; with an error also if
    /// the thread cannot be created.
    package func start(
        _ host: String, _ port: UInt16, _ done: @escaping (HostLookup.Answer) -> Void
    ) {
        do throws(EventLoopError) {
            try jobs.start(
                {
                    HostLookup.Answer { () throws(HostLookup.LookupError) in
                        try HostLookup.addresses(of: host, port)
                    }
                }, done)
        } catch {
            let why = "\(host): cannot start a thread to look up the name: \(error)"
            laterCalls.add {
                done(.failure(HostLookup.LookupError(why: why, isTemporary: true)))
            }
        }
    }
}
