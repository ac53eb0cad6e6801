extension Store {
    /// Reads the rows after the position `position`, up to the position `last`. Reads pages, so that the loop can do other work
    /// between two pages; `pace` adapts their size. `handlePage` gets each page and returns whether to continue. `done` is
    /// called once, at the end; its argument is the error if the store failed, else nil.
    package func readPages(
        after position: Int = 0, upTo last: Int, pace: PagePace = PagePace(),
        _ handlePage: @escaping ([JournalRow]) -> Bool, _ done: @escaping (StoreError?) -> Void
    ) {
        walk(after: position, limit: pace.rows) { result in
            switch result {
            case .failure(let error): done(error)
            case .success(let rows):
                let continues = pace.measure(rows.count) {
                    handlePage(rows.filter { $0.position <= last })
                }
                guard continues, let newestPosition = rows.last?.position, newestPosition < last
                else { return done(nil) }
                // The position of the last row may be damaged and too low. With `position + 1`, the same page is not read
                // again.
                self.readPages(
                    after: max(position + 1, newestPosition), upTo: last, pace: pace, handlePage,
                    done)
            }
        }
    }
}
