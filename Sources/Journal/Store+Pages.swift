extension Store {
    /// Reads the rows after the position `position`, up to the position `last`. Reads pages of at most `limit` rows, so that
    /// the loop can do other work between two pages. `handlePage` gets each page and returns whether to continue. `done` is
    /// called once, at the end; its argument is the error if the store failed, else nil.
    package func readPages(
        after position: Int = 0, upTo last: Int, limit: Int,
        _ handlePage: @escaping ([JournalRow]) -> Bool, _ done: @escaping (StoreError?) -> Void
    ) {
        walk(after: position, limit: limit) { result in
            switch result {
            case .failure(let error): done(error)
            case .success(let rows):
                guard handlePage(rows.filter { $0.position <= last }),
                    let newestPosition = rows.last?.position, newestPosition < last
                else { return done(nil) }
                // The position of the last row may be damaged and too low. With `position + 1`, the same page is not read
                // again.
                self.readPages(
                    after: max(position + 1, newestPosition), upTo: last, limit: limit, handlePage,
                    done)
            }
        }
    }
}
