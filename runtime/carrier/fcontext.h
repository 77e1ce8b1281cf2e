/* SPDX-License-Identifier: MIT */
/* Boost.Context's jump between contexts, declared for C (its own header is C++), and the calls that
 * announce stacks and jumps to sanitizers and valgrind. */
#ifndef LPI_FCONTEXT_H
#define LPI_FCONTEXT_H

#include "host/host.h"

#include <stdbool.h>
#include <stddef.h>

/* The compiler must assume that assembly changes what any function may change. */
#ifdef __clang__
#define LPI_NOIPA
#else
#define LPI_NOIPA , noipa
#endif

struct lpi_fcontext_transfer {
    void *context; /* of the context that jumped */
    void *data;
};

/* Leave this context for `to`; return when another context jumps back. */
struct lpi_fcontext_transfer jump_fcontext(void *to, void *data);

#if defined(__x86_64__)
/*
 * The same, but with returns that the processor predicts. It keeps a stack of return addresses: a
 * call pushes one, and a return pops one. Boost's jump ends with a jump and pops none, so each later
 * return of the destination is predicted wrongly. Here the destination resumes with a return. The
 * address on that stack is the one of the context that jumps. Both contexts mostly call this
 * function from the same place, and then the address is right.
 */
static __attribute__((naked, noinline, unused LPI_NOIPA)) struct lpi_fcontext_transfer
lpi_jump(__attribute__((unused)) void *to, __attribute__((unused)) void *data)
{
    __asm__("lea 1f(%rip), %rcx\n\t"
            "push %rcx\n\t"
            "jmp jump_fcontext@PLT\n"
            "1:\n\t"
            "ret");
}
#else
#define lpi_jump jump_fcontext
#endif

/* A context that starts fn on a stack that ends at `top`. */
void *make_fcontext(void *top, size_t size, void (*fn)(struct lpi_fcontext_transfer));

#if defined(__SANITIZE_ADDRESS__)
#define LPI_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LPI_ASAN 1
#endif
#endif

#ifdef LPI_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
/* The program may be built with AddressSanitizer, though this library is not. Unless it knows each
 * stack, the stacks of allocations end at their first frame, and leaks of one frame are not reported. */
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom,
                                                          size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *fake_stack, const void **bottom,
                                                           size_t *size);
__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile *from, size_t size);
#endif
#ifdef LPI_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if !defined(LPI_ASAN) && !defined(LPI_TSAN) && __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define LPI_VALGRIND 1
#endif

static inline bool lpi_on_valgrind(void)
{
#ifdef LPI_VALGRIND
    return RUNNING_ON_VALGRIND;
#else
    return false;
#endif
}

static inline bool lpi_on_asan(void)
{
#ifdef LPI_ASAN
    return true;
#else
    return __builtin_expect(__sanitizer_start_switch_fiber != NULL, false);
#endif
}

/* The data of the tools about a fiber. Outside their builds only valgrind's number is used. */
struct lpi_fiber_shadow {
    const void *bottom;
    size_t size;
    void *fake_stack; /* asan */
    void *tsan_fiber; /* tsan */
    unsigned valgrind_id;
};

static inline void lpi_shadow_register(struct lpi_fiber_shadow *s, void *bottom, size_t size)
{
    s->bottom = bottom;
    s->size = size;
#ifdef LPI_VALGRIND
    s->valgrind_id = VALGRIND_STACK_REGISTER(bottom, (char *)bottom + size);
#endif
}

/* The frames in this memory were copied or abandoned: no address in it is out of bounds. */
static inline void lpi_shadow_clear(const void *bottom, size_t size)
{
    if (lpi_on_asan())
        __asan_unpoison_memory_region(bottom, size);
}

static inline void lpi_shadow_forget(struct lpi_fiber_shadow *s)
{
    lpi_shadow_clear(s->bottom, s->size); /* the addresses may be used again */
#ifdef LPI_VALGRIND
    VALGRIND_STACK_DEREGISTER(s->valgrind_id);
#endif
#ifdef LPI_TSAN
    if (s->tsan_fiber != NULL)
        __tsan_destroy_fiber(s->tsan_fiber);
#endif
    (void)s;
}

/* A fiber begins anew on its stack. */
static inline void lpi_shadow_fresh(struct lpi_fiber_shadow *s, void *bottom, size_t size)
{
    s->bottom = bottom;
    s->size = size;
    s->fake_stack = NULL;
    lpi_shadow_clear(bottom, size);
#ifdef LPI_TSAN
    if (s->tsan_fiber == NULL)
        s->tsan_fiber = __tsan_create_fiber(0);
#endif
}

/* The shadow of a thread's own stack. The first jump away finds its bottom. */
static inline void lpi_shadow_thread(struct lpi_fiber_shadow *s)
{
#ifdef LPI_TSAN
    s->tsan_fiber = __tsan_get_current_fiber();
#endif
    (void)s;
}

/* Set before a jump, for its destination: asan reports this stack's bounds there. */
extern _Thread_local struct lpi_fiber_shadow *lpi_shadow_left;

/* Right before a jump. for_good: no context will jump back to this stack. */
static inline void lpi_shadow_leave(struct lpi_fiber_shadow *from, struct lpi_fiber_shadow *to,
                                    bool for_good)
{
    if (lpi_on_asan()) {
        lpi_shadow_left = from;
        __sanitizer_start_switch_fiber(for_good ? NULL : &from->fake_stack, to->bottom, to->size);
    }
#ifdef LPI_TSAN
    __tsan_switch_to_fiber(to->tsan_fiber, 0);
#endif
}

/* Right after a jump, at its destination. */
static inline void lpi_shadow_arrive(struct lpi_fiber_shadow *self)
{
    const void *bottom;
    size_t size;

    if (!lpi_on_asan())
        return;
    __sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &size);
    lpi_shadow_left->bottom = bottom;
    lpi_shadow_left->size = size;
}

#endif
