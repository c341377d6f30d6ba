/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions in Python, as the interpreter says; see shadow_python.h. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "shadow/shadow_python.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *symbol(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

bool shadow_python_interprets(const void *address)
{
    Dl_info here, there;
    const void *known = symbol("Py_BytesMain");
    return known && dladdr(known, &there) && dladdr(address, &here) && here.dli_fbase == there.dli_fbase;
}

/* A function of the interpreter, which takes and returns pointers. */
static void *call(const char *name, const void *argument)
{
    void *(*function)(const void *);
    void *address = symbol(name);
    memcpy(&function, &address, sizeof function);
    return address ? function(argument) : NULL;
}

static int call_int(const char *name, void *argument)
{
    int (*function)(void *);
    void *address = symbol(name);
    memcpy(&function, &address, sizeof function);
    return address ? function(argument) : 0;
}

/* Copies the attribute NAME of OBJECT, a text. False: it has none. */
static bool copy_attribute(void *object, const char *name, char *text, size_t size)
{
    void *(*attribute)(void *, const char *);
    void *address = symbol("PyObject_GetAttrString");
    memcpy(&attribute, &address, sizeof attribute);
    void *found = address ? attribute(object, name) : NULL;
    const char *utf8 = found ? call("PyUnicode_AsUTF8", found) : NULL;
    if (utf8)
        snprintf(text, size, "%s", utf8);
    if (found)
        call("Py_DecRef", found);
    call("PyErr_Clear", NULL);
    return utf8 != NULL;
}

/* Prints the frame of CODE at LINE. Returns its length with the 0 byte; 0: there is no room. */
static size_t print_frame(char *out, size_t room, void *code, int line)
{
    char file[4096] = "", name[1024] = "";
    copy_attribute(code, "co_filename", file, sizeof file);
    if (!copy_attribute(code, "co_qualname", name, sizeof name))
        copy_attribute(code, "co_name", name, sizeof name);
    const char *shown = file;
    for (const char *c = file; *c && *file != '<'; c++)
        if (*c == '/' && (strncmp(c + 1, "__", 2) != 0 || strchr(c + 1, '/')))
            shown = c + 1;
    int length = snprintf(out, room, "%s:%d:%s", shown, line > 0 ? line : 0, name);
    return length >= 0 && (size_t)length < room ? (size_t)length + 1 : 0;
}

void shadow_python_take(struct shadow_python *p, unsigned depth)
{
    int (*ensure)(void);
    void (*release)(int);
    void *addresses[] = {symbol("PyGILState_Ensure"), symbol("PyGILState_Release")};
    size_t used = 0;
    p->count = 0;
    if (!addresses[0] || !call_int("Py_IsInitialized", NULL) || !call("PyGILState_GetThisThreadState", NULL))
        return;
    memcpy(&ensure, &addresses[0], sizeof ensure);
    memcpy(&release, &addresses[1], sizeof release);
    int state = ensure();
    void *frame = call("PyEval_GetFrame", NULL);
    if (frame)
        call("Py_IncRef", frame);
    while (frame && p->count < depth) {
        void *code = call("PyFrame_GetCode", frame), *back = call("PyFrame_GetBack", frame);
        size_t length =
            print_frame(p->texts + used, sizeof p->texts - used, code, call_int("PyFrame_GetLineNumber", frame));
        call("Py_DecRef", code);
        call("Py_DecRef", frame);
        frame = back;
        used += length;
        p->count += length > 0;
    }
    if (frame)
        call("Py_DecRef", frame);
    release(state);
}
