/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds CPython in this process, and proves what is known of its memory; see python_interpreter.h.
 *
 * The proof reads through the kernel, so that a wrong address gives an error. It is made while the thread holds the
 * interpreter's lock, which it never waits for: another thread may hold the lock until this call is done. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT, process_vm_readv */
#include "process/python_interpreter.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/loader.h"
#include "objects/modules.h"

enum { DEALLOC = 48 }; /* of a type: its tp_dealloc */

typedef void code_dealloc(void *code);

/* Functions of the interpreter. */
static struct {
    const char *(*version)(void);
    int (*is_initialized)(void);
    void *(*this_thread)(void); /* PyGILState_GetThisThreadState */
    void *(*lock_holder)(void); /* the state of the thread that has the lock; in later versions, if it is this one */
    void *(*first_interpreter)(void);
    void *(*next_interpreter)(void *interpreter);
    void *(*frame)(void);
    void *(*frame_back)(void *frame);
    void *(*frame_code)(void *frame);
    int (*frame_line)(void *frame);
    int (*code_line)(void *code, int offset);
    void *(*attribute)(void *object, const char *name);
    const char *(*utf8)(void *text, intptr_t *length);
    void (*release)(void *object);
    void *(*error)(void);
    void (*error_clear)(void);
    void *code_type;
} api;

static const struct {
    const char *name;
    void *place;
    const char *later; /* its name in later versions, or NULL */
} symbols[] = {
    {"Py_GetVersion", &api.version, NULL},
    {"Py_IsInitialized", &api.is_initialized, NULL},
    {"PyGILState_GetThisThreadState", &api.this_thread, NULL},
    {"_PyThreadState_UncheckedGet", &api.lock_holder, "PyThreadState_GetUnchecked"},
    {"PyInterpreterState_Head", &api.first_interpreter, NULL},
    {"PyInterpreterState_Next", &api.next_interpreter, NULL},
    {"PyEval_GetFrame", &api.frame, NULL},
    {"PyFrame_GetBack", &api.frame_back, NULL},
    {"PyFrame_GetCode", &api.frame_code, NULL},
    {"PyFrame_GetLineNumber", &api.frame_line, NULL},
    {"PyCode_Addr2Line", &api.code_line, NULL},
    {"PyObject_GetAttrString", &api.attribute, NULL},
    {"PyUnicode_AsUTF8AndSize", &api.utf8, NULL},
    {"Py_DecRef", &api.release, NULL},
    {"PyErr_Occurred", &api.error, NULL},
    {"PyErr_Clear", &api.error_clear, NULL},
    {"PyCode_Type", &api.code_type, NULL},
};

/* To keep the collector of garbage from running the program's code; older versions lack them. */
static int (*gc_disable)(void);
static int (*gc_enable)(void);

enum proof_state { NOT_PROVEN, PROVEN, REFUSED };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct python_layout *layout; /* NULL: there is no interpreter, or its version is not known */
static _Atomic(const struct code_module *) interpreter;
static atomic_int proof;
static atomic_bool proving;
static _Atomic(code_dealloc *) own_dealloc; /* of the interpreter */

/* ---- finding it ---- */

static void find(void)
{
    unsigned major = 0, minor = 0;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = loader_find(RTLD_DEFAULT, symbols[i].name);
        if (!address && symbols[i].later)
            address = loader_find(RTLD_DEFAULT, symbols[i].later);
        if (!address)
            return;
        memcpy(symbols[i].place, &address, sizeof address);
    }
    void *both[] = {loader_find(RTLD_DEFAULT, "PyGC_Disable"), loader_find(RTLD_DEFAULT, "PyGC_Enable")};
    memcpy(&gc_disable, &both[0], sizeof gc_disable);
    memcpy(&gc_enable, &both[1], sizeof gc_enable);
    const char *version = api.version();
    if (!strstr(version, "free-threading") && sscanf(version, "%u.%u", &major, &minor) == 2 && major == 3)
        layout = python_layout_of(minor);
}

/* True if there is an interpreter whose memory is known. */
static bool is_known(void)
{
    struct code_frame own;
    pthread_once(&once, find);
    if (layout && !atomic_load(&interpreter) && modules_frame(api.code_type, &own))
        atomic_store(&interpreter, own.module);
    return layout && atomic_load(&interpreter);
}

bool python_interprets(const struct code_frame *frame)
{
    static const char *const names[] = {"python", "libpython"};
    bool named = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        named |= strncmp(frame->module->name, names[i], strlen(names[i])) == 0;
    if (!named)
        return false;
    return is_known() && frame->module == atomic_load(&interpreter);
}

void python_asks(void)
{
    if (is_known())
        (void)python_ready();
}

static const void *this_thread(void)
{
    return api.is_initialized() ? api.this_thread() : NULL;
}

/* ---- the proof; the thread holds the lock ---- */

static bool read_memory(const void *from, size_t offset, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(char *)(uintptr_t)from + offset, size};
    int error = errno;
    bool good = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
    errno = error;
    return good;
}

static bool read_pointer(const void *from, size_t offset, const void **to)
{
    return read_memory(from, offset, to, sizeof *to);
}

