/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython in this process: where its functions are, and whether its memory is as expected. */
#ifndef PILGRIM_PYTHON_INTERPRETER_H
#define PILGRIM_PYTHON_INTERPRETER_H

#include <stdbool.h>

#include "unwind/call_path.h"

/* True if FRAME is in the interpreter. Any thread. */
bool python_interprets(const struct code_frame *frame);

/* Says if python_chain_take finds the frames of the calling thread, which is in a call of the program. The first time
 * that this thread holds the interpreter's lock, what is read of its frames is compared with what the interpreter's
 * public functions say of them. Where anything differs, nothing is read from then on. Any thread. */
enum python_state python_ready(void);

/* To be called where the program looks a function of MPI up, as ctypes does: maybe the thread holds the interpreter's
 * lock then, and in no call of MPI. Does what python_ready does. Any thread. */
void python_asks(void);

#endif
