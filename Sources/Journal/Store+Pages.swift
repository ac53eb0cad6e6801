extension Store {
    /// Reads the rows after `position` up to `last` in pages of at most `limit` rows, so that the loop can do other work
    /// between two pages. `take` gets each page and returns whether to continue; `done` is called once, at the end, with the
    /// error if the store failed.
    package func readPages(
        after position: Int = 0, upTo last: Int, limit: Int,
        _ take: @escaping ([JournalRow]) -> Bool, _ done: @escaping (StoreError?) -> Void
    ) {
        walk(after: position, limit: limit) { result in
            switch result {
            case .failure(let error): done(error)
            case .success(let rows):
                guard take(rows.filter { $0.position <= last }), let newest = rows.last?.position,
                    newest < last
                else { return done(nil) }
                // A damaged position must not make the reading go back.
                self.readPages(
                    after: max(position + 1, newest), upTo: last, limit: limit, take, done)
            }
        }
    }
}
