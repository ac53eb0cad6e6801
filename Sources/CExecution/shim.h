// Functions of Swift's runtime that return the present task and actor, and a lock of POSIX threads. Every program with Swift concurrency
// contains them, so no library is needed.
//
// Swift has no name for these functions: `#isolation` is known only at compile time, and a property cannot have it as an
// argument. These functions are part of the runtime's stable ABI since Swift 5.5.
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(__cplusplus)
extern "C" {
#endif

// A serial executor: its actor, and how it is implemented.
typedef struct {
    uintptr_t identity;
    uintptr_t implementation;
} ExecutionActor;

extern void *swift_task_getCurrent(void) __attribute__((swiftcall));
extern ExecutionActor swift_task_getCurrentExecutor(void) __attribute__((swiftcall));
extern ExecutionActor swift_task_getMainExecutor(void) __attribute__((swiftcall));

// The task that runs on this thread; 0 outside of tasks.
static inline uintptr_t execution_task(void) { return (uintptr_t)swift_task_getCurrent(); }

// The executor of the actor on which the present task runs; its identity is 0 if the task runs on none.
static inline ExecutionActor execution_executor(void) { return swift_task_getCurrentExecutor(); }

// The actor on which the present task runs; 0 if it runs on none.
static inline uintptr_t execution_actor(void) { return execution_executor().identity; }

// The main actor.
static inline uintptr_t execution_main_actor(void) { return swift_task_getMainExecutor().identity; }

// This thread.
static inline uintptr_t execution_thread(void) {
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
    return (uintptr_t)__builtin_thread_pointer();
#else
    return (uintptr_t)pthread_self();
#endif
}

// Whether this is the thread with which the program began. Where it runs no task, it runs what belongs to the main actor.
static inline int execution_is_main_thread(void) {
#if defined(__APPLE__)
    return pthread_main_np();
#elif defined(__linux__)
    return syscall(SYS_gettid) == getpid();
#else
    return 0;
#endif
}

// A lock that its thread may take again. `Mutex` of Swift needs iOS 18 and macOS 15, and ThreadSanitizer does not see it on Linux.
typedef struct {
    pthread_mutex_t mutex;
} ExecutionLock;

// Prepares a lock, which then stays where it is.
static inline void execution_lock_init(ExecutionLock *lock) {
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) || pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) ||
        pthread_mutex_init(&lock->mutex, &attributes))
        abort();
    pthread_mutexattr_destroy(&attributes);
}

static inline void execution_lock(ExecutionLock *lock) { pthread_mutex_lock(&lock->mutex); }
static inline void execution_unlock(ExecutionLock *lock) { pthread_mutex_unlock(&lock->mutex); }
static inline void execution_lock_destroy(ExecutionLock *lock) { pthread_mutex_destroy(&lock->mutex); }

#if defined(__cplusplus)
}
#endif