/* Goes to the first frame that Python shows, from FRAME on. False: there is none. */
static bool skip_hidden(const void **frame)
{
    for (unsigned i = 0; *frame && layout->owner >= 0 && i < PYTHON_FRAMES_MAX; i++) {
        char owner;
        const void *code, *instruction;
        int32_t first;
        if (!read_memory(*frame, (size_t)layout->owner, &owner, 1) || !read_pointer(*frame, layout->code, &code) ||
            !read_pointer(*frame, layout->instruction, &instruction))
            return false;
        if (owner == PYTHON_OWNER_GENERATOR)
            break;
        if (owner != PYTHON_OWNER_C && read_memory(code, layout->first_traceable, &first, sizeof first) &&
            (uintptr_t)instruction >= (uintptr_t)code + layout->code_start + 2 * (uint64_t)(uint32_t)first)
            break;
        if (!read_pointer(*frame, layout->previous, frame))
            return false;
    }
    return *frame != NULL;
}

/* True if OBJECT, of which the interpreter says TEXT, can be read. */
static bool reads_text(void *object, const char *text)
{
    char found[4096], page[256];
    /* What python_text reads is in these bytes, unless the text is long; then it is not read. */
    if (!text || strlen(text) > 100 || !read_memory(object, 0, page, layout->other_texts + strlen(text)))
        return text && strlen(text) > 100;
    return python_text(layout, object, found, sizeof found) && strcmp(found, text) == 0;
}

/* True if the attribute NAME of CODE is the text at OFFSET. */
static bool has_text(void *code, const char *name, size_t offset)
{
    const void *read;
    void *object = api.attribute(code, name);
    bool good =
        object && read_pointer(code, offset, &read) && read == object && reads_text(object, api.utf8(object, NULL));
    if (object)
        api.release(object);
    return good;
}

/* True if FRAME is that of CODE, which is at LINE. */
static bool is_frame(const void *frame, void *code, int line)
{
    const void *read, *instruction;
    int32_t index;
    if (!read_pointer(frame, layout->code, &read) || read != code)
        return false;
    if (layout->index_unit ? !read_memory(frame, layout->instruction, &index, sizeof index)
                           : !read_pointer(frame, layout->instruction, &instruction))
        return false;
    int offset = layout->index_unit ? index * (int)layout->index_unit
                                    : (int)((uintptr_t)instruction - (uintptr_t)code - layout->code_start);
    return api.code_line(code, offset) == line && has_text(code, "co_filename", layout->file) &&
           has_text(code, layout->minor >= 11 ? "co_qualname" : "co_name", layout->name);
}

/* Compares all frames of this thread. */
static bool frames_agree(const void *frame)
{
    void *shown = api.frame(), *next; /* borrowed; the others are ours */
    bool good = true;
    for (unsigned i = 0; shown && good; i++, shown = next) {
        void *code = api.frame_code(shown);
        good = code && skip_hidden(&frame) && is_frame(frame, code, api.frame_line(shown)) &&
               read_pointer(frame, layout->previous, &frame);
        if (code)
            api.release(code);
        next = good ? api.frame_back(shown) : NULL;
        if (i > 0)
            api.release(shown);
        if (!next && good && skip_hidden(&frame))
            good = false;
    }
    return good;
}

/* Is called in place of the interpreter's function that frees code objects. */
static void tell_dealloc(void *code)
{
    python_code_gone(code);
    atomic_load_explicit(&own_dealloc, memory_order_relaxed)(code);
}

/* False: it is not where it should be. */
static bool hook_dealloc(void)
{
    void *at = (char *)api.code_type + DEALLOC, *own = NULL, *mine = NULL;
    struct code_frame frame;
    code_dealloc *const tell = tell_dealloc;
    if (!read_memory(at, 0, &own, sizeof own) || !own || !modules_frame(own, &frame) ||
        frame.module != atomic_load(&interpreter))
        return false;
    code_dealloc *original;
    memcpy(&original, &own, sizeof original);
    memcpy(&mine, &tell, sizeof mine);
    atomic_store(&own_dealloc, original);
    __atomic_store_n((void **)at, mine, __ATOMIC_RELEASE);
    return true;
}

/* True if what the thread's state has is as expected. */
static bool prove(const void *thread)
{
    const void *frame;
    if (!read_pointer(thread, layout->thread_frame, &frame) ||
        (layout->indirect >= 0 && !read_pointer(frame, (size_t)layout->indirect, &frame)))
        return false;
    int enabled = gc_disable ? gc_disable() : 0;
    bool good = frames_agree(frame);
    if (api.error())
        api.error_clear();
    if (enabled && gc_enable)
        gc_enable();
    return good && hook_dealloc();
}

enum python_state python_ready(void)
{
    static const enum python_state states[] = {
        [NOT_PROVEN] = PYTHON_LATER, [PROVEN] = PYTHON_READY, [REFUSED] = PYTHON_NONE};
    const void *thread = this_thread();
    if (!thread || api.next_interpreter(api.first_interpreter()))
        return PYTHON_NONE; /* with several interpreters, the state is not that of the one which called */
    if (atomic_load(&proof) == NOT_PROVEN && api.lock_holder() == thread && !api.error() && api.frame() &&
        !atomic_exchange(&proving, true)) {
        const struct python_source source = {layout, this_thread, api.code_line};
        bool good = prove(thread);
        if (good)
            python_frames_begin(&source);
        atomic_store(&proof, good ? PROVEN : REFUSED);
    }
    return states[atomic_load(&proof)];
}
