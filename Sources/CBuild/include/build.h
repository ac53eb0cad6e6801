#ifndef GAMED_BUILD_H
#define GAMED_BUILD_H

/// The commit from which the program was built, as `make build` has passed it; otherwise `unknown`.
const char *build_commit(void);

#endif
