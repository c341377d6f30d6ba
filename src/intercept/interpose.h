/* SPDX-License-Identifier: BSD-3-Clause */
/* How to define other libraries' names, so that a program's calls come to us but nobody's search with dlsym finds
 * us.
 *
 * Communication libraries keep a cache of registered memory. To keep it right they patch the code of munmap and its
 * like, and of CUDA's functions: they ask dlsym for the function and write a jump over its beginning. If dlsym found
 * ours they would patch ours. They would then miss what the C library, or a CUDA runtime inside the program, does
 * within itself, and messages would be wrong. And a program that asks dlsym if there is CUDA must not be told that
 * there is.
 *
 * So the symbols have versions that are not default versions. References that the linker made bind to ours, either
 * by the version that they name or because they name none. dlsym looks for default versions and passes by. The
 * functions are called followed_NAME here; preload.map makes these names local. */
#ifndef PILGRIM_INTERPOSE_H
#define PILGRIM_INTERPOSE_H

/* Makes followed_NAME, defined in the same file, the target of references to NAME with VERSION, a string. */
#define INTERPOSE(name, version) __asm__(".symver followed_" #name ", " #name "@" version "\n")

/* The same for another version. The assembler may refuse a second version of a symbol, so TAG makes another symbol. */
#define INTERPOSE_ALSO(name, tag, version)                                                                             \
    __asm__(".globl followed_" #name tag "\n.set followed_" #name tag ", followed_" #name "\n"                         \
            ".symver followed_" #name tag ", " #name "@" version "\n")

/* For references that name no version: the first version in preload.map. */
#define UNVERSIONED "PILGRIM"

#endif
