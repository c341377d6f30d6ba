/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks CUDA's driver which memory an address lies in.
 *
 * Interposition does not see all allocations. By default nvcc links the runtime into the program, and that runtime
 * calls the driver through pointers; so do language bindings. Nothing is loaded for this: the driver is asked only
 * if the process has loaded libcuda already. Any thread. */
#ifndef PILGRIM_CUDA_DRIVER_H
#define PILGRIM_CUDA_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/device.h"

/* Fills in RANGE, but not its id and `made`. False: there is no driver, or it does not know ADDRESS. errno is
 * unchanged. */
bool cuda_driver_ask(uintptr_t address, struct device_range *range);

/* The calling thread BEGINS to ask for the integers of an array, or has ended. There may be 10^5 of them, so only for
 * the first one it is looked up if there is a driver. */
void cuda_driver_array(bool begins);

#endif
