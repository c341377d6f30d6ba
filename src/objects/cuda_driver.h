/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking CUDA's driver what memory an address lies in.
 *
 * Interposition does not see all allocations: nvcc links the runtime into the program by default, and that calls the
 * driver through pointers, as do language bindings. Nothing is loaded for this: only a libcuda that is in the process
 * already is asked. Any thread. */
#ifndef PILGRIM_CUDA_DRIVER_H
#define PILGRIM_CUDA_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/device.h"

/* Fills RANGE but for id and made. False: no driver, or it knows nothing of ADDRESS. errno is kept. */
bool cuda_driver_ask(uintptr_t address, struct device_range *range);

#endif
